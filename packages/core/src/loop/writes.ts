/**
 * Gets writes into the store: the same one again until the store knows what became of it, so that it happens once. What
 * the store says of who drives comes with its answers, and is kept here.
 */
import { HoldpointError, messageOf } from '../failure.ts'
import type { Append, Appended, Store } from '../log/store.ts'
import type { Ports } from '../ports.ts'
import { Ownership } from './ownership.ts'
import type { Stop } from './stop.ts'

/** On whose behalf something is written: whoever drives must hold the newest epoch, everybody else need not. */
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
  /** Given up without knowing whether they happened: if they did, it may be for us to drive. */
  readonly #doubtful = new Map<Append, { answeredAt?: number }>()

  /** `patienceMs`: how long an outsider waits for a store that does not answer. `stuck` hears of a driver that waits on. */
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

  /** The store has to be asked what became of a write, or who drives. */
  get inDoubt(): boolean {
    return this.ownership.uncertain || this.#doubtful.size > 0
  }

  async write(write: Append, writer: Writer): Promise<Known> {
    this.#underWay++
    let fate = 'failed' as keyof typeof MAY_BE
    const known = (answer: Appended): Known => {
      if (answer.result !== 'failed' && answer.result !== 'unknown') return answer
      // That it is not written now says nothing about the time before.
      if (answer.result === 'unknown') fate = 'unknown'
      throw new HoldpointError('store-unavailable', `${MAY_BE[fate]} The store says: ${answer.why}`)
    }
    try {
      return await this.patiently(() => this.#give(write).then(known), writer)
    } catch (error) {
      if (fate === 'unknown') this.#doubtful.set(write, {})
      throw error
    } finally {
      this.#underWay--
    }
  }

  /** Nearly always it works at once, and then that is all there is to it. */
  patiently<T>(work: () => Promise<T>, writer: Writer): Promise<T> {
    const since = this.#ports.monotonic()
    return work().catch((error: unknown) => this.#again(work, writer, since, error))
  }

  /**
   * A driver has all the time it needs: what it wants to write happened, and must not be lost. That it waits is told now
   * and then. An outsider waits a while, and a store that takes its time to say no uses that up too.
   */
  async #again<T>(work: () => Promise<T>, writer: Writer, since: number, failed: unknown): Promise<T> {
    const { monotonic, sleep } = this.#ports
    const driver = writer.as === 'driver'
    const signal = driver ? writer.stop.signal : NEVER
    let error = failed
    for (let pause = 20, tellAfter = PATIENCE_MS; ; pause = Math.min(pause * 2, 2000)) {
      const waited = monotonic() - since
      if (signal.aborted || (!driver && waited >= this.#patienceMs) || isImpossible(error)) throw error
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
   * The log has reached this seq, so what was given up before it can be asked about: it is not written now. What is not
   * there although the store answers was lost on its way; after a while it is not waited for any more.
   */
  async clearUp(seq: number): Promise<void> {
    const now = this.#ports.monotonic()
    for (const [write, doubt] of this.#doubtful) {
      if (write.expectedSeq >= seq) {
        doubt.answeredAt ??= now
        if (now - doubt.answeredAt >= LONGEST_WAY) this.#doubtful.delete(write)
        continue
      }
      await this.#ask(write)
      this.#doubtful.delete(write)
    }
  }

  /** Whether it is still for us to drive, if there is reason to doubt it. */
  async askWhoDrives(): Promise<void> {
    const { uncertain, proof } = this.ownership
    if (uncertain && proof) await this.#ask(proof)
  }

  async #ask(write: Append): Promise<void> {
    const answer = await this.#give(write)
    if (answer.result === 'failed' || answer.result === 'unknown')
      throw new HoldpointError('store-unavailable', `The store says: ${answer.why}`)
  }

  async #give(write: Append): Promise<Appended> {
    const { doubts } = this.ownership
    let answer: Appended
    try {
      answer = await this.#store.append(write)
    } catch (error) {
      answer = lost(error)
    }
    if (answer.result === 'ok') this.ownership.told(answer, doubts, write)
    if (answer.result === 'fenced') this.ownership.fenced(write.epoch)
    return answer
  }
}

/** A server that does not hear of its client any more gives up what it was asked well before that. */
const LONGEST_WAY = 60_000
const PATIENCE_MS = 10_000
/** Nobody tells an outsider to stop. */
const NEVER = new AbortController().signal
const TELL_EVERY_MS = 60_000

const MAY_BE = {
  failed: 'Nothing was written: the store could not. Try again later.',
  unknown: 'It is not known whether this was written. Ask again: what was taken already is recognised.',
} as const

/** A log that cannot have happened does not get better by reading it again. */
function isImpossible(error: unknown): boolean {
  return HoldpointError.is(error) && error.code === 'history-impossible'
}

function lost(error: unknown): Extract<Appended, { result: 'unknown' }> {
  return { result: 'unknown', why: messageOf(error) }
}
