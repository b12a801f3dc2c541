/**
 * Bits that flip in stored events. The store checks the hash chain of what it reads, as the SQLite store does, so a damaged log is an
 * error of this log only, and no caller sees the wrong events.
 */
import {
  chainText,
  decodeBatch,
  HoldpointError,
  NO_HASH,
  sha256,
  type Address,
  type Batch,
  type LogEvent,
  type Store,
} from '@holdpoint/core'
import type { Random } from './random.ts'

interface Flip {
  /** The seq of the batch before the damaged one. */
  readonly after: number
  readonly at: number
  readonly bit: number
}

export class Damage {
  /** Every log that was ever damaged. */
  readonly ever: Set<string> = new Set()
  readonly #flips = new Map<string, Flip>()
  readonly #inner: Store

  constructor(inner: Store) {
    this.#inner = inner
  }

  has(id: string): boolean {
    return this.#flips.has(id)
  }

  get any(): boolean {
    return this.#flips.size > 0
  }

  /** Flips a bit of a batch of the log, if it has one. */
  async strike(id: string, random: Random): Promise<boolean> {
    const batches = await this.#inner.batches({ tenant: '', id }, 0, Infinity)
    if (batches.length === 0) return false
    // Mostly one of the newest: older ones are before the state that folding starts from.
    const nth = random.chance(0.6) ? Math.max(0, batches.length - random.between(1, 3)) : random.below(batches.length)
    const at = random.below(batches[nth]!.events.length)
    this.#flips.set(id, { after: batches[nth - 1]?.seq ?? 0, at, bit: random.below(7) })
    this.ever.add(id)
    return true
  }

  /** The page is read from another replica. */
  repair(id: string): void {
    this.#flips.delete(id)
  }

  /** The store as its clients see it. */
  store(inner: Store): Store {
    return {
      ...inner,
      load: async (from) => {
        const loaded = await inner.load(from)
        return loaded && { ...loaded, events: await this.#read(from, loaded.events) }
      },
      follow: async (from, head) => {
        const found = await inner.follow(from, head)
        return found && { ...found, events: await this.#read(from, found.events) }
      },
      read: async (from, after, limit) => this.#read(from, await inner.read(from, after, limit)),
      readBack: async (from, before, limit) => this.#read(from, await inner.readBack(from, before, limit)),
      readCall: async (from, callId) => this.#read(from, await inner.readCall(from, callId)),
    }
  }

  /** What a read returns for these events. */
  async #read(from: Address, events: readonly LogEvent[]): Promise<readonly LogEvent[]> {
    const flip = this.#flips.get(from.id)
    if (!flip || events.length === 0) return events
    const [batch] = await this.#inner.batches(from, flip.after, 1)
    if (!batch || !events.some(({ seq }) => seq > flip.after && seq <= batch.seq)) return events
    const damaged = { ...batch, events: flipped(batch.events, flip) }
    const [before] = flip.after === 0 ? [] : await this.#inner.batches(from, flip.after - 1, 1)
    if (!isIntact(before?.hash ?? NO_HASH, damaged))
      throw new HoldpointError(
        'log-damaged',
        `The log of "${from.id}" is damaged: a bit of batch ${batch.seq} flipped.`,
      )
    const wrong = new Map(decodeBatch(damaged).map((event) => [event.seq, event]))
    return events.map((event) => wrong.get(event.seq) ?? event)
  }
}

function isIntact(before: string, batch: Batch): boolean {
  return sha256(chainText(before, batch)) === batch.hash
}

function flipped(text: string, { at, bit }: Flip): string {
  return text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ (1 << bit)) + text.slice(at + 1)
}
