/** What `useChat` posts. Its messages are the front end's own copy of the conversation, so nothing in it is believed. */
import { fileOfUrl } from './file-url.ts'
import type { Json, UserPart } from '@holdpoint/core'
import { z } from 'zod'
import { isDataPart, isToolPart, type UiPart } from './ui-message.ts'

const message = z.looseObject({
  id: z.string().min(1).max(200),
  role: z.enum(['system', 'user', 'assistant']),
  parts: z.array(z.looseObject({ type: z.string() })),
})

export const chatRequest: z.ZodType<ChatRequest> = z.looseObject({
  id: z.string().min(1).max(200),
  messages: z.array(message).max(10_000),
  trigger: z.enum(['submit-message', 'regenerate-message']).optional(),
  messageId: z.string().max(1000).nullish(),
  resumable: z.boolean().optional(),
})

/** The conversation's id, and the history as the front end has it. More fields are allowed and ignored. */
export interface ChatRequest {
  readonly id: string
  readonly messages: readonly PostedMessage[]
  readonly trigger?: 'submit-message' | 'regenerate-message' | undefined
  /** The message that the answer continues. */
  readonly messageId?: string | null | undefined
  /** The front end counts the chunks, and comes back with their number, as `WorkflowChatTransport` does. */
  readonly resumable?: boolean | undefined
}

export interface PostedMessage {
  readonly id: string
  readonly role: 'system' | 'user' | 'assistant'
  readonly parts: readonly { readonly type: string; readonly [field: string]: unknown }[]
}

/** Text and files of a person's message. Other parts of it mean nothing to us. */
export function contentOf({ parts }: PostedMessage): readonly UserPart[] {
  return parts.flatMap((part): readonly UserPart[] => {
    if (part.type === 'text' && typeof part['text'] === 'string' && part['text'] !== '')
      return [{ type: 'text', text: part['text'] }]
    const { type, url, mediaType, filename } = part
    if (type !== 'file' || typeof url !== 'string' || typeof mediaType !== 'string') return []
    const [, base64] = /^data:[^,]*;base64,(.*)$/s.exec(url) ?? []
    const file = base64 === undefined ? fileOfUrl(url) : ({ kind: 'base64', base64 } as const)
    return [{ type: 'file', mediaType, file, ...(typeof filename === 'string' && { filename }) }]
  })
}

/** A tool part as the front end has it. */
export interface PostedTool {
  readonly toolCallId: string
  readonly state: string
  readonly input: Json | undefined
  readonly output: Json | undefined
  readonly errorText: string | undefined
  readonly final: boolean
  readonly approval: { readonly id: string; readonly approved: boolean; readonly reason?: string } | undefined
}

const posted = z.looseObject({
  toolCallId: z.string().max(1000),
  state: z.string(),
  input: z.json().optional(),
  output: z.json().optional(),
  errorText: z.string().max(100_000).optional(),
  preliminary: z.boolean().optional(),
  providerExecuted: z.boolean().optional(),
  approval: z
    .looseObject({ id: z.string().max(1000), approved: z.boolean(), reason: z.string().max(10_000).optional() })
    .optional()
    .catch(undefined),
})

export function postedTools({ parts }: PostedMessage): readonly PostedTool[] {
  return parts.flatMap((part): readonly PostedTool[] => {
    if (!part.type.startsWith('tool-') && part.type !== 'dynamic-tool') return []
    const read = posted.safeParse(part)
    if (!read.success) return []
    const { toolCallId, state, input, output, errorText, preliminary, providerExecuted, approval } = read.data
    const reason = approval?.reason
    return [
      {
        toolCallId,
        state,
        input,
        output,
        errorText,
        final: !preliminary && !providerExecuted,
        approval: approval && {
          id: approval.id,
          approved: approval.approved,
          ...(reason !== undefined && { reason }),
        },
      },
    ]
  })
}

const shownPart = z.union([
  z.looseObject({ type: z.enum(['text', 'reasoning']), text: z.string(), state: z.string().optional() }),
  posted.extend({ type: z.templateLiteral(['tool-', z.string()]), rawInput: z.string().optional() }),
  z.looseObject({ type: z.templateLiteral(['data-', z.string()]), id: z.string().optional(), data: z.json() }),
])

/** The parts that the front end shows, to compare them with ours. A part with a wrong shape is one that we do not have. */
export function shownParts({ parts }: PostedMessage): readonly UiPart[] {
  return parts.map((part) => {
    const checked = part.type === 'text' || part.type === 'reasoning' || isToolPart(part) || isDataPart(part)
    return checked && !shownPart.safeParse(part).success ? UNKNOWN_PART : (part as unknown as UiPart)
  })
}

const UNKNOWN_PART: UiPart = { type: 'custom', kind: 'holdpoint.unknown' }
