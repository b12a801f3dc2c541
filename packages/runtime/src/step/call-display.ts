/** How the calls of a reply are shown. It is written with the reply, so that a changed declaration changes no old call. */
import type { Display } from '@holdpoint/core/internal/log/log-event'
import type { Reply } from '@holdpoint/core/internal/model/reply'
import type { Tool } from '@holdpoint/core/internal/tool/tool'
import type { Agent } from '@holdpoint/core/internal/agent/agent'

/** Only values that differ from the default. */
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

/** In the log of an autonomous agent all calls are shown: there, `visible` is about spaces. */
export function isSilent(tool: Tool | undefined, { autonomy }: Agent): boolean {
  return tool?.visible === false && !autonomy
}
