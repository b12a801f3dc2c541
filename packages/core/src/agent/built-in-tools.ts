/** The names of the built-in tools of autonomous agents. An agent's own tool may not have one of them. */

export const ENTER_SPACE = 'enter_space'
export const LEAVE_SPACE = 'leave_space'
export const SEND_MESSAGE = 'send_message'
export const READ_MESSAGES = 'read_messages'

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
