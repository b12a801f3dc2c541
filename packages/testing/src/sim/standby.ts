/**
 * A synchronous standby, and the server's sessions that a pooler gives to one application after another.
 *
 * The rules under test are those of the PostgreSQL store: a write is acknowledged once the standby has it, also when it is repeated
 * (`append` with a mark that the log has) and when a caller is only told what the log has (`confirm`); and each request brings its own
 * settings, because the session may have those of another application. What is modelled is what a store sees of them: the standby
 * receives writes in order and late, the server ends the wait although the row stays, and `synchronous_commit` and `lock_timeout` are
 * what the session's last user left.
 */
import type { Append, Appended, Store } from '@holdpoint/core'
import type { Faults } from './faults.ts'
import type { Random } from './random.ts'
import type { Process, Scheduler } from './scheduler.ts'
import { StoreAway } from './store-line.ts'
import type { Truth } from './truth.ts'

interface Settings {
  readonly synchronousCommit: 'on' | 'off'
  /** A lock that another transaction has for a moment makes the statement fail. */
  readonly lockTimeout: 'none' | 'short'
}

/** What a new session has. */
const DEFAULTS: Settings = { synchronousCommit: 'on', lockTimeout: 'none' }
/** What each request sets for itself. */
const OWN: Partial<Settings> = { synchronousCommit: 'on', lockTimeout: 'none' }

/** A request that waits for the standby to have this write. */
interface Waiting {
  readonly write: number
  readonly over: (arrived: boolean) => void
}

const ENDED = 'canceling the wait for synchronous replication'

export class Standby {
  /** How many writes it has. */
  received: number
  readonly #truth: Truth
  readonly #scheduler: Scheduler
  readonly #faults: Faults
  readonly #random: Random
  readonly #process: Process
  #waiting: Waiting[] = []

  constructor(truth: Truth, scheduler: Scheduler, faults: Faults, random: Random) {
    this.#truth = truth
    this.#scheduler = scheduler
    this.#faults = faults
    this.#random = random
    this.#process = scheduler.process('standby')
    this.received = truth.writes
  }

  /** Whether the events of a log up to this seq would survive the loss of the primary. */
  has(conversation: string, seq: number): boolean {
    return this.#truth.writeOf(conversation, seq) <= this.received
  }

  /** The store as its clients see it. */
  store(inner: Store): Store {
    const session = (): Settings => ({ ...DEFAULTS, ...this.#session(), ...OWN })
    return {
      ...inner,
      append: (write) => this.#append(inner, write, session()),
      put: async (put) => {
        const answer = await inner.put(put)
        await this.#orThrow(session())
        return answer
      },
      confirm: () => this.#orThrow(session()),
    }
  }

  /** The primary is lost, and the standby takes its place. */
  async promote(): Promise<void> {
    await this.#truth.rewind(this.received)
    this.received = this.#truth.writes
    for (const { over } of this.#waiting.splice(0)) over(false)
  }

  async #append(inner: Store, write: Append, { synchronousCommit, lockTimeout }: Settings): Promise<Appended> {
    if (lockTimeout === 'short') return { result: 'failed', why: 'canceling statement due to lock timeout' }
    const answer = await inner.append(write)
    if (answer.result !== 'ok' && answer.result !== 'repeated') return answer
    if (synchronousCommit === 'off' || (await this.#wait())) return answer
    return { result: 'unknown', why: ENDED }
  }

  async #orThrow({ synchronousCommit }: Settings): Promise<void> {
    if (synchronousCommit === 'off' || (await this.#wait())) return
    throw new StoreAway(ENDED)
  }

  /** What the last user of the session left. */
  #session(): Partial<Settings> {
    if (!this.#faults.active || !this.#random.chance(0.15)) return {}
    this.#faults.happened('session-mixed')
    return this.#random.chance(0.5) ? { synchronousCommit: 'off' } : { lockTimeout: 'short' }
  }

  /** Waits until the standby has everything that was written so far. False: the server ended the wait. */
  #wait(): Promise<boolean> {
    const { writes, losses } = this.#truth
    if (this.received >= writes) return Promise.resolve(true)
    const late = this.#faults.active && this.#random.chance(0.1)
    if (late) this.#faults.happened('standby-late')
    const delay = late ? this.#random.between(200, 8000) : this.#random.between(0, 5)
    this.#scheduler.add(this.#process, 'receives', delay, () => this.#receive(writes, losses))
    return new Promise((resolve) => {
      const waiting = { write: writes, over: resolve }
      this.#waiting.push(waiting)
      if (late && this.#random.chance(0.5))
        this.#scheduler.add(this.#process, 'wait ends', 100, () => this.#end(waiting))
    })
  }

  #end(waiting: Waiting): void {
    if (!this.#waiting.includes(waiting)) return
    this.#faults.happened('standby-wait-ended')
    this.#waiting = this.#waiting.filter((each) => each !== waiting)
    waiting.over(false)
  }

  #receive(writes: number, losses: number): void {
    if (this.#truth.losses !== losses) return
    this.received = Math.max(this.received, writes)
    const arrived = this.#waiting.filter(({ write }) => write <= this.received)
    this.#waiting = this.#waiting.filter(({ write }) => write > this.received)
    for (const { over } of arrived) over(true)
  }
}
