/**
 * Decides commands of callers: the events that carry the command out, or a refusal. Pure, so any process may decide, as
 * long as it appends at the seq it decided on.
 */
import type { EventBody, OutputPlan, TurnLimits } from '../log/log-event.ts'
import { authorIdOf, type Inbound, type InboxItem } from '../log/message.ts'
import type { Principal } from '../principal.ts'
import { accept, refuse, type Decision } from './decision.ts'
import { endTurn } from './end-turn.ts'
import { refuseErased } from './erased.ts'
import { refuseStranger } from './people.ts'
import { openCalls } from './turn.ts'
import type { Conversation, Queued } from './turn-state.ts'

/** What happens to a message that arrives while a turn is in progress. */
export type WhileBusy = 'refuse' | 'queue' | 'supersede'

export interface TurnPlan {
  readonly turnId: string
  readonly agent: string
  readonly limits: TurnLimits
  readonly output?: OutputPlan
  /** Set for an autonomous agent: its turn takes the whole queue. */
  readonly cycle?: true
  readonly tellsNews?: true
}

export interface Send {
  /** Undefined: continue the turn, or start it again if it stopped early. */
  readonly item: Inbound | undefined
  readonly plan: TurnPlan
  readonly whileBusy: WhileBusy
  readonly by?: Principal | undefined
}

export function decideSend(state: Conversation, { item, plan, whileBusy, by }: Send): Decision {
  const refused = refuseErased(state) ?? refuseStranger(state, by)
  if (refused) return refused
  const { turn } = state
  if (turn.phase === 'rest') {
    // Messages keep their order: those that waited before come first.
    if (item && whileBusy === 'queue' && state.queue.length > 0) return accept({ type: 'message.queued', item })
    if (item) return accept(turnStarted(plan, [item]))
    if (state.restored && state.queue.length > 0) return decideQueued(state, plan)
    if (!turn.last) return refuse('nothing-to-continue', 'The conversation is empty. Send a message first.')
    // What waits in the queue comes first, and starts a turn by itself.
    const over = turn.last.reason === 'completed' || turn.last.reason === 'skipped'
    return over || state.queue.length > 0 ? accept() : accept(turnStarted(plan, []))
  }
  if (!item) return accept()
  switch (whileBusy) {
    case 'queue':
      return accept({ type: 'message.queued', item })
    case 'supersede':
      return accept(...endTurn(turn, 'superseded', 'A newer message took its place.'), turnStarted(plan, [item]))
    case 'refuse': {
      const held = openCalls(turn).filter((call) => call.at === 'held').length
      const why = held > 0 ? `${held} call${held > 1 ? 's are' : ' is'} held` : 'a turn is in progress'
      return refuse(
        'turn-in-progress',
        `Not now: ${why}. Resolve, continue or cancel first, or send with whileBusy 'queue' or 'supersede'.`,
      )
    }
  }
}

/**
 * Starts a turn on queued items. The tools of a turn have the rights of its author, so a turn takes only items of one
 * author: the first of the queue and those that follow it, at most `most`. A cycle of an autonomous agent acts for the
 * agent itself, and takes the whole queue.
 */
export function decideQueued(state: Conversation, plan: TurnPlan, most?: number): Decision {
  const taken = plan.cycle ? state.queue : ofOneAuthor(state.queue).slice(0, most)
  const last = taken.at(-1)
  if (state.turn.phase !== 'rest' || !last) return refuse('nothing-to-continue', 'Nothing is waiting.')
  const items = taken.map(({ item }) => item)
  return accept({ ...turnStarted(plan, items), queued: taken.length, upTo: last.seq })
}

/** The first item of the queue, and those that follow it from the same author. */
export function ofOneAuthor(queue: readonly Queued[]): readonly Queued[] {
  const [first] = queue
  const other = queue.findIndex(({ item }) => first && authorIdOf(item) !== authorIdOf(first.item))
  return other === -1 ? queue : queue.slice(0, other)
}

export function decideCancel(state: Conversation, message = 'The turn was cancelled.', by?: Principal): Decision {
  const refused = refuseErased(state) ?? refuseStranger(state, by)
  if (refused) return refused
  if (state.turn.phase === 'rest') return refuse('nothing-to-cancel', 'No turn is in progress.')
  return accept(...endTurn(state.turn, 'cancelled', message))
}

/** Puts an item into an agent's inbox, where it waits with everything else until the agent is at rest. */
export function decideInbox(state: Conversation, agent: string, item: InboxItem): Decision {
  const refused = refuseErased(state)
  if (refused) return refused
  const opened: EventBody = { type: 'conversation.opened', agent }
  return accept(...(state.seq === 0 ? [opened] : []), { type: 'message.queued', item })
}

function turnStarted(plan: TurnPlan, items: readonly Inbound[]): Extract<EventBody, { type: 'turn.started' }> {
  return { type: 'turn.started', ...plan, items }
}
