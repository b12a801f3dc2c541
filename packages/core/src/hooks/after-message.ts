/** Whether a reply that would end the turn may stand. The first hook that says no decides. */
import type { EventBody } from '../log/log-event.ts'
import { textOf, type Reply } from '../model/reply.ts'
import { Halt } from '../tool/handler-result.ts'
import type { OpenTurn } from '../turn/turn-state.ts'
import type { TurnContext } from '../loop/turn-context.ts'
import { checkReplyAnswer } from './check-answer.ts'
import { runHook } from './run-hook.ts'

type Verdict = Partial<Pick<Extract<EventBody, { type: 'model.replied' }>, 'again' | 'ends' | 'message'>>

export function lookOver(
  reply: Reply,
  turn: OpenTurn,
  context: TurnContext,
  signal: AbortSignal,
): Verdict | Promise<Verdict> {
  return context.agent.hooks.afterMessage.length > 0 ? askHooks(reply, turn, context, signal) : {}
}

async function askHooks(reply: Reply, turn: OpenTurn, context: TurnContext, signal: AbortSignal): Promise<Verdict> {
  const { afterMessage, regenerations } = context.agent.hooks
  const { sentBack } = turn
  for (const hook of afterMessage) {
    const given = await runHook(hook, context, signal, (base) =>
      hook.run({ ...base, reply, text: textOf(reply), sentBack }),
    )
    const answer = checkReplyAnswer(hook.name, given)
    if (answer instanceof Halt) return { ends: 'halted', message: answer.reason }
    // After so many it stands as it is: a model that cannot do better shall not be asked for ever.
    if (answer?.again !== undefined && sentBack < regenerations)
      return { again: { hook: hook.name, feedback: answer.again } }
  }
  return {}
}
