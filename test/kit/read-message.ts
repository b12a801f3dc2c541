/** Reads chunks with the code that `useChat` reads them with, and brings messages into a form that can be compared. */
import {
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  readUIMessageStream,
  uiMessageChunkSchema,
  type UIMessage,
  type UIMessageChunk,
} from 'ai'
import { expect } from 'vitest'
import type { UiStreamPart } from '@holdpoint/ai-sdk'

const schema = uiMessageChunkSchema()

/** As it goes over the wire, checked with the schema of `ai`. */
async function overTheWire(chunks: readonly UiStreamPart[]): Promise<UIMessageChunk[]> {
  // The compiler checks that our type of a chunk is one of theirs.
  const typed: readonly UIMessageChunk[] = chunks
  const sent = JSON.parse(JSON.stringify(typed)) as unknown[]
  const read: UIMessageChunk[] = []
  for (const chunk of sent) {
    const checked = await schema.validate?.(chunk)
    expect(checked, JSON.stringify(chunk)).toMatchObject({ success: true })
    if (checked?.success) read.push(checked.value)
  }
  return read
}

/** The message after the chunks, and the error that the stream reported. */
export async function readMessage(
  chunks: readonly UiStreamPart[],
  known?: UIMessage,
): Promise<{ readonly message: UIMessage | undefined; readonly error: string | undefined }> {
  const wire = await overTheWire(chunks)
  let error: string | undefined
  let message = known
  const stream = new ReadableStream<UIMessageChunk>({
    start(controller) {
      for (const chunk of wire) controller.enqueue(chunk)
      controller.close()
    },
  })
  const onError = (given: unknown): void => {
    error = given instanceof Error ? given.message : String(given)
  }
  for await (const next of readUIMessageStream({ stream, onError, ...(known && { message: structuredClone(known) }) }))
    message = next
  return { message: message && (JSON.parse(JSON.stringify(message)) as UIMessage), error }
}

type Part = UIMessage['parts'][number]

/**
 * The steps that say something. Text, files and sources are in their order, calls by id, because the model may write several
 * calls at once; of an approval only what both sides know.
 */
export function comparable(message: Pick<UIMessage, 'parts'> | undefined): unknown {
  const steps: Part[][] = [[]]
  for (const part of message?.parts ?? []) {
    if (part.type === 'step-start') steps.push([])
    else steps.at(-1)?.push(part)
  }
  return steps.filter((step) => step.length > 0).map(comparableStep)
}

/** Whether a front end with the usual settings would send the message by itself. */
export function sendsAgain(message: UIMessage): boolean {
  const messages = [message]
  return (
    lastAssistantMessageIsCompleteWithToolCalls({ messages }) ||
    lastAssistantMessageIsCompleteWithApprovalResponses({ messages })
  )
}

function isData({ type }: Part): boolean {
  return type.startsWith('data-')
}

function comparableStep(parts: readonly Part[]): unknown {
  const tools: Record<string, unknown> = {}
  const data: Record<string, unknown> = {}
  const pieces: unknown[] = []
  for (const part of parts) {
    if ('toolCallId' in part) tools[part.toolCallId] = comparableTool(part)
    else if (isData(part)) data[JSON.stringify([part.type, 'id' in part ? part.id : ''])] = part
    else if (part.type === 'text' || part.type === 'reasoning') pieces.push([part.type, part.text, part.state])
    else pieces.push(part)
  }
  return { pieces, tools, data }
}

function comparableTool(part: Extract<Part, { readonly toolCallId: string }>): unknown {
  const { type, state, input, errorText, output } = part
  const preliminary = 'preliminary' in part && part.preliminary === true
  const approved = part.approval?.approved
  const asked = state === 'approval-requested' ? part.approval.id : undefined
  return { type, state, input, output, errorText, preliminary, asked, ...(state === 'output-denied' && { approved }) }
}
