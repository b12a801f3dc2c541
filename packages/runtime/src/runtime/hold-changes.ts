/** Requests that change an open hold without resolving it: assign, release, comment. */
import { HoldpointError } from '@holdpoint/core/internal/failure'
import { principalOf } from '@holdpoint/core/internal/principal'
import { decideAssign, decideComment, type HoldCommand } from '@holdpoint/core/internal/turn/assign-and-comment'
import type { Decision } from '@holdpoint/core/internal/turn/decision'
import type { Conversation } from '@holdpoint/core/internal/turn/turn-state'
import { checkPrincipal } from '../conversation/check-principal.ts'
import type { AssignOptions, HoldOptions } from '../session/session-options.ts'
import { checkId, checkRequestOptions, OPTIONS } from './check-request.ts'

export type HoldChange = (state: Conversation, now: number) => Decision

/** Without an `assignee`, the hold is released. */
export function assignment(
  callId: string,
  assignee: string | undefined,
  { kinds, ...options }: AssignOptions,
): HoldChange {
  if (kinds !== undefined && !Array.isArray(kinds))
    throw new HoldpointError('config-invalid', '"kinds" is a list of kinds of hold.')
  const command = { ...commandOf(callId, options), ...(kinds && { kinds }), assignee }
  return (state, now) => decideAssign(state, { ...command, now })
}

const LONGEST_COMMENT = 10_000

export function comment(callId: string, text: unknown, options: HoldOptions): HoldChange {
  if (typeof text !== 'string' || text.trim() === '' || text.length > LONGEST_COMMENT)
    throw new HoldpointError('config-invalid', `A comment must be a string of 1 to ${LONGEST_COMMENT} characters.`)
  const command = commandOf(callId, options)
  return (state, now) => decideComment(state, { ...command, now, text })
}

function commandOf(callId: string, options: HoldOptions): Omit<HoldCommand, 'now'> {
  const { by: given, hold } = checkRequestOptions(options, OPTIONS.hold)
  const by = principalOf(checkPrincipal(given))
  if (!by) throw new HoldpointError('config-invalid', '"by" is missing: the person who does this.')
  return { callId: checkId('The id of a call', callId), by, ...(hold !== undefined && { hold }) }
}
