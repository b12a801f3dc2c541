/** A turn as the steps of one message of an AI SDK front end. Stored history and the live stream are both made from these. */
import { fileUrl } from './file-url.ts'
import { partsOfStep, type Inbound, type ReplyPart, type ViewPart, type ViewStep, type ViewTurn } from '@holdpoint/core'
import { holdParts, toolPart } from './tool-part.ts'
import { isToolPart, type UiDataPart, type UiPart, type UiSource, type UiToolPart } from './ui-message.ts'

export interface TurnStep {
  /** Its number in the turn; 0 for what the turn is about, `end` for the mark at its end. */
  readonly step: number | 'end'
  readonly parts: readonly UiPart[]
}

/** The ids that we gave the calls which the model is writing, by the vendor's ids. */
export type CallIds = ReadonlyMap<string, string>

export function messageIdOf(turnId: string): string {
  return `turn:${turnId}`
}

export function turnIdOf(messageId: string): string | undefined {
  return messageId.startsWith('turn:') ? messageId.slice('turn:'.length) : undefined
}

export function turnSteps(turn: ViewTurn, callIds: CallIds = new Map()): readonly TurnStep[] {
  const results = resultsOfVendor(turn.steps)
  const steps = turn.steps.filter(isInOrder).map((step): TurnStep => {
    const parts = partsOfStep(step).flatMap((part, index) =>
      uiParts(part, vendorCallId(turn, step, index), results, callIds),
    )
    return { step: step.step, parts }
  })
  const answers = turn.items.flatMap(answerParts)
  const end = endOf(turn, steps)
  return [...(answers.length > 0 ? [{ step: 0, parts: answers }] : []), ...steps, ...(end ? [end] : [])]
}

/** The step that is being written. A piece of text costs the same in a turn of any length. */
export function stepBeingWritten(turn: ViewTurn, callIds: CallIds): TurnStep | undefined {
  const { steps } = turn
  const newest = steps.at(-1)
  if (!newest?.streaming || !isInOrder(newest, steps.length - 1, steps)) return undefined
  return { step: newest.step, parts: newest.streaming.parts.flatMap((part) => uiParts(part, '', new Map(), callIds)) }
}

/** A frame can overtake the events of the step before, and only the newest step of a message can change. */
function isInOrder({ step, streaming }: ViewStep, index: number, steps: readonly ViewStep[]): boolean {
  const before = steps[index - 1]
  return (
    !streaming || (step === (before?.step ?? 0) + 1 && (before?.calls ?? []).every(({ state }) => state === 'settled'))
  )
}

/**
 * A front end that sends automatically would send the message again and again when its last step has nothing but finished
 * calls. So the end of such a turn is a step of its own. It needs a part: front ends do not show a step before its first part.
 */
function endOf({ ended }: ViewTurn, steps: readonly TurnStep[]): TurnStep | undefined {
  const last = steps.findLast((step) => step.parts.length > 0)
  if (!ended || (ended.reason === 'completed' && !last?.parts.some(isToolPart))) return undefined
  const { reason, message } = ended
  return { step: 'end', parts: [dataPart('data-ended', { reason, ...(message !== undefined && { message }) })] }
}

/** `data-answer`: the turn is about an answer that came after the call's own turn. */
function answerParts(item: Inbound): readonly UiDataPart[] {
  if (item.kind !== 'answer' || item.silent) return []
  const { callId, name, outcome } = item
  return [
    dataPart(
      'data-answer',
      { callId, name, outcome: outcome.ok ? outcome : { ok: false, error: outcome.error } },
      callId,
    ),
  ]
}

function dataPart(type: `data-${string}`, data: object, id?: string): UiDataPart {
  return { type, ...(id !== undefined && { id }), data: JSON.parse(JSON.stringify(data)) as UiDataPart['data'] }
}

type VendorResult = Extract<ReplyPart, { readonly type: 'provider-result' }>
type VendorResults = ReadonlyMap<ViewPart, VendorResult>

/** Which call of the vendor each result belongs to. Vendors use ids again, and some send a result in a later step. */
function resultsOfVendor(steps: readonly ViewStep[]): VendorResults {
  const open = new Map<string, ViewPart>()
  const results = new Map<ViewPart, VendorResult>()
  for (const part of steps.flatMap(partsOfStep)) {
    if (part.type === 'provider-call') open.set(part.id, part)
    if (part.type !== 'provider-result') continue
    const call = open.get(part.id)
    open.delete(part.id)
    if (call) results.set(call, part)
  }
  return results
}

function vendorCallId({ turnId }: ViewTurn, { step }: ViewStep, index: number): string {
  return `${turnId}:${step}:${index}`
}

function uiParts(part: ViewPart, vendorId: string, results: VendorResults, callIds: CallIds): readonly UiPart[] {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return part.text === ''
        ? []
        : [{ type: part.type, text: part.text, state: part.streaming ? 'streaming' : 'done' }]
    case 'call':
      return [toolPart(part.call), ...holdParts(part.call)]
    case 'call-input':
      return writtenCall(part, callIds)
    case 'provider-call':
      return [vendorCall(part, vendorId, results.get(part))]
    case 'provider-result':
      return []
    case 'file': {
      const { mediaType, file, reasoning } = part
      const url = fileUrl(mediaType, file)
      return [{ type: reasoning ? 'reasoning-file' : 'file', mediaType, url }]
    }
    case 'source':
      return sourceParts(part.source)
    case 'custom':
      return part.kind.includes('.') ? [{ type: 'custom', kind: part.kind as `${string}.${string}` }] : []
  }
}

/** A call that the model is writing. Not shown before its id is known. */
function writtenCall(
  { id, name, text, callId = '', input }: Extract<ViewPart, { readonly type: 'call-input' }>,
  callIds: CallIds,
): readonly UiPart[] {
  const toolCallId = callId === '' ? callIds.get(id) : callId
  if (toolCallId === undefined) return []
  const rawInput = input === undefined ? text : JSON.stringify(input)
  return [{ type: `tool-${name}`, toolCallId, state: 'input-streaming', rawInput }]
}

function vendorCall(
  { name, input }: Extract<ReplyPart, { readonly type: 'provider-call' }>,
  toolCallId: string,
  result: VendorResult | undefined,
): UiToolPart {
  const call = { type: `tool-${name}`, toolCallId, input, providerExecuted: true } as const
  if (!result) return { ...call, state: 'input-available' }
  if (!result.isError) return { ...call, state: 'output-available', output: result.result }
  const text = typeof result.result === 'string' ? result.result : JSON.stringify(result.result)
  return { ...call, state: 'output-error', errorText: text }
}

function sourceParts({
  sourceType,
  id,
  url,
  title,
  mediaType,
  filename,
}: Readonly<Record<string, unknown>>): readonly UiSource[] {
  if (typeof id !== 'string') return []
  const name = typeof title === 'string' ? title : undefined
  if (sourceType === 'url' && typeof url === 'string')
    return [{ type: 'source-url', sourceId: id, url, ...(name !== undefined && { title: name }) }]
  if (sourceType !== 'document' || typeof mediaType !== 'string') return []
  const file = typeof filename === 'string' ? { filename } : {}
  return [{ type: 'source-document', sourceId: id, mediaType, title: name ?? '', ...file }]
}
