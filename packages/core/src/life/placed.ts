/**
 * Where the calls of a reply belong. Decided once, in the order in which the model made them, and written with the reply:
 * a call after `enter_space` is made in that space, although both run at the same time.
 */
import { isObject } from '../json.ts'
import type { Placed } from '../log/log-event.ts'
import { callsOf, type Reply } from '../model/reply.ts'
import type { Tool } from '../tool/tool.ts'
import type { Life } from './life.ts'
import { ENTER_SPACE, LEAVE_SPACE } from './space-tools.ts'

export async function placed(
  reply: Reply,
  now: string | undefined,
  life: Life,
  tools: ReadonlyMap<string, Tool>,
): Promise<Placed> {
  let space = now
  const calls: Placed['calls'][number][] = []
  for (const { callId, name, input } of callsOf(reply)) {
    const wanted = name === ENTER_SPACE && isObject(input) ? input['space'] : undefined
    if (typeof wanted === 'string' && (await life.isMember(wanted))) space = wanted
    if (space !== undefined)
      calls.push({ callId, space, ...(tools.get(name)?.visible === true && { shown: true as const }) })
    if (name === LEAVE_SPACE) space = undefined
  }
  return { calls, ...(space !== undefined && { space }) }
}

export function notInSpace(name: string): string {
  return `Tool "${name}" is visible but you are not in a space. Call enter_space first.`
}
