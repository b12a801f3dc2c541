/** What hooks make of a call before it becomes one: it is made as it is, with another input, or not at all. */
import { copyJson, type Json } from '../json.ts'
import type { EventBody } from '../log/log-event.ts'
import type { CallPart } from '../model/reply.ts'
import type { Tool } from '../tool/tool.ts'
import type { TurnContext } from '../loop/turn-context.ts'
import { checkCallAnswer } from './check-answer.ts'
import { HookFailure, runHook } from './run-hook.ts'

export interface Considered {
  readonly input: Json
  /** To be written, if a hook put another input in its place. */
  readonly event: Extract<EventBody, { type: 'call.rewritten' }> | undefined
  /** Why the call is not made. A hook that fails is a no. */
  readonly veto: string | undefined
}

export async function consider(
  part: CallPart,
  tool: Tool,
  context: TurnContext,
  signal: AbortSignal,
): Promise<Considered> {
  let { input } = part
  const hooks: string[] = []
  for (const hook of context.agent.hooks.beforeCall) {
    try {
      const given = await runHook(hook, context, signal, (base) =>
        hook.run({
          ...base,
          call: { id: part.callId, name: part.name },
          executor: tool.executor,
          input: copyJson(input),
        }),
      )
      const answer = checkCallAnswer(hook.name, given)
      if (!answer) continue
      if ('veto' in answer) return { input, event: undefined, veto: `${hook.name}: ${answer.veto}` }
      input = answer.input
      hooks.push(hook.name)
    } catch (error) {
      if (!(error instanceof HookFailure)) throw error
      return { input, event: undefined, veto: error.message }
    }
  }
  const event = hooks.length > 0 ? ({ type: 'call.rewritten', callId: part.callId, input, hooks } as const) : undefined
  return { input, event, veto: undefined }
}
