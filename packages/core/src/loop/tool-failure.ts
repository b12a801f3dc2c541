/** What happens to the turn when a tool fails: the model reads the error, or the turn ends. */
import type { Json } from '../json.ts'
import type { OutcomeCode, OutcomeError } from '../tool/outcome.ts'
import { callsOf } from '../model/reply.ts'
import { callIn } from '../turn/call.ts'
import type { Call, OpenTurn } from '../turn/turn-state.ts'
import type { TurnContext } from './turn-context.ts'

/** Only what went wrong in the tool counts: a model's mistake is the model's to mend, and a rejection is a decision. */
const FAILURES: readonly OutcomeCode[] = ['failed', 'timed-out', 'invalid-output', 'too-large', 'expired', 'no-client']

export function haltsOn(error: OutcomeError, call: Call, { onToolError }: TurnContext): boolean {
  if (!FAILURES.includes(error.code)) return false
  if (typeof onToolError !== 'function') return onToolError === 'halt'
  try {
    return onToolError({ id: call.callId, name: call.name, input: inputOf(call) }, error) !== 'continue'
  } catch {
    return true // a policy that cannot say is not a yes to going on
  }
}

/**
 * A call of the last round that a client, another service or the caller was to carry out, and that failed so that the
 * turn ends. Those answer to any process, so it is the one that drives which asks the policy.
 */
export async function failedOutside(turn: OpenTurn, context: TurnContext): Promise<OutcomeError | undefined> {
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
    if (call && error && haltsOn(error, call, context)) return error
  }
  return undefined
}

function errorFromOutside(call: Call): OutcomeError | undefined {
  if (call.at !== 'settled' || call.outcome.ok) return undefined
  const { error } = call.outcome
  const last = call.resolved.at(-1)
  const told = last && 'error' in last.resolution ? last.hold : undefined
  const waitedFor = told ?? call.hold?.kind
  return waitedFor === 'client' || waitedFor === 'external' ? error : undefined
}

export function inputOf(call: Call): Json {
  return call.edited ?? call.proposed
}
