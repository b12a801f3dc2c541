/**
 * A log that is in this process's memory, and its driver.
 *
 * | phase      | what happens                                         | next                                            |
 * |---|---|---|
 * | `resting`  | no driver works here                                 | `driving` by `drive` or `pump`; `closing`; `left` |
 * | `driving`  | one driver works; every caller waits for it          | `resting` when it is done, `failed` when it threw |
 * | `failed`   | the driver threw; the runtime waits, longer each time | `driving` by `pump` after the pause              |
 * | `closing`  | the driver finishes what is under way; nothing starts | final                                           |
 * | `left`     | not in memory any more: another object may replace it | final                                           |
 *
 * A process that may drive it in the background has a node (`LogHost.node`). It owns the log while `Log.drivable`. A *takeover*
 * asks the store for a log whose owner is gone. While the store's answer to a takeover is unknown, the log stays in memory.
 *
 * Invariants:
 * 1. One driver at a time.
 * 2. A log that a caller uses, that is driven, in doubt or being taken over is not `idle`, and stays in memory.
 */
import { HoldpointError } from '@holdpoint/core/internal/failure'
import type { LogEvent } from '@holdpoint/core/internal/log/log-event'
import type { MachineEffect, MachineState } from '@holdpoint/core/internal/log/machine'
import { OVER } from '@holdpoint/core/internal/ports'
import { RepeatedProblem } from './repeated-problem.ts'
import { Watchers } from './watchers.ts'
import { Driver } from '../drive/driver.ts'
import type { LogListener } from './log-options.ts'
import type { Log } from './log.ts'
import type { Performer } from '../drive/performer.ts'
import { LazyAbortController } from '../drive/lazy-abort-controller.ts'
import type { LogHost } from '../drive/log-host.ts'

type Phase<S extends MachineState, F extends MachineEffect> =
  | { readonly at: 'resting' }
  | { readonly at: 'driving'; readonly driver: Driver<S, F> }
  | { readonly at: 'failed' }
  | { readonly at: 'closing'; readonly driver: Driver<S, F> | undefined }
  | { readonly at: 'left' }

const LONGEST_PAUSE = 60_000
/** A store that is away may be back at any time, and work must then go on within 5 s. */
const STORE_PAUSE = 2000
const RESTING = { at: 'resting' } as const

export abstract class ActiveLog<
  S extends MachineState,
  F extends MachineEffect,
  L extends Log<S, F> = Log<S, F>,
> implements LogListener {
  readonly log: L
  /** The subscribers in this process. */
  readonly watchers: Watchers = new Watchers()
  /** When it was last used, in monotonic time. */
  usedAt: number
  protected readonly host: LogHost
  #phase: Phase<S, F> = RESTING
  /** Whether this process may own the log without knowing it, because the answer to its takeover was lost. Then no other process takes care of it. */
  #takingOver: boolean
  #uses = 0
  /** What the store lost last of the log. */
  protected loss: HoldpointError | undefined
  /** How often driving in the background failed in a row. */
  #failures = 0
  #storeAway: RepeatedProblem | undefined
  /** The loop that drives in the background, with its pauses after failures. */
  #background: Promise<void> | undefined
  /** Resolves for callers that wait for a change. */
  #waiting: PromiseWithResolvers<void> | undefined
  readonly #closing = new LazyAbortController()

  constructor(log: L, host: LogHost) {
    this.log = log
    this.host = host
    this.usedAt = host.ports.monotonic()
    // Another process drives it, or this process does: by an append that was written after its caller gave up.
    this.#takingOver = host.node !== undefined && log.hasWork
    log.listen(this)
  }

  /** Performs the effects of the machine for one driver. */
  protected abstract performer(): Performer<S, F>

  /** Appends what is due by the clock: expired holds, plans. */
  protected abstract settleDue(): Promise<void>

  /** Work in the background that keeps it in memory. */
  protected get busy(): boolean {
    return false
  }

  /** Waits for resolutions that are being appended: they may give the driver more work. */
  protected async answersOnTheirWay(): Promise<void> {}

  get takingOver(): boolean {
    return this.#takingOver
  }

  /** Whether it can leave memory: the store has everything. */
  get idle(): boolean {
    return this.#uses === 0 && !this.#background && !this.log.inDoubt && !this.#takingOver && !this.busy
  }

  protected get isDriven(): boolean {
    return this.driver !== undefined
  }

  /** The driver that works here. */
  get driver(): Driver<S, F> | undefined {
    return 'driver' in this.#phase ? this.#phase.driver : undefined
  }

  appended(event: LogEvent): void {
    this.watchers.show(event)
    this.#changed()
  }

  wrote(_events: readonly LogEvent[]): void {}

  othersWrote(): void {
    this.wake()
  }

  /** The store may have lost the takeover, and not the name of the owner. Then no other process takes care of the log. */
  fenced(): void {
    this.#takingOver = this.host.node !== undefined
  }

  /** What callers wait for may be gone. The work of the driver follows from events that are gone. */
  rolledBack(error: HoldpointError): void {
    this.loss = error
    this.fenced()
    this.driver?.abandon()
    this.#changed()
  }

  /** Another writer appended: the driver looks again. */
  wake(): void {
    this.driver?.wake()
  }

  /** Keeps it in memory during the work, and drives what follows from it. */
  async use<T>(work: () => Promise<T>): Promise<T> {
    this.#uses++
    const release = this.host.ports.keepAlive?.()
    try {
      return await work()
    } finally {
      release?.()
      this.#uses--
      this.usedAt = this.host.ports.monotonic()
      this.pump()
    }
  }

  /** Drives until there is nothing left to do here. A caller that comes while a driver works wakes it and waits for it. */
  async drive(steps: 'all' | 'one-step'): Promise<void> {
    const current = this.driver
    if (current?.wake(steps === 'all' ? 'all' : undefined)) {
      await current.done
      return
    }
    const closing = this.#phase.at === 'closing'
    const { loss } = this
    // The driver works at once. Its work may need room in memory for another log, and this one must stay.
    this.#uses++
    const driver = new Driver(this.log, this.performer(), this.host, closing ? 'draining' : steps)
    this.#phase = { at: closing ? 'closing' : 'driving', driver }
    try {
      const seq = await driver.done
      this.#rest(driver)
      if (seq === 'left' && loss === this.loss) return
      await this.answersOnTheirWay()
      const more = steps === 'all' && this.log.state.seq !== seq && this.log.drivable && this.#phase.at === 'resting'
      if (more) await this.drive(steps)
    } finally {
      this.#uses--
      this.#rest(driver)
    }
  }

  #rest(driver: Driver<S, F>): void {
    if (this.driver !== driver) return
    if (this.#phase.at === 'closing') this.#phase = { at: 'closing', driver: undefined }
    else this.#phase = RESTING
  }

  /** Drives in the background if there is work and this process owns the log. */
  pump(): void {
    const { node } = this.host
    const due = node !== undefined && this.log.drivable && this.log.hasWork
    if (this.#closing.aborted || this.#background || !due) return this.#wakeAtDeadline()
    const release = this.host.ports.keepAlive?.()
    this.#background = this.#driveInBackground().finally(() => {
      release?.()
      this.#background = undefined
      this.usedAt = this.host.ports.monotonic()
      this.#changed()
      this.pump()
    })
  }

  async #driveInBackground(): Promise<void> {
    try {
      await this.drive('all')
      this.#failures = 0
      this.#storeAway = undefined
    } catch (error) {
      // Our code or a plugin's threw, or the store is away. Waiting callers get the error, and the runtime tries again.
      if (this.#closing.aborted && HoldpointError.is(error) && error.code === 'closed') return
      this.#failures++
      const away = HoldpointError.is(error) && error.code === 'store-unavailable'
      if (away) this.#tellStoreAway(error)
      else this.host.problem?.(error, this.log.address)
      this.#fail(error)
      if (this.#phase.at === 'resting') this.#phase = { at: 'failed' }
      const pause = Math.min(1000 * 2 ** (this.#failures - 1), away ? STORE_PAUSE : LONGEST_PAUSE)
      await this.host.ports.sleep(pause, this.#closing.signal)
      if (this.#phase.at === 'failed') this.#phase = RESTING
    }
  }

  #tellStoreAway(error: unknown): void {
    const { host, log } = this
    this.#storeAway ??= new RepeatedProblem(
      (failure) => host.problem?.(failure, log.address),
      () => host.ports.monotonic(),
    )
    this.#storeAway.failed(error)
  }

  /** Waits until the condition holds or no work is left. Throws when driving here fails. */
  async quiet(isOver: (state: S) => boolean): Promise<void> {
    for (this.pump(); this.log.hasWork && !isOver(this.log.state);) await this.#change()
  }

  /**
   * Looks after the log for the scheduler: reads on, settles what is due, and takes over the log if its owner is gone.
   * False when there was nothing to do.
   */
  async look(): Promise<boolean> {
    const { seq } = this.log.state
    await this.log.refresh()
    await this.settleDue()
    this.wake()
    // Another process may have appended to a log that this process owned. It must read that before it may take over the log.
    await this.log.announced(seq)
    const epoch = await this.#takeOver()
    if (epoch !== undefined) await this.log.takeOver(epoch, this.#closing)
    this.wake()
    return this.log.state.seq > seq || epoch !== undefined
  }

  async #takeOver(): Promise<number | undefined> {
    const { store, node } = this.host
    if (node === undefined || !this.log.hasWork) {
      this.#takingOver = false
      return undefined
    }
    // A takeover whose answer was lost may have succeeded in the store, whatever older answers say about the epoch.
    if (this.log.epoch !== undefined && !this.#takingOver) return undefined
    this.#takingOver = true
    const epoch = await store.takeOver(this.log.address, node)
    this.#takingOver = false
    return epoch
  }

  /** The log leaves memory. From now on, another object may drive it. */
  leave(): void {
    this.#closing.abort(OVER)
    this.#phase = { at: 'left' }
  }

  /** Finishes what is under way and starts nothing new. */
  drain(): void {
    if (this.#phase.at === 'closing' || this.#phase.at === 'left') return
    const { driver } = this
    this.#phase = { at: 'closing', driver }
    driver?.drain()
  }

  /** Finishes work under way, and abandons it when the grace is over. */
  async close(grace: Promise<unknown>): Promise<void> {
    this.#closing.abort(OVER)
    this.#fail(closed())
    this.drain()
    await Promise.race([this.#background, grace])
    this.driver?.abandon()
    await this.#background
  }

  #wakeAtDeadline(): void {
    const deadlines = this.log.machine.deadlines(this.log.state)
    if (deadlines.length > 0) this.host.wakeAt(Math.min(...deadlines))
  }

  #change(): Promise<void> {
    if (this.#closing.aborted) return Promise.reject(closed())
    this.#waiting ??= Promise.withResolvers<void>()
    return this.#waiting.promise
  }

  #changed(): void {
    this.#waiting?.resolve()
    this.#waiting = undefined
  }

  #fail(error: unknown): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    waiting?.promise.catch(() => {}) // waiting callers get the error; without a caller, it was reported before
    waiting?.reject(error)
  }
}

function closed(): HoldpointError {
  return new HoldpointError(
    'closed',
    'This runtime was closed. The conversation continues in the next process that opens it.',
  )
}
