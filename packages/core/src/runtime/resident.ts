/**
 * A conversation that is in this process's memory at the moment. It is driven in the background while it is this node's
 * to drive; whoever waits for it waits for the log, wherever it is driven.
 */
import { HoldpointError } from '../failure.ts'
import type { Store } from '../log/store.ts'
import type { LiveConversation } from '../loop/live-conversation.ts'
import type { Log } from '../loop/log.ts'
import { Stop } from '../loop/stop.ts'
import { OVER, type Ports } from '../ports.ts'
import { deadlinesOf, hasWork } from '../turn/derive.ts'
import { lookAt } from '../turn/hold.ts'
import type { Conversation } from '../turn/turn-state.ts'
import { giveUpAbsent } from './absence.ts'

export interface Neighbours {
  readonly store: Store
  readonly ports: Ports
  /** Undefined when this process does not drive at all. */
  readonly node: string | undefined
  /** Somebody should look at this conversation at that time. */
  wakeAt(at: number): void
  /** There is nothing to do here before that time, although it is due. */
  putOff(until: number): void
  /** When a client that can carry this tool out was last there. */
  clientSeenAt(tool: string, place?: string): Promise<number>
  failed(error: unknown): void
}

const LONGEST_PAUSE = 60_000

export class Resident {
  readonly live: LiveConversation
  /** When it was last of use, in monotonic time. */
  usedAt: number
  readonly #near: Neighbours
  /** A claim of ours may have been made without our hearing of it. Nobody else would look: its owner, we, lives. */
  claiming = false
  #uses = 0
  #driving: Promise<void> | undefined
  #failures = 0
  readonly #closing = new Stop()
  /** Those who wait for something to change. */
  #waiting: PromiseWithResolvers<void> | undefined

  constructor(live: LiveConversation, near: Neighbours) {
    this.live = live
    this.#near = near
    this.usedAt = near.ports.monotonic()
    // It goes on somewhere, or is ours by a write that came so late that nobody waited for it any more.
    this.claiming = near.node !== undefined && hasWork(live.log.state)
    live.log.listen((event) => {
      if (event.type === 'call.held') near.wakeAt(lookAt(event.hold))
      if (event.type === 'plan.set') near.wakeAt(event.plan.nextAt)
      if (event.type === 'plan.fired' && event.next !== undefined) near.wakeAt(event.next)
      this.#changed()
    })
  }

  get log(): Log {
    return this.live.log
  }

  /** Nobody needs it in memory: it can be read again whenever somebody does. */
  get idle(): boolean {
    return this.#uses === 0 && !this.#driving && !this.log.inDoubt && !this.claiming && !this.live.busy
  }

  /** Keeps it in memory while something is done with it, and sees to what follows. */
  async use<T>(work: (live: LiveConversation) => Promise<T>): Promise<T> {
    this.#uses++
    try {
      return await work(this.live)
    } finally {
      this.#uses--
      this.usedAt = this.#near.ports.monotonic()
      this.pump()
    }
  }

  /** Goes on in the background, if there is anything to do and it is ours to do. */
  pump(): void {
    const { log } = this
    const ours = this.#near.node !== undefined && log.drivable
    // What became of the last write may still come out.
    if (!log.inDoubt && (!hasWork(log.state) || log.epoch === undefined)) this.live.letGo()
    if (this.#closing.aborted || this.#driving || !ours || !hasWork(log.state)) return this.#plan()
    this.#driving = this.#drive().finally(() => {
      this.#driving = undefined
      this.usedAt = this.#near.ports.monotonic()
      this.#changed()
      this.pump()
    })
  }

  /** Until this turn is over, or nothing is left to do but for people, clients and services outside. Fails when driving here does. */
  async quiet(ownTurn: () => string | undefined): Promise<void> {
    const over = ({ turn }: Conversation): boolean => {
      const turnId = turn.phase === 'rest' ? undefined : turn.turnId
      return ownTurn() !== undefined && ownTurn() !== turnId
    }
    for (this.pump(); hasWork(this.log.state) && !over(this.log.state);) await this.#change()
  }

  /** Reads on, settles what expired or whose client stays away, and takes the conversation over if nobody is at it. False when there was nothing to do. */
  async look(): Promise<boolean> {
    const { seq } = this.log.state
    await this.live.expire()
    const near = this.#near
    const now = (): number => near.ports.now()
    const later = await giveUpAbsent(this.log, now, (tool, place) => near.clientSeenAt(tool, place))
    if (later !== undefined) near.putOff(later)
    // It may have been ours, and have been set going by others since: only who knows that claims it.
    await this.log.heard(seq)
    const epoch = await this.#claim()
    if (epoch !== undefined) await this.log.takeOver(epoch, this.#closing)
    this.live.driver?.wake()
    return this.log.state.seq > seq || epoch !== undefined
  }

  async #claim(): Promise<number | undefined> {
    const { store, node } = this.#near
    if (node === undefined || !hasWork(this.log.state)) {
      this.claiming = false
      return undefined
    }
    // One of ours that nobody heard of stands in the store, whatever an older answer that came since says of an epoch.
    if (this.log.epoch !== undefined && !this.claiming) return undefined
    this.claiming = true
    const epoch = await store.claim(this.log.address, node)
    this.claiming = false
    return epoch
  }

  /** It is not kept in memory any more: whatever it still hears, another one may drive in its place. */
  leave(): void {
    this.#closing.abort(OVER)
  }

  /** Finishes what is under way, or leaves it when that takes too long. */
  async close(grace: Promise<unknown>): Promise<void> {
    this.#closing.abort(OVER)
    this.#fail(closed())
    this.live.drain()
    // What was begun before it was written is known to nobody else.
    if (await Promise.race([this.live.hasBegun(), grace])) this.#driving ??= this.#drive()
    await Promise.race([this.#driving, grace])
    this.live.abandon()
    await this.#driving
  }

  async #drive(): Promise<void> {
    try {
      await this.live.driveOn(false)
      this.#failures = 0
    } catch (error) {
      // Our own code broke, or a plugin's; or the store is away. Whoever waits is told, and it is tried again.
      if (this.#closing.aborted && HoldpointError.is(error) && error.code === 'closed') return
      this.#failures++
      this.#near.failed(error)
      this.#fail(error)
      const pause = Math.min(1000 * 2 ** (this.#failures - 1), LONGEST_PAUSE)
      await this.#near.ports.sleep(pause, this.#closing.signal)
    }
  }

  #plan(): void {
    const deadlines = deadlinesOf(this.log.state)
    if (deadlines.length > 0) this.#near.wakeAt(Math.min(...deadlines))
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
    waiting?.promise.catch(() => {}) // whoever waits hears of it; if nobody does, it was reported
    waiting?.reject(error)
  }
}

function closed(): HoldpointError {
  return new HoldpointError('closed', 'This runtime was closed; the conversation goes on where it is opened next.')
}
