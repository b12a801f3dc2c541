/** Runs the hooks on a reply that would end the turn. The first hook that refuses the reply decides. */
import type { EventBody } from '@holdpoint/core/internal/log/log-event'
import { textOf, type Reply } from '@holdpoint/core/internal/model/reply'
import { Halt } from '@holdpoint/core/internal/tool/handler-result'
import type { OpenTurn } from '@holdpoint/core/internal/turn/turn-state'
import type { TurnContext } from '../conversation/turn-context.ts'
import { checkReplyHookResult } from './check-hook-result.ts'
import { runHook } from './run-hook.ts'

type Verdict = Partial<Pick<Extract<EventBody, { type: 'model.replied' }>, 'again' | 'ends' | 'message'>>

export function runAfterMessageHooks(
  reply: Reply,
  turn: OpenTurn,
  context: TurnContext,
  signal: AbortSignal,
): Verdict | Promise<Verdict> {
  return context.agent.hooks.afterMessage.length > 0 ? askHooks(reply, turn, context, signal) : {}
}

async function askHooks(reply: Reply, turn: OpenTurn, context: TurnContext, signal: AbortSignal): Promise<Verdict> {
  const { afterMessage, regenerations } = context.agent.hooks
  const { repliesSentBack } = turn
  for (const hook of afterMessage) {
    const given = await runHook(hook, context, signal, (base) =>
      hook.run({ ...base, reply, text: textOf(reply), repliesSentBack }),
    )
    const answer = checkReplyHookResult(hook.name, given)
    if (answer instanceof Halt) return { ends: 'halted', message: answer.reason }
    // After so many attempts the reply is accepted: otherwise a model that cannot do better would be called for ever.
    if (answer?.again !== undefined && repliesSentBack < regenerations)
      return { again: { hook: hook.name, feedback: answer.again } }
  }
  return {}
}
