/** How the calls of a reply are shown: decided with the reply, so that a changed declaration changes no old call. */
import type { Display } from '../log/log-event.ts'
import type { Reply } from '../model/reply.ts'
import type { Tool } from '../tool/tool.ts'
import type { Agent } from './agent.ts'

/** Only what is not the default. */
export function displayOf(
  { parts }: Reply,
  tools: ReadonlyMap<string, Tool>,
  agent: Agent,
): { readonly display?: readonly Display[] } {
  const display = parts.flatMap((part): readonly Display[] => {
    if (part.type !== 'call' && part.type !== 'provider-call') return []
    const tool = tools.get(part.name)
    const shown = {
      ...(tool?.streaming && { streaming: true as const }),
      ...(isSilent(tool, agent) && { silent: true as const }),
    }
    const callId = part.type === 'call' ? part.callId : part.id
    return Object.keys(shown).length > 0 ? [{ callId, ...shown }] : []
  })
  return display.length > 0 ? { display } : {}
}

/** The own log of an autonomous agent has all it does. There, `visible` says what is shown in spaces. */
export function isSilent(tool: Tool | undefined, { autonomy }: Agent): boolean {
  return tool?.visible === false && !autonomy
}
