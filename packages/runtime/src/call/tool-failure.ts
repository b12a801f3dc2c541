/** Decides what a failed call does to the turn: the model reads the error, or the turn ends (`onToolError`). */
import type { Json } from '@holdpoint/core/internal/json'
import type { OutcomeCode, OutcomeError } from '@holdpoint/core/internal/tool/outcome'
import { callsOf } from '@holdpoint/core/internal/model/reply'
import { callIn } from '@holdpoint/core/internal/turn/call'
import type { Call, OpenTurn } from '@holdpoint/core/internal/turn/turn-state'
import type { TurnContext } from '../conversation/turn-context.ts'

/** Failures of the tool itself. A mistake of the model, such as invalid input, or a rejection never ends the turn. */
const FAILURES: readonly OutcomeCode[] = ['failed', 'timed-out', 'invalid-output', 'too-large', 'expired', 'no-client']

export function toolFailureHalts(error: OutcomeError, call: Call, { onToolError }: TurnContext): boolean {
  if (!FAILURES.includes(error.code)) return false
  if (typeof onToolError !== 'function') return onToolError === 'halt'
  try {
    return onToolError({ id: call.callId, name: call.name, input: inputOf(call) }, error) !== 'continue'
  } catch {
    return true // a policy that throws does not allow the turn to go on
  }
}

/**
 * The failure of a client or external call of the last round that ends the turn, if there is one. Such a call may be
 * answered in any process, and only the process that drives the turn has its `onToolError`.
 */
export async function toolFailureOutside(turn: OpenTurn, context: TurnContext): Promise<OutcomeError | undefined> {
  const { log, onToolError } = context
  if (onToolError === 'continue' || turn.step === 1 || turn.pass === 'finalize') return undefined
  await log.reachTurn(turn.turnId)
  const at = log.events.findLastIndex((event) => event.type === 'model.replied' && event.turnId === turn.turnId)
  const round = log.events.slice(at)
  const replied = round[0]
  const calls = replied?.type === 'model.replied' ? callsOf(replied.reply) : []
  for (const { callId } of calls) {
    const call = callIn(round, callId)
    const error = call && errorFromOutside(call)
    if (call && error && toolFailureHalts(error, call, context)) return error
  }
  return undefined
}

function errorFromOutside(call: Call): OutcomeError | undefined {
  if (call.at !== 'settled' || call.outcome.ok) return undefined
  const { error } = call.outcome
  const last = call.resolved.at(-1)
  const answered = last && 'error' in last.resolution ? last.hold : undefined
  const waitedFor = answered ?? call.hold?.kind
  return waitedFor === 'client' || waitedFor === 'external' ? error : undefined
}

export function inputOf(call: Call): Json {
  return call.edited ?? call.proposed
}
