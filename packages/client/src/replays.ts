/** Replays the turns of many conversations, one request per turn, so that it can be watched and stopped. */
import type { ConversationStatus } from '@holdpoint/core'
import type { ReplayedTurn } from '@holdpoint/runtime'
import type { Conversations } from './conversations.ts'
import { HoldpointHttpError } from './http-error.ts'
import type { RequestOptions } from './http.ts'

export interface ReplaysOptions extends Omit<RequestOptions, 'key'> {
  /** The conversations, newest first. */
  readonly filter?: { readonly agent?: string; readonly status?: ConversationStatus }
  /** The agent that answers. Default: the recorded one. */
  readonly agent?: string
  /** In place of those of the agent. */
  readonly instructions?: string
  /** The most turns. Default: 50. */
  readonly turns?: number
}

export type ReplayedOne =
  | { readonly turn: ReplayedTurn }
  /** The gateway refused: for instance, the caller may not write there, or the recorded agent is gone. */
  | { readonly conversationId: string; readonly refused: string }

export interface Replays {
  /** Replays turn after turn, while it is iterated. No tool runs. Pass the turns to `replayReport`. */
  run(options?: ReplaysOptions): AsyncGenerator<ReplayedOne, void, undefined>
}

type Requests = Pick<Conversations, 'list' | 'view' | 'replay'>
const PAGE = 50
/** Anything else, such as a limit that is reached, would be the same for the next turn. */
const REFUSED: readonly number[] = [403, 404, 409, 410, 422]

export function replaysOf(requests: Requests): Replays {
  return {
    async *run({ filter, agent, instructions, turns = 50, ...options } = {}) {
      const chosen = { ...(agent !== undefined && { agent }), ...(instructions !== undefined && { instructions }) }
      let left = turns
      for (let after: string | undefined; ;) {
        const query = { ...filter, limit: PAGE, ...(after !== undefined && { after }) }
        const page = await requests.list(query, options)
        for (const { id } of page.items) {
          // The log of an autonomous agent cannot be replayed.
          if (id.startsWith('agent:')) continue
          for await (const turn of turnsOf(requests, id, options)) {
            if (left-- <= 0) return
            const one = await replayOne(requests, id, { turn, ...chosen, ...options })
            yield one
            if ('refused' in one) break
          }
        }
        if (page.next === undefined) return
        after = page.next
      }
    },
  }
}

async function replayOne(
  requests: Requests,
  id: string,
  options: NonNullable<Parameters<Conversations['replay']>[1]>,
): Promise<ReplayedOne> {
  try {
    return { turn: await requests.replay(id, options) }
  } catch (error) {
    if (!(error instanceof HoldpointHttpError) || !REFUSED.includes(error.status)) throw error
    return { conversationId: id, refused: error.message }
  }
}

/** Newest first. */
async function* turnsOf(requests: Requests, id: string, options: RequestOptions): AsyncGenerator<string> {
  for (let before: number | undefined; ;) {
    const view = await requests.view(id, { turns: PAGE, ...(before !== undefined && { before }) }, options)
    if (!view) return
    for (const { turnId, items } of view.turns.toReversed()) if (items.length > 0) yield turnId
    if (view.from <= 1 || view.turns.length === 0) return
    before = view.from
  }
}
