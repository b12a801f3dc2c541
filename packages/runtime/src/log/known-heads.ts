/**
 * The newest heads of a log that this process knows. The last one is where its state is. After the store lost writes, the others tell
 * how many events are gone.
 */
import { NO_HASH, type Head } from '@holdpoint/core/internal/log/chain'
import { HoldpointError } from '@holdpoint/core/internal/failure'
import type { Address, Store } from '@holdpoint/core/internal/log/store'

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

export class KnownHeads {
  #heads: Head[] = [EMPTY]

  get newest(): Head {
    return this.#heads.at(-1)!
  }

  /** What comes before this head is not known. */
  begin({ seq, hash }: Head = EMPTY): void {
    this.#heads = [{ seq, hash }]
  }

  add({ seq, hash }: Head): void {
    this.#heads.push({ seq, hash })
    if (this.#heads.length > KEPT) this.#heads.shift()
  }

  /** The problem to report when the store does not have the newest head any more. */
  async problem(store: Store, address: Address): Promise<EventsLost> {
    let kept: Head | undefined
    for (const head of this.#heads.toReversed()) {
      if (head.seq > 0 && !(await has(store, address, head))) continue
      kept = head
      break
    }
    const lost = this.newest.seq - (kept?.seq ?? this.#heads[0]!.seq - 1)
    const count = kept ? `${lost}` : `at least ${lost}`
    const events = lost === 1 ? `${count} acknowledged event` : `${count} acknowledged events`
    return new EventsLost(
      `The store has lost ${events} of "${address.id}", which this process had at seq ${this.newest.seq}. It continues from ` +
        'what the store has now. Check for a fail-over that lost writes, a restored backup, or two servers that both accept writes.',
      lost,
    )
  }
}

async function has(store: Store, address: Address, { seq, hash }: Head): Promise<boolean> {
  const [batch] = await store.batches(address, seq - 1, 1)
  return batch?.seq === seq && batch.hash === hash
}
