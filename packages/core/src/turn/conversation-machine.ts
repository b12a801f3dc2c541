/** A conversation as a machine: see `log/machine.ts`. */
import type { Machine } from '../log/machine.ts'
import { isSpaceEvent, SPACE } from '../log/space-event.ts'
import { fromBase } from './conversation-base.ts'
import { deadlinesOf, deriveRows } from './derive-rows.ts'
import { evolve, next } from './turn.ts'
import { emptyConversation, type Conversation, type Effect } from './turn-state.ts'

export const conversationMachine: Machine<Conversation, Effect> = {
  empty: emptyConversation,
  owns: (agent) => agent !== SPACE,
  begins: (event) => !isSpaceEvent(event),
  evolve,
  next,
  deadlines: deadlinesOf,
  derive: deriveRows,
  fromBase,
}
