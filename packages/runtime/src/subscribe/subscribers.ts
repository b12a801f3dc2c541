/** The subscribers of this process, by conversation. They get frames and events from active logs, and notifications. */
import { HoldpointError } from '@holdpoint/core/internal/failure'
import type { Frame } from '@holdpoint/core/internal/live/frame'
import type { Address, Store } from '@holdpoint/core/internal/log/store'
import type { Ports } from '@holdpoint/core/internal/ports'
import { keyOf, type AnyActiveLog } from '../node/active-logs.ts'
import { Subscription } from './subscription.ts'

export class Subscribers {
  readonly #store: Store
  readonly #ports: Ports
  readonly #byKey = new Map<string, Set<Subscription>>()
  /** Active logs that show their frames to subscribers. */
  readonly #watched = new Map<AnyActiveLog, () => void>()

  constructor(store: Store, ports: Ports) {
    this.#store = store
    this.#ports = ports
  }

  /** `active` is the log, if it is in memory. */
  add(address: Address, after: number, active: AnyActiveLog | undefined, signal?: AbortSignal): Subscription {
    const key = keyOf(address)
    const end = (): void => subscription.end()
    const release = this.#ports.keepAlive?.()
    const leave = (): void => {
      release?.()
      signal?.removeEventListener('abort', end)
      const all = this.#byKey.get(key)
      all?.delete(subscription)
      if (all?.size === 0) this.#byKey.delete(key)
      if (all?.size !== 0) return
      for (const each of this.#watched.keys()) if (keyOf(each.log.address) === key) this.unwatch(each)
    }
    const subscription = new Subscription(address, after, this.#store, leave)
    const all = this.#byKey.get(key) ?? new Set<Subscription>()
    this.#byKey.set(key, all.add(subscription))
    if (signal?.aborted) end()
    else signal?.addEventListener('abort', end, { once: true })
    if (active) this.watch(active)
    return subscription
  }

  /** Making frames takes time, so a log makes them only while it has subscribers. */
  watch(active: AnyActiveLog): void {
    const key = keyOf(active.log.address)
    if (!this.#byKey.has(key) || this.#watched.has(active)) return
    const watching = active.watchers.admit((item) => {
      for (const subscription of this.#byKey.get(key) ?? []) subscription.show(item)
    })
    if (watching) this.#watched.set(active, watching.leave)
  }

  unwatch(active: AnyActiveLog): void {
    this.#watched.get(active)?.()
    this.#watched.delete(active)
  }

  get any(): boolean {
    return this.#byKey.size > 0
  }

  show(what: Address, frame: Frame): void {
    for (const subscription of this.#byKey.get(keyOf(what)) ?? []) subscription.show(frame)
  }

  changed(what: Address, seq: number): void {
    if (!this.any) return
    for (const subscription of this.#byKey.get(keyOf(what)) ?? []) subscription.behind(seq)
  }

  async catchUp(): Promise<void> {
    const all = [...this.#byKey.values()].flatMap((each) => [...each])
    if (all.length === 0) return
    const known = all.map((subscription) => subscription.known)
    const heads = await this.#store.heads(all.map(({ address }) => address))
    for (const [index, subscription] of all.entries()) {
      const head = heads[index] ?? 0
      if (head < known[index]!) subscription.fail(lostEvents(subscription, head))
      else subscription.behind(head)
    }
  }

  /** The store lost events that readers may have got. They must start again from what the store has. */
  rolledBack(what: Address, error: unknown): void {
    for (const subscription of this.#byKey.get(keyOf(what)) ?? []) subscription.fail(error)
  }

  close(): void {
    for (const all of this.#byKey.values()) for (const subscription of all) subscription.end()
  }
}

function lostEvents({ address, known }: Subscription, head: number): HoldpointError {
  return new HoldpointError(
    'store-rolled-back',
    `The store has "${address.id}" up to seq ${head}, and it had events up to ${known}: the store lost events. Read again from the start.`,
  )
}
