/**
 * Decides in which space each call of a reply is made. The decision follows the order of the calls and is written with the
 * reply: a call after `enter_space` is made in that space, although both may run at the same time. An agent that was woken
 * from one space is there as soon as a call needs a space, so it need not enter the space of the message that it answers.
 */
import { isObject, type Json } from '@holdpoint/core/internal/json'
import type { ReplySpaces } from '@holdpoint/core/internal/log/log-event'
import { callsOf, type Reply } from '@holdpoint/core/internal/model/reply'
import type { Tool } from '@holdpoint/core/internal/tool/tool'
import type { SpaceAccess } from './space-access.ts'
import { ENTER_SPACE, LEAVE_SPACE, READ_MESSAGES, SEND_MESSAGE } from '@holdpoint/core/internal/agent/built-in-tools'

export async function spacesOfCalls(
  reply: Reply,
  /** The space that the agent is in, and the space that it was woken from. */
  at: { readonly space: string | undefined; readonly startSpace: string | undefined },
  access: Pick<SpaceAccess, 'isMember'>,
  tools: ReadonlyMap<string, Tool>,
): Promise<ReplySpaces> {
  let { space, startSpace } = at
  let left = false
  const calls: ReplySpaces['calls'][number][] = []
  for (const { callId, name, input } of callsOf(reply)) {
    const shown = tools.get(name)?.visible === true
    const named = isObject(input) ? input['space'] : undefined
    if (name === ENTER_SPACE && typeof named === 'string' && (await access.isMember(named))) space = named
    if (space === undefined && startSpace !== undefined && (shown || needsSpace(name, named))) {
      if (await access.isMember(startSpace)) space = startSpace
      startSpace = undefined
    }
    if (space !== undefined) calls.push({ callId, space, ...(shown && { shown: true as const }) })
    if (name !== LEAVE_SPACE) continue
    space = undefined
    startSpace = undefined
    left = true
  }
  return { calls, ...(space !== undefined && { current: space }), ...(left && { left: true as const }) }
}

/** Whether a call of a built-in tool works in the agent's current space. */
function needsSpace(name: string, named: Json | undefined): boolean {
  return name === SEND_MESSAGE || (name === READ_MESSAGES && typeof named !== 'string')
}
