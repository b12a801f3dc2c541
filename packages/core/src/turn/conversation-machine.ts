/** A conversation as a machine: see `log/machine.ts`. */
import type { Machine } from '../log/machine.ts'
import { isSpaceEvent, SPACE } from '../log/space-event.ts'
import { fromBase } from './base.ts'
import { deadlinesOf, derive } from './derive.ts'
import { evolve, next } from './turn.ts'
import { emptyConversation, type Conversation, type Effect } from './turn-state.ts'

export const conversationMachine: Machine<Conversation, Effect> = {
  empty: emptyConversation,
  owns: (agent) => agent !== SPACE,
  begins: (event) => !isSpaceEvent(event),
  evolve,
  next,
  deadlines: deadlinesOf,
  derive,
  fromBase,
}
