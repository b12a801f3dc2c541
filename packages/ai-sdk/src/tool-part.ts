/**
 * A call as a tool part of a message, and the data part of each of its holds.
 *
 * | the call is | the part's state |
 * |---|---|
 * | written by the model, or not yet decided about | `input-streaming` |
 * | held for approval | `approval-requested` |
 * | held for a client, a worker or a person's answer | `input-available` |
 * | approved | `approval-responded` |
 * | running | `input-available`; with progress `output-available` and `preliminary` |
 * | settled | `output-available`, `output-error`, `output-denied` |
 */
import type { CallOutcome, Json, ViewCall, ViewHold, ViewResolved } from '@holdpoint/core'
import type { UiApproval, UiDataPart, UiToolPart } from './ui-message.ts'

export function toolPart(call: ViewCall): UiToolPart {
  const { callId, name, input } = call
  const base = { type: `tool-${name}`, toolCallId: callId, input } as const
  const approval = approvalOf(call)
  const known = { ...base, ...(approval && { approval }) }
  const writing = { ...base, state: 'input-streaming', rawInput: JSON.stringify(input) } as const
  switch (call.state) {
    case 'held':
      return { ...known, state: call.hold.kind === 'approval' ? 'approval-requested' : 'input-available' }
    case 'ready':
      return approval ? { ...known, state: 'approval-responded' } : writing
    case 'running':
      // It was answered and runs again. The front end must not answer once more.
      if (!approval && call.resolved.length > 0 && call.progress === undefined) return writing
      if (call.progress !== undefined)
        return { ...known, state: 'output-available', output: call.progress, preliminary: true }
      return { ...known, state: approval ? 'approval-responded' : 'input-available' }
    case 'settled':
      return { ...known, ...outcomeOf(call.outcome, approval) }
  }
}

function outcomeOf(
  outcome: CallOutcome,
  approval: UiApproval | undefined,
): Pick<UiToolPart, 'state' | 'output' | 'errorText'> {
  if (outcome.ok) return { state: 'output-available', output: outcome.value }
  if (approval?.approved === false) return { state: 'output-denied' }
  return { state: 'output-error', errorText: outcome.error.message }
}

/** The newest approval of the call: asked for, or given. An expired one has no response, and the call has an error. */
function approvalOf({ callId, hold, resolved }: ViewCall): UiApproval | undefined {
  if (hold?.kind === 'approval') return { id: holdId(callId, hold.nth), ...requestReason(hold) }
  const given = resolved.findLast((each) => each.hold === 'approval' && each.resolution.kind !== 'answer')
  if (!given) return undefined
  const { resolution, nth } = given
  return {
    id: holdId(callId, nth),
    approved: resolution.kind === 'approve',
    ...(resolution.kind === 'reject' && resolution.reason !== undefined && { reason: resolution.reason }),
  }
}

function requestReason({ reason, endorsedBy, approvers }: ViewHold): { readonly requestReason?: string } {
  const missing = approvers - endorsedBy.length
  const more = endorsedBy.length > 0 ? `Approved by ${endorsedBy.join(', ')}; ${missing} more must approve.` : undefined
  const text = [reason, more].filter((each) => each !== undefined).join(' ')
  return text === '' ? {} : { requestReason: text }
}

/** Names one hold of a call, so that an approval of an earlier hold cannot answer a later one. */
export function holdId(callId: string, nth: number): string {
  return `${callId}:${nth}`
}

export function parseHoldId(id: string): { readonly callId: string; readonly nth: number } | undefined {
  const [, callId, nth] = /^(.+):([1-9]\d{0,8})$/s.exec(id) ?? []
  return callId === undefined ? undefined : { callId, nth: Number(nth) }
}

/** `data-hold`: one for each hold of the call, with who answered it and how. */
export function holdParts(call: ViewCall): readonly UiDataPart[] {
  const { callId, name, hold, resolved, holds } = call
  const missed = call.state === 'settled' ? call.missed : undefined
  return Array.from({ length: holds }, (_, index) => {
    const nth = index + 1
    const given = resolved.findLast((each) => each.nth === nth)
    if (hold?.nth === nth) return part(callId, nth, { name, open: true, ...asked(hold) })
    if (given) return part(callId, nth, { name, ...answered(given) })
    // It ended without an answer: at its deadline, or because the tool was changed and the call was held again.
    const facts = missed?.nth === nth ? asked(missed) : {}
    return part(callId, nth, { name, open: false, ...facts, ended: missed?.nth === nth ? endOf(call) : 'replaced' })
  })
}

function part(callId: string, nth: number, facts: Readonly<Record<string, Json | undefined>>): UiDataPart {
  // Fields that are undefined are not in the data.
  const data = JSON.parse(JSON.stringify({ callId, hold: nth, ...facts })) as Json
  return { type: 'data-hold', id: holdId(callId, nth), data }
}

function asked(hold: ViewHold): Readonly<Record<string, Json | undefined>> {
  const { kind, reason, metadata, accepts, expiresAt, to, approvers, endorsedBy, assignee, answerSchema, url } = hold
  return { kind, reason, metadata, accepts, expiresAt, to, approvers, endorsedBy, assignee, answerSchema, url }
}

/** Without the answer itself: the tool part has the result. */
function answered({
  hold: kind,
  resolution,
  by,
  onBehalfOf,
  at,
  approvals,
}: ViewResolved): Readonly<Record<string, Json | undefined>> {
  const reason = resolution.kind === 'reject' ? resolution.reason : undefined
  const edited = resolution.kind === 'approve' && resolution.input !== undefined ? true : undefined
  const approvedBy = approvals?.map((each) => each.by)
  return { kind, open: false, resolution: resolution.kind, reason, edited, by, onBehalfOf, at, approvedBy }
}

/** Why a hold ended without an answer: `expired`, `cancelled`. */
function endOf(call: Pick<ViewCall, 'state' | 'outcome'>): string {
  return call.outcome && !call.outcome.ok ? call.outcome.error.code : 'expired'
}
