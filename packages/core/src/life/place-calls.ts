/**
 * Where the calls of a reply belong. Decided once, in the order in which the model made them, and written with the reply:
 * a call after `enter_space` is made in that space, although both run at the same time. An agent that was woken from one
 * space is there as soon as a call needs a space, so that it need not enter the space of the message that it answers.
 */
import { isObject, type Json } from '../json.ts'
import type { Placed } from '../log/log-event.ts'
import { callsOf, type Reply } from '../model/reply.ts'
import type { Tool } from '../tool/tool.ts'
import type { SpaceAccess } from './space-access.ts'
import { ENTER_SPACE, LEAVE_SPACE, READ_MESSAGES, SEND_MESSAGE } from './space-tools.ts'

export async function placeCalls(
  reply: Reply,
  /** Where it is, and where it was woken from. */
  at: { readonly space: string | undefined; readonly home: string | undefined },
  access: Pick<SpaceAccess, 'isMember'>,
  tools: ReadonlyMap<string, Tool>,
): Promise<Placed> {
  let { space, home } = at
  let left = false
  const calls: Placed['calls'][number][] = []
  for (const { callId, name, input } of callsOf(reply)) {
    const shown = tools.get(name)?.visible === true
    const named = isObject(input) ? input['space'] : undefined
    if (name === ENTER_SPACE && typeof named === 'string' && (await access.isMember(named))) space = named
    if (space === undefined && home !== undefined && (shown || isSpokenThere(name, named))) {
      if (await access.isMember(home)) space = home
      home = undefined
    }
    if (space !== undefined) calls.push({ callId, space, ...(shown && { shown: true as const }) })
    if (name !== LEAVE_SPACE) continue
    space = undefined
    home = undefined
    left = true
  }
  return { calls, ...(space !== undefined && { space }), ...(left && { left: true as const }) }
}

/** A built-in tool that works where the agent is, unless it names another space. */
function isSpokenThere(name: string, named: Json | undefined): boolean {
  return name === SEND_MESSAGE || (name === READ_MESSAGES && typeof named !== 'string')
}
