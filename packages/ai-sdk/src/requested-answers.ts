/**
 * The answers in a front end's copy of the history: approvals and outputs of client tools. Each is only a request to resolve an
 * open hold. An answer to a call that does not exist or is not held, or to a call with another input, resolves nothing.
 */
import { holdsOf, sameJson, type Json, type Resolution, type View, type ViewCall, type ViewHold } from '@holdpoint/core'
import { postedTools, type PostedMessage, type PostedTool } from './chat-request.ts'
import { holdId, parseHoldId } from './tool-part.ts'

export interface RequestedAnswer {
  readonly callId: string
  readonly nth: number
  readonly resolution: Resolution
}

/** An answer that is not passed on, because of what the front end shows. */
export interface UnfitAnswer {
  readonly callId: string
  readonly nth: number
  readonly verdict: 'unknown' | 'changed'
  readonly message: string
}

export interface RequestedAnswers {
  readonly answers: readonly RequestedAnswer[]
  readonly unfit: readonly UnfitAnswer[]
}

/** What the front end shows for an answer that was refused begins with this. It is not an answer itself. */
export const NOT_ACCEPTED = 'Not accepted: '

export function requestedAnswers(messages: readonly PostedMessage[], view: View): RequestedAnswers {
  const calls = new Map(
    view.turns.flatMap(({ steps }) => steps.flatMap((step) => step.calls)).map((call) => [call.callId, call]),
  )
  const holds = new Map(holdsOf(view).map((hold) => [hold.callId, hold]))
  const answers = new Map<string, RequestedAnswer>()
  const unfit: UnfitAnswer[] = []
  for (const message of messages) {
    if (message.role !== 'assistant') continue
    for (const tool of postedTools(message)) {
      const hold = holds.get(tool.toolCallId)
      const call = calls.get(tool.toolCallId)
      const found = tool.state === 'approval-responded' ? approvalIn(tool, hold, call) : outputIn(tool, hold, call)
      if (!found) continue
      if ('verdict' in found) unfit.push(found)
      else answers.set(holdId(found.callId, found.nth), found)
    }
  }
  return { answers: [...answers.values()], unfit }
}

function approvalIn(
  { toolCallId: callId, approval, input }: PostedTool,
  hold: ViewHold | undefined,
  call: ViewCall | undefined,
): RequestedAnswer | UnfitAnswer | undefined {
  if (!approval) return undefined
  const named = parseHoldId(approval.id)
  if (!named || named.callId !== callId || (!hold && !call)) {
    const message = `No approval ${approval.id} was asked for in this conversation.`
    return { callId, nth: named?.nth ?? 0, verdict: 'unknown', message }
  }
  const { nth } = named
  // The person saw another input than the one that would run.
  if (hold?.nth === nth && !same(input, hold.input))
    return {
      callId,
      nth,
      verdict: 'changed',
      message: `The approval is for another input of ${hold.name}. It is shown again.`,
    }
  const { approved, reason } = approval
  if (approved) return { callId, nth, resolution: { kind: 'approve' } }
  return { callId, nth, resolution: reason === undefined ? { kind: 'reject' } : { kind: 'reject', reason } }
}

/** The output of a client tool, or a person's answer. Outputs of our own tools and of workers are never taken from here. */
function outputIn(
  tool: PostedTool,
  hold: ViewHold | undefined,
  call: ViewCall | undefined,
): RequestedAnswer | undefined {
  const { toolCallId: callId, state, output, errorText = '', final } = tool
  if (!final || !call || (state !== 'output-available' && state !== 'output-error')) return undefined
  if (state === 'output-error' && errorText.startsWith(NOT_ACCEPTED)) return undefined
  if (isOutcome(tool, call)) return undefined
  const asked = hold ?? lastAnswerable(call)
  if (!asked || (asked.kind !== 'client' && asked.kind !== 'elicitation')) return undefined
  const { nth, kind, accepts } = asked
  if (state === 'output-available') return { callId, nth, resolution: { kind: 'answer', value: output ?? null } }
  if (kind === 'elicitation' && accepts.includes('reject'))
    return { callId, nth, resolution: { kind: 'reject', reason: errorText } }
  return { callId, nth, resolution: { kind: 'answer', error: errorText } }
}

/** The answer came after the end of the hold. The verdict says so. */
function lastAnswerable(call: ViewCall): Pick<ViewHold, 'kind' | 'nth' | 'accepts'> | undefined {
  if (call.state !== 'settled') return undefined
  const { resolved, missed } = call
  const given = resolved.findLast(({ accepts }) => accepts.includes('answer'))
  return missed ?? (given && { kind: given.hold, nth: given.nth, accepts: given.accepts })
}

/** The front end shows what the log has: an answer that was taken before, or the outcome of a tool of ours. */
function isOutcome({ state, output, errorText }: PostedTool, call: ViewCall): boolean {
  if (call.state !== 'settled') return false
  const { outcome } = call
  if (outcome.ok) return state === 'output-available' && same(output ?? null, outcome.value)
  return state === 'output-error' && errorText === outcome.error.message
}

function same(a: Json | undefined, b: Json): boolean {
  return a !== undefined && sameJson(a, b)
}
