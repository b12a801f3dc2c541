import { HoldpointError, messageWithCauses, ModelError, type Address } from '@holdpoint/core'
import type { LogLine } from './gateway-options.ts'
import type { Redact } from './redact.ts'

/** What an operator reads about an error. Users read a general text instead: see `publicWords` and `errorAnswer`. */
export function problemLine(error: unknown, redact: Redact, conversation?: Address): LogLine {
  const code = HoldpointError.is(error) ? error.code : undefined
  const cause = HoldpointError.is(error) ? error.cause : undefined
  const { status, requestId } = cause instanceof ModelError ? cause : { status: undefined, requestId: undefined }
  return {
    level: 'error',
    event: code === 'model-failed' ? 'model-failed' : 'problem',
    message: redact(messageWithCauses(error)),
    ...(code !== undefined && { code }),
    ...(status !== undefined && { vendorStatus: status }),
    ...(requestId !== undefined && { vendorRequestId: redact(requestId) }),
    ...(conversation && { tenant: conversation.tenant, conversationId: conversation.id }),
  }
}
