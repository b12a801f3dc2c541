/**
 * Gets appends into the store. Each has a mark, and the same append is given again until the store says whether it
 * happened, so it happens once.
 *
 * | state of an append | entered by                                   | left by                                           |
 * |---|---|---|
 * | `under way`  | `write`                                            | a known answer (`ok`, `conflict`, `fenced`, `repeated`) |
 * | `retrying`   | `failed` or `unknown`                              | a known answer; an outsider gives up after `patienceMs`, a driver when it is stopped |
 * | `doubtful`   | given up after an `unknown`: it may be in the log  | `clearUp`: the log has passed its seq, or it was on its way too long |
 *
 * The store's answers name the owner of the log, which `ownership` keeps.
 */
import { HoldpointError, messageOf } from '../failure.ts'
import type { LogEvent } from '../log/log-event.ts'
import type { Append, Appended, Store } from '../log/store.ts'
import type { Ports } from '../ports.ts'
import { Ownership } from './ownership.ts'
import type { Stop } from './stop.ts'

/** A driver's append must carry the newest epoch. Any other writer only has to append at the newest seq. */
export type Writer =
  | { readonly as: 'driver'; readonly epoch: number | undefined; readonly stop: Pick<Stop, 'signal'> }
  | { readonly as: 'outsider'; readonly key?: string }

type Known = Extract<Appended, { result: 'ok' | 'conflict' | 'fenced' | 'repeated' }>

export class Writes {
  readonly ownership: Ownership = new Ownership()
  readonly #store: Store
  readonly #ports: Ports
  readonly #patienceMs: number
  readonly #stuck: (error: unknown) => void
  #underWay = 0
  /** Appends that were given up without knowing whether they happened: if one did, this process may be the owner. */
  readonly #doubtful = new Map<Append, { answeredAt?: number }>()

  /** `patienceMs`: how long an outsider waits for a store that does not answer. `stuck` is told of a driver that waits on. */
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

  /** Nearly always the first try works. */
  retrying<T>(work: () => Promise<T>, writer: Writer): Promise<T> {
    const since = this.#ports.monotonic()
    return work().catch((error: unknown) => this.#again(work, writer, since, error))
  }

  /**
   * A driver retries until it is stopped: its events happened and must not be lost. `stuck` is told now and then. An
   * outsider gives up after `patienceMs`, which a store that is slow to refuse uses up too.
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
   * The log has reached this seq, so the store can be asked about doubtful appends before it. An append that is still not
   * there although the store answers was lost on its way; after a while it is no longer expected. `written` is called with
   * the events of each append that turns out to be written.
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
      // Two callers that clear up at the same time ask twice: the first one tells.
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
    const { doubts } = this.ownership
    let answer: Appended
    try {
      answer = await this.#store.append(write)
    } catch (error) {
      answer = { result: 'unknown', why: messageOf(error) }
    }
    if (answer.result === 'ok') this.ownership.answered(answer, doubts, write)
    if (answer.result === 'fenced') this.ownership.fenced(write.epoch)
    return answer
  }
}

/** A server that lost its client gives up what it was asked well before that. */
const LONGEST_WAY = 60_000
const PATIENCE_MS = 10_000
/** No one stops an outsider. */
const NEVER = new AbortController().signal
const TELL_EVERY_MS = 60_000

const MAY_BE = {
  failed: 'Nothing was written: the store could not. Try again later.',
  unknown: 'It is not known whether this was written. Ask again: what was taken already is recognised.',
} as const

/** Reading a damaged log, or the log of another machine, again does not help. */
function isFinal(error: unknown): boolean {
  return HoldpointError.is(error) && (error.code === 'history-impossible' || error.code === 'config-invalid')
}
