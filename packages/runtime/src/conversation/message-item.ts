import { userMessage, type Inbound } from '@holdpoint/core/internal/log/message'
import type { SendOptions } from '../session/session-options.ts'
import { checkContent } from './check-send.ts'

/** A caller's message as the log keeps it. */
export function messageItem(content: unknown, { by, trace }: Pick<SendOptions, 'by' | 'trace'>): Inbound {
  return { kind: 'message', message: userMessage(checkContent(content), by, trace) }
}
