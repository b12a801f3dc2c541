/** The items of a response, as far as we write them. */
import type { Json, ViewCall, ViewHold } from '@holdpoint/core'

export interface OutputText {
  readonly type: 'output_text'
  readonly text: string
  readonly annotations: readonly []
}

/** Fields beside OpenAI's: why a call waits, and where a person or a program answers it. */
export interface HoldFacts {
  readonly kind: string
  readonly reason?: string
  readonly expires_at: number
  /** `POST` a resolution there: `{ kind: 'approve' }`, `{ kind: 'reject', reason }`, `{ kind: 'answer', value }`. */
  readonly resolve: string
  readonly answer_schema?: Json
}

export type ResponseItem =
  | {
      readonly type: 'message'
      readonly id: string
      readonly role: 'assistant'
      readonly status: 'in_progress' | 'completed'
      readonly content: readonly OutputText[]
    }
  | {
      readonly type: 'reasoning'
      readonly id: string
      readonly summary: readonly { readonly type: 'summary_text'; readonly text: string }[]
    }
  /** A tool that ran on our side. */
  | {
      readonly type: 'mcp_call'
      readonly id: string
      readonly server_label: 'holdpoint'
      readonly name: string
      readonly arguments: string
      readonly output: string | null
      readonly error: string | null
    }
  /** Answer with `mcp_approval_response`. */
  | {
      readonly type: 'mcp_approval_request'
      readonly id: string
      readonly server_label: 'holdpoint'
      readonly name: string
      readonly arguments: string
      readonly holdpoint: HoldFacts
    }
  /** A client tool, or a question to a person. Answer with `function_call_output`. */
  | {
      readonly type: 'function_call'
      readonly id: string
      readonly call_id: string
      readonly name: string
      readonly arguments: string
      readonly status: 'completed'
      readonly holdpoint: HoldFacts
    }

export function ranItem({ callId, name, input, outcome }: ViewCall): ResponseItem {
  const text = outcome?.ok && (typeof outcome.value === 'string' ? outcome.value : JSON.stringify(outcome.value))
  return {
    type: 'mcp_call',
    id: `mcp_${callId}`,
    server_label: 'holdpoint',
    name,
    arguments: JSON.stringify(input),
    output: text || (outcome?.ok ? '' : null),
    error: outcome && !outcome.ok ? outcome.error.message : null,
  }
}

export function heldItem(conversationId: string, hold: ViewHold): ResponseItem {
  const { callId, nth, kind, name, input, reason, expiresAt, answerSchema } = hold
  const id = `${callId}:${nth}`
  const holdpoint: HoldFacts = {
    kind,
    ...(reason !== undefined && { reason }),
    expires_at: Math.floor(expiresAt / 1000),
    resolve: `/api/holds/${encodeURIComponent(conversationId)}/${encodeURIComponent(callId)}/resolve`,
    ...(answerSchema && { answer_schema: answerSchema }),
  }
  const args = JSON.stringify(input)
  if (kind === 'approval')
    return { type: 'mcp_approval_request', id, server_label: 'holdpoint', name, arguments: args, holdpoint }
  return { type: 'function_call', id: `fc_${id}`, call_id: id, name, arguments: args, status: 'completed', holdpoint }
}
