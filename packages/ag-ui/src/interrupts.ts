/** The holds that a person of the front end may answer, as interrupts. A client tool is no interrupt: it is a call without a result. */
import { holdsOf, type JsonObject, type View, type ViewHold } from '@holdpoint/core'
import type { AgUiInterrupt } from './ag-ui-event.ts'

export function interruptsOf(view: View): readonly AgUiInterrupt[] {
  return holdsOf(view)
    .filter(({ kind }) => kind === 'approval' || kind === 'elicitation')
    .map(interrupt)
}

function interrupt(hold: ViewHold): AgUiInterrupt {
  const { callId, nth, kind, reason, expiresAt, answerSchema } = hold
  const responseSchema = kind === 'approval' ? approvalSchema(hold) : answerSchema
  return {
    id: interruptId(callId, nth),
    reason: kind === 'approval' ? 'tool_call' : 'input_required',
    ...(reason !== undefined && { message: reason }),
    toolCallId: callId,
    ...(responseSchema && { responseSchema }),
    expiresAt: new Date(expiresAt).toISOString(),
    metadata: metadataOf(hold),
  }
}

/** An answer with `editedArgs` replaces the input, if the tool's schema is known. */
function approvalSchema({ definition }: ViewHold): JsonObject {
  return {
    type: 'object',
    properties: {
      approved: { type: 'boolean' },
      reason: { type: 'string' },
      ...(definition && { editedArgs: definition.input }),
    },
    required: ['approved'],
  }
}

function metadataOf({
  name,
  kind,
  input,
  accepts,
  approvers,
  endorsedBy,
  assignee,
  to,
  url,
  metadata,
}: ViewHold): JsonObject {
  const facts = { name, kind, input, accepts, approvers, endorsedBy, assignee, to, url, metadata }
  return JSON.parse(JSON.stringify(facts)) as JsonObject
}

/** Names one hold of a call, so that an answer to an earlier hold cannot answer a later one. */
function interruptId(callId: string, nth: number): string {
  return `${callId}:${nth}`
}

export function parseInterruptId(id: string): { readonly callId: string; readonly nth: number } | undefined {
  const [, callId, nth] = /^(.+):([1-9]\d{0,8})$/s.exec(id) ?? []
  return callId === undefined ? undefined : { callId, nth: Number(nth) }
}
