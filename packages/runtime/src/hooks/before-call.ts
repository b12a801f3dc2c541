/** Runs the hooks on a call of the model before it is made: they let it pass, change its input, or veto it. */
import { copyJson, type Json } from '@holdpoint/core/internal/json'
import type { EventBody } from '@holdpoint/core/internal/log/log-event'
import type { CallPart } from '@holdpoint/core/internal/model/reply'
import type { Tool } from '@holdpoint/core/internal/tool/tool'
import type { TurnContext } from '../conversation/turn-context.ts'
import { checkCallHookResult } from './check-hook-result.ts'
import { HookFailure, runHook } from './run-hook.ts'

export interface BeforeCallResult {
  readonly input: Json
  /** The event to append, if a hook changed the input. */
  readonly event: Extract<EventBody, { type: 'call.rewritten' }> | undefined
  /** Why the call is not made. A hook that fails vetoes the call. */
  readonly veto: string | undefined
}

export async function runBeforeCallHooks(
  part: CallPart,
  tool: Tool,
  context: TurnContext,
  signal: AbortSignal,
): Promise<BeforeCallResult> {
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
      const answer = checkCallHookResult(hook.name, given)
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
