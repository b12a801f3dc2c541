/**
 * What happens to the store as a whole, at most once in a seed and not in every seed: it loses its newest writes, it is divided in two,
 * its primary is lost, bits flip in it, or it is restored from an older backup.
 *
 * After a loss, the records of a run are computed again from what is left, and only the invariants in `acrossLoss` are judged: the
 * others compare the log with what people and processes remember from before.
 */
import { HoldpointError, type LogEvent, type Store } from '@holdpoint/core'
import { markRestored } from '@holdpoint/runtime'
import { Damage } from './damage.ts'
import type { ConversationRecord } from './conversation-record.ts'
import type { SimNode } from './node.ts'
import type { Random } from './random.ts'
import { RestoredChecks } from './restored-checks.ts'
import { RollbackReports } from './rollback-reports.ts'
import { Standby } from './standby.ts'
import type { World } from './world.ts'

export const mishaps = ['rollback', 'split', 'standby', 'flip', 'restore'] as const
export type Mishap = (typeof mishaps)[number]

export class Mishaps {
  readonly kind: Mishap | undefined
  readonly standby: Standby | undefined
  readonly damage: Damage | undefined
  readonly reports: RollbackReports
  readonly restored: RestoredChecks
  readonly #world: World
  readonly #random: Random
  /** While the store is divided: the side that will be thrown away, and the nodes that reach only it. */
  #other: { readonly store: Store; readonly nodes: ReadonlySet<string> } | undefined
  readonly #watching = new Set<{
    readonly node: SimNode
    readonly generation: number
    readonly changed: (what: string) => void
  }>()
  /** Damage that a process met, and damage that was reported. */
  readonly #met = new Set<string>()
  readonly #reported = new Set<string>()

  constructor(world: World, random: Random, kind?: Mishap | 'none') {
    const { truth, scheduler, faults, judge } = world
    this.#world = world
    this.#random = random
    this.reports = new RollbackReports(judge, (id) => truth.conversations.get(id)?.events ?? [])
    this.restored = new RestoredChecks(judge)
    const kinds: readonly Mishap[] = ['rollback', 'rollback', 'split', 'standby', 'standby', 'flip', 'flip', 'restore']
    const seeded = random.chance(0.4) ? random.pick(kinds) : undefined
    this.kind = kind === 'none' ? undefined : (kind ?? seeded)
    if (this.kind === 'standby') this.standby = new Standby(truth, scheduler, faults, random.fork('standby'))
    if (this.kind === 'flip') this.damage = new Damage(truth.store)
  }

  /** The store as its clients see it. */
  surround(store: Store): Store {
    return this.standby?.store(store) ?? this.damage?.store(store) ?? store
  }

  /** The store that a node reaches. */
  storeOf({ name }: SimNode): Store {
    return this.#other?.nodes.has(name) === true ? this.#other.store : this.#world.store
  }

  /** Whether the node reaches only the side of the store that will be thrown away. */
  isApart({ name }: SimNode): boolean {
    return this.#other?.nodes.has(name) === true
  }

  /** The store will lose writes once more. */
  get divided(): boolean {
    return this.#other !== undefined
  }

  /** A log is still damaged. */
  get unrepaired(): boolean {
    return this.damage?.any === true
  }

  start(): void {
    if (this.kind) this.#soon(`mishap: ${this.kind}`, this.#random.between(3000, 25_000), () => this.#strike())
  }

  /** What the store does on its own takes one step. */
  #soon(label: string, delay: number, work: () => Promise<void>): void {
    const { scheduler, faults } = this.#world
    const operator = scheduler.process('the store')
    scheduler.add(operator, label, delay, () => {
      if (faults.active) this.#world.seeTo(work())
    })
  }

  #strike(): Promise<void> {
    switch (this.kind) {
      case 'split':
        return this.#divide()
      case 'standby':
        return this.#failOver()
      case 'flip':
        return this.#flip()
      case 'restore':
        return this.#restore()
      case 'rollback':
      case undefined:
        return this.#rollBack()
    }
  }

  /** An asynchronous standby takes over, or a backup is restored under running processes: the newest writes are gone. */
  async #rollBack(): Promise<void> {
    const { truth, faults } = this.#world
    const lost = await this.#losing(() => truth.rewind(Math.max(0, truth.writes - this.#random.between(1, 60))))
    if (lost > 0) faults.happened('rollback')
  }

  /** Both servers accept writes. One of them is thrown away. */
  async #divide(): Promise<void> {
    const { truth, faults, nodes, judge } = this.#world
    const apart = nodes.filter(() => this.#random.chance(0.6))
    judge.afterLoss = true
    truth.losses++
    for (const reader of this.#world.readers) reader.cutOff()
    const before = new Map([...truth.conversations.values()].map(({ id, events }) => [id, events.length]))
    const store = await truth.copy()
    const names = new Set(apart.map(({ name }) => name))
    this.#other = { store, nodes: names }
    this.#replaced(names)
    const heal = async (): Promise<void> => {
      this.#other = undefined
      truth.losses++
      this.#replaced(names)
      const page = await store.walk({ limit: 1000 })
      for (const { id, seq } of page.items) {
        const kept = before.get(id) ?? 0
        if (seq <= kept) continue
        faults.happened('split-brain')
        this.reports.lost(id, await store.read({ tenant: '', id }, 0))
      }
    }
    // It ends with the faults at the latest.
    const { scheduler } = this.#world
    scheduler.add(scheduler.process('the servers'), 'one is thrown away', this.#random.between(2000, 20_000), () =>
      this.#world.seeTo(heal()),
    )
  }

  /** The primary is lost. The standby has everything that was acknowledged. */
  async #failOver(): Promise<void> {
    await this.#losing(async () => this.standby?.promote())
    this.#world.faults.happened('standby-promoted')
  }

  /** Returns how many events were lost. */
  async #losing(work: () => Promise<void>): Promise<number> {
    const { truth, judge } = this.#world
    judge.afterLoss = true
    const before = Array.from(truth.conversations.values(), ({ id, events }) => ({ id, events: [...events] }))
    await work()
    let lost = 0
    for (const { id, events } of before) {
      const gone = events.length - (truth.conversations.get(id)?.events.length ?? 0)
      lost += gone
      if (gone === 0) continue
      this.reports.lost(id, events)
      for (const reader of this.#world.readers) if (reader.conversation === id) reader.again()
    }
    this.#replaced(undefined)
    return lost
  }

  async #flip(): Promise<void> {
    const { agents, faults } = this.#world
    const { name } = this.#random.pick(agents)
    if (!(await this.damage?.strike(name, this.#random))) return this.#soon('mishap: again', 3000, () => this.#flip())
    faults.happened('bit-flip')
    if (this.#random.chance(0.6))
      this.#soon('repair', this.#random.between(2000, 20_000), async () => this.damage?.repair(name))
  }

  /** All processes are stopped, and the store is replaced by an older backup. */
  async #restore(): Promise<void> {
    const { truth, faults, scheduler, nodes, outside, store } = this.#world
    for (const node of nodes) node.crash(this.#random.between(1000, 5000), false)
    const lost = await this.#losing(() =>
      truth.rewind(truth.writesAt(scheduler.now - this.#random.between(500, 15_000))),
    )
    outside.restored(this.restored)
    for (const { id, events } of truth.conversations.values()) this.restored.from(id, events.length)
    let ids = 0
    const { marked } = await markRestored(store, {
      now: () => scheduler.now,
      monotonic: () => scheduler.now,
      sleep: async () => {},
      id: () => `restore-${++ids}`,
      random: () => 0.5,
      nextTime: () => undefined,
    })
    if (lost > 0 && marked > 0) faults.happened('restored')
  }

  /** Calls the listener when the node reaches another server than before. */
  watch(node: SimNode, changed: (what: string) => void): () => void {
    const { generation } = node.process
    const watching = { node, generation, changed }
    this.#watching.add(watching)
    return () => this.#watching.delete(watching)
  }

  /** Another server answers. Each process learns it with its next connection. */
  #replaced(nodes: ReadonlySet<string> | undefined): void {
    for (const { node, generation, changed } of this.#watching) {
      if (node.process.generation !== generation || nodes?.has(node.name) === false) continue
      this.#world.scheduler.add(node.process, 'reaches another server', this.#random.between(0, 3000), () =>
        changed('another timeline'),
      )
    }
  }

  /** A problem that a process reported, or an error that a caller got. */
  told(error: unknown, node: string): boolean {
    if (!HoldpointError.is(error)) return false
    if (error.code === 'log-damaged' && this.damage) {
      for (const id of this.damage.ever) {
        if (!error.message.includes(`"${id}"`)) continue
        this.#reported.add(id)
        return true
      }
    }
    if (error.code === 'store-replaced') return this.#world.truth.losses > 0
    if (error.code !== 'store-rolled-back' || this.#world.truth.losses === 0) return false
    if (this.#world.nodes.some(({ id }) => id === node)) this.reports.told(node, error)
    return true
  }

  /** A process met damage. */
  met(error: unknown, id: string): void {
    if (!HoldpointError.is(error) || error.code !== 'log-damaged') return
    this.#met.add(id)
    // The process cannot go on, and does the step again when it can.
    for (const step of this.#world.truth.conversations.get(id)?.steps ?? []) step.excused++
  }

  /** What a read returned. */
  shown(id: string, events: readonly LogEvent[]): void {
    if (!this.damage) return
    const { truth, judge } = this.#world
    const written = truth.conversations.get(id)?.events ?? []
    for (const event of events) {
      const same = JSON.stringify(event) === JSON.stringify(written[event.seq - 1])
      judge.require(same, 'damage-found', () => `${id}: event ${event.seq} was read as ${JSON.stringify(event)}`)
    }
  }

  /** A process got `ok` for an append, or a caller was told what the log has. */
  acknowledged(id: string, seq: number): void {
    const { judge } = this.#world
    const safe = this.standby?.has(id, seq) ?? true
    judge.require(safe, 'acknowledged-safe', () => `${id}: ${seq} was acknowledged, and the standby does not have it`)
  }

  /** Whether this log may stay as it is, because it is damaged. */
  excuses({ id }: Pick<ConversationRecord, 'id'>): boolean {
    return this.damage?.has(id) === true
  }

  checkAtRest(): void {
    const { judge, nodes } = this.#world
    this.reports.checkAtRest((id) => nodes.some((node) => node.id === id && node.runtime && !node.closing))
    const silent = [...this.#met].filter((id) => !this.#reported.has(id))
    judge.require(silent.length === 0, 'damage-told', () => `met and never reported: ${silent.join(', ')}`)
  }
}
