/**
 * The newest heads of a log that this process knows. The last one is where its state is. After the store lost writes, the others tell
 * how many events are gone.
 */
import { NO_HASH, type Head } from '@holdpoint/core/internal/log/chain'
import { HoldpointError } from '@holdpoint/core/internal/failure'
import type { Address, Appended, Store } from '@holdpoint/core/internal/log/store'

const KEPT = 32
const EMPTY: Head = { seq: 0, hash: NO_HASH }

/** The store does not have events that it had acknowledged. */
export class EventsLost extends HoldpointError {
  readonly events: number

  constructor(message: string, events: number) {
    super('store-rolled-back', message)
    this.events = events
  }
}

type Written = Extract<Appended, { readonly result: 'ok' }>

interface KnownHead extends Head {
  /** The seq before its batch, if that is known: a read may have returned several batches at once. */
  readonly after?: number
}

export class KnownHeads {
  #heads: KnownHead[] = [EMPTY]

  get newest(): Head {
    return this.#heads.at(-1)!
  }

  /**
   * Whether the state, which is at this seq, may have other events than an append that was written now: the store may have lost those
   * events after this process had read them.
   */
  mayContradict(written: Written, seq: number): boolean {
    const { seq: end, hash } = headOf(written)
    return (
      (written.events[0]?.seq ?? Infinity) <= seq && !this.#heads.some((each) => each.seq === end && each.hash === hash)
    )
  }

  /** What comes before this head is not known. */
  begin({ seq, hash }: Head = EMPTY): void {
    this.#heads = [{ seq, hash }]
  }

  /** `after`: the seq before its batch. Left out when it is not known. */
  add({ seq, hash }: Head, after?: number): void {
    this.#heads.push({ seq, hash, ...(after !== undefined && { after }) })
    if (this.#heads.length > KEPT) this.#heads.shift()
  }

  /** The problem to report when the store does not have the newest head any more. */
  async problem(store: Store, address: Address): Promise<EventsLost> {
    let kept: Head | undefined
    let lostFirst: KnownHead = this.newest
    for (const head of this.#heads.toReversed()) {
      if (head.seq === 0 || (await has(store, address, head))) {
        kept = head
        break
      }
      lostFirst = head
    }
    const lost = this.newest.seq - (kept?.seq ?? this.#heads[0]!.seq - 1)
    const count = kept ? `${await this.#about(store, address, kept, lostFirst)}${lost}` : `at least ${lost}`
    const events = lost === 1 ? `${count} acknowledged event` : `${count} acknowledged events`
    return new EventsLost(
      `The store has lost ${events} of "${address.id}", which this process had at seq ${this.newest.seq}. It continues from ` +
        'what the store has now. Check for a fail-over that lost writes, a restored backup, or two servers that both accept writes.',
      lost,
    )
  }

  /** The store may still have some of the batches between the two heads. This process does not know their hashes. */
  async #about(store: Store, address: Address, kept: Head, lostFirst: KnownHead): Promise<'' | 'at most '> {
    if (lostFirst.after === kept.seq) return ''
    const [next] = await store.batches(address, kept.seq, 1)
    return next ? 'at most ' : ''
  }
}

/** The head that an append led to. */
export function headOf({ events, hash }: Written): Head {
  return { seq: events.at(-1)?.seq ?? 0, hash }
}

async function has(store: Store, address: Address, { seq, hash }: Head): Promise<boolean> {
  const [batch] = await store.batches(address, seq - 1, 1)
  return batch?.seq === seq && batch.hash === hash
}
