/** Where one case plays: a place that its store's author made, and the handles that the case opened on it. */
import type { Store } from '@holdpoint/core'

/** Somewhere to keep conversations, empty at first. Each case gets one of its own. */
export interface StorePlace {
  /** Another handle on the same data, as another process would have. */
  open(): Promise<Store>
  /** Moves the time of the store on: the one that leases and deadlines are measured with. */
  readonly clock: { advance(ms: number): void | Promise<void> }
  /** Drops a handle as a crash would, without its goodbye. Left out, the handle is just never used again. */
  kill?(store: Store): void | Promise<void>
  /** The place is needed no more. The handles that still lived were closed before. */
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
  /** The store's time, asked of the first handle. */
  now(): Promise<number>
}

export type Case = (scene: Scene) => Promise<void>
/** Cases under the sentence that each shows. */
export type Cases = Readonly<Record<string, Case>>

export async function play(openPlace: OpenPlace, act: Case): Promise<void> {
  const place = await openPlace()
  const handles = new Set<Store>()
  const another = async (): Promise<Store> => {
    const store = await place.open()
    handles.add(store)
    return store
  }
  const close = async (store: Store): Promise<void> => {
    handles.delete(store)
    await store.close()
  }
  const leave = async (): Promise<void> => {
    try {
      for (const store of handles) await close(store)
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
        handles.delete(dying)
        await place.kill?.(dying)
      },
      now: () => timeOf(store),
    })
  } catch (error) {
    // What went wrong first is what to tell of.
    await leave().catch(() => undefined)
    throw error
  }
  await leave()
}

/** A store tells its time to whoever says that it lives; this one lives for no time at all. */
export function timeOf(store: Store): Promise<number> {
  return store.beat('asks for the time', 0)
}
