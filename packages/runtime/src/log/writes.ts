/**
 * Writes appends to the store. Each append has a mark, and is repeated until the store says whether it was written, so it is
 * written once.
 *
 * | state of an append | entered by                                   | left by                                           |
 * |---|---|---|
 * | `under way`  | `write`                                            | a known answer (`ok`, `conflict`, `fenced`, `repeated`) |
 * | `retrying`   | `failed` or `unknown`                              | a known answer; an outsider gives up after `patienceMs`, a driver when it is stopped |
 * | `doubtful`   | given up after an `unknown`: it may be in the log  | `clearUp`: the log has passed its seq, or it was on its way too long |
 *
 * The store's answers also name the owner of the log: see `ownership`.
 */
import { HoldpointError, messageOf, type FailureCode } from '@holdpoint/core/internal/failure'
import type { LogEvent } from '@holdpoint/core/internal/log/log-event'
import type { Append, Appended, Store } from '@holdpoint/core/internal/log/store'
import type { Ports } from '@holdpoint/core/internal/ports'
import { Ownership } from './ownership.ts'
import type { LazyAbortController } from '../drive/lazy-abort-controller.ts'

/** A driver's append must carry the newest epoch. Any other writer only has to append at the newest seq. */
export type Writer =
  | { readonly as: 'driver'; readonly epoch: number | undefined; readonly stop: Pick<LazyAbortController, 'signal'> }
  | { readonly as: 'outsider'; readonly key?: string }

type Known = Extract<Appended, { result: 'ok' | 'conflict' | 'fenced' | 'repeated' }>

export class Writes {
  ownership: Ownership = new Ownership()
  readonly #store: Store
  readonly #ports: Ports
  readonly #patienceMs: number
  readonly #stuck: (error: unknown) => void
  #underWay = 0
  /** Appends that were given up and may have been written: if one was, this process may be the owner. */
  readonly #doubtful = new Map<Append, { answeredAt?: number }>()

  /** `patienceMs`: how long a caller waits for a store that does not answer. `stuck` is called while a driver waits longer. */
  constructor(
    store: Store,
    ports: Ports,
    patienceMs: number = PATIENCE_MS,
    stuck: (error: unknown) => void = () => {},
  ) {
    this.#store = store
    this.#ports = ports
    this.#patienceMs = patienceMs
    this.#stuck = stuck
  }

  get underWay(): boolean {
    return this.#underWay > 0
  }

  /** The store has to be asked about a doubtful append, or about the owner. */
  get inDoubt(): boolean {
    return this.ownership.uncertain || this.#doubtful.size > 0
  }

  /** The store lost events: what it said about owners and appends does not hold any more. */
  forget(): void {
    this.ownership = new Ownership()
    this.#doubtful.clear()
  }

  async write(write: Append, writer: Writer): Promise<Known> {
    this.#underWay++
    let fate = 'failed' as keyof typeof MAY_BE
    const known = (answer: Appended): Known => {
      if (answer.result !== 'failed' && answer.result !== 'unknown') return answer
      // A later `failed` says nothing about an earlier try that was `unknown`.
      if (answer.result === 'unknown') fate = 'unknown'
      throw new HoldpointError('store-unavailable', `${MAY_BE[fate]} The store says: ${answer.why}`)
    }
    try {
      return await this.retrying(() => this.#give(write).then(known), writer)
    } catch (error) {
      if (fate === 'unknown') this.#doubtful.set(write, {})
      throw error
    } finally {
      this.#underWay--
    }
  }

  /** The first try is cheap, because it nearly always succeeds. */
  retrying<T>(work: () => Promise<T>, writer: Writer): Promise<T> {
    const since = this.#ports.monotonic()
    return work().catch((error: unknown) => this.#again(work, writer, since, error))
  }

  /**
   * A driver retries until it is stopped: its events happened and must not be lost. `stuck` is called from time to time. A
   * caller gives up after `patienceMs`, which includes the time that the store takes to fail.
   */
  async #again<T>(work: () => Promise<T>, writer: Writer, since: number, failed: unknown): Promise<T> {
    const { monotonic, sleep } = this.#ports
    const driver = writer.as === 'driver'
    const signal = driver ? writer.stop.signal : NEVER
    let error = failed
    for (let pause = 20, tellAfter = PATIENCE_MS; ; pause = Math.min(pause * 2, 2000)) {
      const waited = monotonic() - since
      if (signal.aborted || (!driver && waited >= this.#patienceMs) || isFinal(error)) throw error
      if (driver && waited >= tellAfter) {
        this.#stuck(error)
        tellAfter = waited + TELL_EVERY_MS
      }
      await sleep(pause, signal)
      try {
        return await work()
      } catch (again) {
        error = again
      }
    }
  }

  /**
   * The log has reached this seq, so the store can be asked about doubtful appends below it. A doubtful append above it may
   * still arrive for a while (`LONGEST_WAY`), and is then given up as lost. `written` gets the events of each append that was
   * written.
   */
  async clearUp(seq: number, written: (events: readonly LogEvent[]) => void): Promise<void> {
    const now = this.#ports.monotonic()
    for (const [write, doubt] of this.#doubtful) {
      if (write.expectedSeq >= seq) {
        doubt.answeredAt ??= now
        if (now - doubt.answeredAt >= LONGEST_WAY) this.#doubtful.delete(write)
        continue
      }
      const answer = await this.#ask(write)
      // Two callers may clear up at the same time and both ask. Only the first one calls `written`.
      if (this.#doubtful.delete(write) && answer.result === 'ok') written(answer.events)
    }
  }

  /** Asks the store whether this process is still the owner, if there is reason to doubt it. */
  async confirmOwner(): Promise<void> {
    const { uncertain, proof } = this.ownership
    if (uncertain && proof) await this.#ask(proof)
  }

  async #ask(write: Append): Promise<Known> {
    const answer = await this.#give(write)
    if (answer.result === 'failed' || answer.result === 'unknown')
      throw new HoldpointError('store-unavailable', `The store says: ${answer.why}`)
    return answer
  }

  async #give(write: Append): Promise<Appended> {
    const { ownership } = this
    const { doubts } = ownership
    let answer: Appended
    try {
      answer = await this.#store.append(write)
    } catch (error) {
      answer = { result: 'unknown', why: messageOf(error) }
    }
    if (answer.result === 'ok') ownership.answered(answer, doubts, write)
    if (answer.result === 'fenced') ownership.fenced(write.epoch)
    return answer
  }
}

/** Longer than any server works on a request whose client is gone. */
const LONGEST_WAY = 60_000
const PATIENCE_MS = 10_000
/** For callers, which are not stopped. */
const NEVER = new AbortController().signal
const TELL_EVERY_MS = 60_000

const MAY_BE = {
  failed: 'Nothing was written: the store failed. Try again later.',
  unknown: 'It is not known whether this was written. A retry with the same idempotency key is written once.',
} as const

/** Reading a damaged log, or the log of another machine, again does not help. */
function isFinal(error: unknown): boolean {
  return HoldpointError.is(error) && FINAL.has(error.code)
}

const FINAL: ReadonlySet<string> = new Set<FailureCode>([
  'history-impossible',
  'log-damaged',
  'store-unusable',
  'config-invalid',
])
