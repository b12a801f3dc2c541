/** The environment of one case: a place that the author of the store provides, and the handles opened on it. */
import type { Store } from '@holdpoint/core'
import { atHead } from './at-head.ts'

/** An empty place for a store. Each case gets its own. */
export interface StorePlace {
  /** Another handle on the same data, as another process would have. */
  open(): Promise<Store>
  /** Advances the store's clock, which leases and deadlines use. */
  readonly clock: { advance(ms: number): void | Promise<void> }
  /** Drops a handle as a crash would, without closing it. Default: the handle is just never used again. */
  kill?(store: Store): void | Promise<void>
  /** Removes the place. Its handles are closed before. */
  end(): Promise<void>
}

export type OpenPlace = () => Promise<StorePlace>

export interface Scene {
  /** The first handle. */
  readonly store: Store
  another(): Promise<Store>
  advance(ms: number): Promise<void>
  kill(store: Store): Promise<void>
  close(store: Store): Promise<void>
  /** The time of the store's clock. */
  now(): Promise<number>
}

export type Case = (scene: Scene) => Promise<void>
/** Cases, by the sentence that each one checks. */
export type Cases = Readonly<Record<string, Case>>

export async function play(openPlace: OpenPlace, act: Case): Promise<void> {
  const place = await openPlace()
  /** The handles of the place, by those that the case uses. */
  const handles = new Map<Store, Store>()
  const another = async (): Promise<Store> => {
    const opened = await place.open()
    const store = atHead(opened)
    handles.set(store, opened)
    return store
  }
  const close = async (store: Store): Promise<void> => {
    handles.delete(store)
    await store.close()
  }
  const leave = async (): Promise<void> => {
    try {
      for (const store of handles.keys()) await close(store)
    } finally {
      await place.end()
    }
  }
  try {
    const store = await another()
    await act({
      store,
      another,
      close,
      advance: async (ms) => {
        await place.clock.advance(ms)
      },
      kill: async (dying) => {
        const opened = handles.get(dying)!
        handles.delete(dying)
        await place.kill?.(opened)
      },
      now: () => timeOf(store),
    })
  } catch (error) {
    // The first error is the one to report.
    await leave().catch(() => undefined)
    throw error
  }
  await leave()
}

/** A heartbeat returns the store's time. The lease of this one ends at once. */
export function timeOf(store: Store): Promise<number> {
  return store.beat('asks for the time', 0)
}
