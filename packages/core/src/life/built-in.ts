/** The names of the tools that every living agent has. No tool of an agent's own may have one of them. */
import { ENTER_SPACE, LEAVE_SPACE, READ_MESSAGES, SEND_MESSAGE } from './space-tools.ts'

export const BUILT_IN: ReadonlySet<string> = new Set([
  ENTER_SPACE,
  LEAVE_SPACE,
  SEND_MESSAGE,
  READ_MESSAGES,
  'skip',
  'set_goals',
  'delete_goals',
  'set_memories',
  'delete_memories',
  'set_plans',
  'delete_plans',
  'get_plans',
])
