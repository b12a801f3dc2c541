/**
 * The baseline: handwritten SQL writes the same facts, one row each, in two transactions per turn: the user's message and the
 * calls before the tools run, the results and the text after.
 *
 * It keeps its state in memory, reads nothing, and has no leases, no conflicts and no second process.
 */
import { callIds, conversationId, holdFacts, resolveFacts, turnFacts, type Fact } from './facts.ts'
import { eachTimed, inFlight, timed, type Side } from './side.ts'

/** How the rows of a transaction are written: an insert for each, or one insert for all of them. */
export type RawStyle = 'rows' | 'one'

export interface RawStore {
  /** One transaction, durable when it is over. */
  append(conversation: string, firstSeq: number, facts: readonly Fact[]): Promise<void> | undefined
  close(): Promise<void>
}

export function raw(store: RawStore, calls: number, held: number): Side {
  const heads = new Map<string, number>()
  const nextId = callIds()
  let resolved = 0

  const append = async (conversation: string, facts: readonly Fact[]): Promise<void> => {
    const head = heads.get(conversation) ?? 0
    heads.set(conversation, head + facts.length)
    const appending = store.append(conversation, head + 1, facts)
    if (appending) await appending
  }
  const turn = async (conversation: string): Promise<void> => {
    const [before, after] = turnFacts(calls, nextId)
    await append(conversation, before)
    await append(conversation, after)
  }
  const resolve = async (conversation: string): Promise<void> => {
    const [before, after] = resolveFacts(nextId())
    if (!heads.has(conversation)) heads.set(conversation, holdFacts('').length)
    await append(conversation, before)
    await append(conversation, after)
  }

  return {
    turns: (conversation, count) => eachTimed(count, () => turn(conversation)),
    fresh: (from, count) => eachTimed(count, (nth) => turn(conversationId(from + nth))),
    crowd: async (from, conversations, turns) => {
      const all = Array.from({ length: conversations }, (_, nth) => conversationId(from + nth))
      const took = await timed(() =>
        inFlight(conversations, all, async (id) => {
          for (let nth = 0; nth < turns; nth++) await turn(id)
        }),
      )
      return [took]
    },
    hold: async (from, count, width) => {
      const all = Array.from({ length: count }, (_, nth) => conversationId(from + nth))
      return [await timed(() => inFlight(width, all, (id) => append(id, holdFacts(nextId()))))]
    },
    find: async () => [held, 0],
    resolve: async (count, width) => {
      const next = Array.from({ length: count }, (_, nth) => conversationId(resolved + nth))
      resolved += count
      return [await timed(() => inFlight(width, next, resolve))]
    },
    pending: async () => [],
    close: () => store.close(),
  }
}
