/**
 * Most tests of a store say after which seq they append, and not which hash they follow. Their appends have `AT_HEAD` instead of the
 * hash, and this handle puts in the hash of the batch that ends there: one that was written or is being written through this handle,
 * or else one that the store has.
 */
import { createHash } from 'node:crypto'
import { appendText, encodeBatch, NO_HASH, type Append, type Store } from '@holdpoint/core'

const AT_HEAD = 'at head'

/** The `follows` of an append whose writer knows only the seq. */
export function followsAt(expectedSeq: number): string {
  return expectedSeq === 0 ? NO_HASH : AT_HEAD
}

export function atHead(store: Store): Store {
  /** By conversation and last seq. */
  const hashes = new Map<string, string>()
  const hashOf = async ({ to, expectedSeq }: Append): Promise<string> => {
    const [batch] = await store.batches(to, expectedSeq - 1, 1)
    return batch?.seq === expectedSeq ? batch.hash : NO_HASH
  }
  return {
    ...store,
    append: async (write) => {
      const unknown = write.follows === AT_HEAD
      const follows = unknown ? (hashes.get(placeOf(write, write.expectedSeq)) ?? (await hashOf(write))) : write.follows
      const given: Append = { ...write, follows }
      const place = placeOf(given, given.expectedSeq + given.events.length)
      const hash = hashIfPossible(given)
      if (hash !== undefined && !hashes.has(place)) hashes.set(place, hash)
      const answer = await store.append(given)
      if (answer.result === 'ok') hashes.set(place, answer.hash)
      else if (hashes.get(place) === hash) hashes.delete(place)
      return answer
    },
  }
}

function placeOf({ to }: Append, seq: number): string {
  return JSON.stringify([to.tenant, to.id, seq])
}

/** Undefined for events that are not JSON: the store refuses them. */
function hashIfPossible(write: Append): string | undefined {
  try {
    return createHash('sha256')
      .update(appendText(write, encodeBatch(write.events)))
      .digest('hex')
  } catch {
    return undefined
  }
}
