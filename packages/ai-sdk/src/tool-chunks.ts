/**
 * The chunks that change a tool part from what the front end shows into what the conversation has.
 *
 * `tool-input-available` makes the front end call `onToolCall`, which may run a client tool. So it is sent only for a call that
 * the front end may answer, or that runs. In every other state the input is sent with `tool-input-start` and its text.
 */
import { parseJson, sameJson, type Json } from '@holdpoint/core'
import { toolNameOf, type UiStreamPart, type UiToolPart } from './ui-message.ts'

interface Place {
  /** The part is in the newest step. Only there can its input change. */
  readonly newest: boolean
  /** This stream wrote the beginning of the input. */
  readonly begun: boolean
}

export function toolChunks(
  before: UiToolPart | undefined,
  part: UiToolPart,
  { newest, begun }: Place,
): { readonly chunks: UiStreamPart[]; readonly begun: boolean } {
  if (before && sameJson(before as unknown as Json, part as unknown as Json)) return { chunks: [], begun }
  const input = newest ? inputChunks(before, part, begun) : { chunks: [], begun: false, quiet: false }
  return { chunks: [...input.chunks, ...stateChunks(before, part, input.quiet)], begun: input.begun }
}

interface InputChunks {
  readonly chunks: UiStreamPart[]
  readonly begun: boolean
  /** The front end shows the part as `input-streaming` now. */
  readonly quiet: boolean
}

function inputChunks(before: UiToolPart | undefined, part: UiToolPart, begun: boolean): InputChunks {
  const { toolCallId } = part
  const start = { type: 'tool-input-start', toolCallId, toolName: toolNameOf(part), ...vendor(part) } as const
  const shown = before?.state === 'input-streaming' ? before.rawInput : undefined
  if (part.state === 'input-streaming' && part.rawInput !== undefined) {
    const { rawInput } = part
    const from = begun && shown !== undefined && rawInput.startsWith(shown) ? shown.length : undefined
    const restarted = from === undefined ? [start] : []
    const delta = rawInput.slice(from ?? 0)
    return { chunks: [...restarted, ...deltas(toolCallId, delta)], begun: true, quiet: true }
  }
  if (before && isShown(before, part.input)) return { chunks: [], begun, quiet: false }
  // The whole input comes with `tool-input-available`, right after this.
  if (!before && part.state === 'input-available') return { chunks: [], begun: false, quiet: false }
  const text = part.input === undefined ? '' : JSON.stringify(part.input)
  return { chunks: [start, ...deltas(toolCallId, text)], begun: true, quiet: true }
}

function deltas(toolCallId: string, inputTextDelta: string): UiStreamPart[] {
  return inputTextDelta === '' ? [] : [{ type: 'tool-input-delta', toolCallId, inputTextDelta }]
}

/** Whether the front end shows this input, given as a value or as complete text. */
function isShown({ state, input, rawInput }: UiToolPart, wanted: Json | undefined): boolean {
  if (state !== 'input-streaming' || rawInput === undefined) return same(input, wanted)
  const read = parseJson(rawInput)
  return read.ok && same(read.value, wanted)
}

function same(a: Json | undefined, b: Json | undefined): boolean {
  return a === undefined || b === undefined ? a === b : sameJson(a, b)
}

/** `quiet`: the front end shows the part as `input-streaming`, whatever it showed before. */
function stateChunks(before: UiToolPart | undefined, part: UiToolPart, quiet: boolean): UiStreamPart[] {
  const { toolCallId, state, input = null, output = null, preliminary } = part
  const asked = approvalChunks(before, part)
  if (asked.length === 0 && before && !quiet && isSameState(before, part)) return []
  switch (state) {
    case 'input-streaming':
      return []
    case 'input-available':
      return [{ type: 'tool-input-available', toolCallId, toolName: toolNameOf(part), input, ...vendor(part) }]
    case 'approval-requested':
      return asked.length === 0 ? requestChunks(part) : asked
    case 'approval-responded':
      return asked.length === 0 ? responseChunks(part) : asked
    case 'output-available':
      return [
        ...asked,
        { type: 'tool-output-available', toolCallId, output, ...(preliminary && { preliminary }), ...vendor(part) },
      ]
    case 'output-error':
      return [...asked, { type: 'tool-output-error', toolCallId, errorText: part.errorText ?? '', ...vendor(part) }]
    case 'output-denied':
      return [...asked, { type: 'tool-output-denied', toolCallId }]
  }
}

function isSameState(before: UiToolPart, part: UiToolPart): boolean {
  return (
    before.state === part.state &&
    same(before.output, part.output) &&
    before.errorText === part.errorText &&
    (before.preliminary ?? false) === (part.preliminary ?? false)
  )
}

/** The request and the response that the front end does not show yet. */
function approvalChunks(before: UiToolPart | undefined, part: UiToolPart): UiStreamPart[] {
  const { approval } = part
  const known = before?.approval?.id === approval?.id ? before?.approval : undefined
  if (!approval || (known && known.approved === approval.approved)) return []
  if (approval.approved === undefined || !known) return [...requestChunks(part), ...responseChunks(part)]
  return responseChunks(part)
}

function requestChunks({ toolCallId, approval }: UiToolPart): UiStreamPart[] {
  if (!approval) return []
  const { id: approvalId, requestReason: reason } = approval
  return [{ type: 'tool-approval-request', approvalId, toolCallId, ...(reason !== undefined && { reason }) }]
}

function responseChunks({ approval }: UiToolPart): UiStreamPart[] {
  if (approval?.approved === undefined) return []
  const { id: approvalId, approved, reason } = approval
  return [{ type: 'tool-approval-response', approvalId, approved, ...(reason !== undefined && { reason }) }]
}

function vendor({ providerExecuted }: UiToolPart): { readonly providerExecuted?: boolean } {
  return providerExecuted ? { providerExecuted } : {}
}
