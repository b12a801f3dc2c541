/** Stored history as AG-UI messages: one assistant message for each step, then the results of its calls. */
import { partsOfStep, type CallOutcome, type Inbound, type View, type ViewStep, type ViewTurn } from '@holdpoint/core'
import type { AgUiMessage } from './ag-ui-event.ts'

export function agUiMessagesOf({ turns }: View): readonly AgUiMessage[] {
  return turns.flatMap((turn) => [
    ...turn.items.flatMap((item, index) => saidIn(turn, item, index)),
    ...turn.steps.flatMap((step) => stepMessages(turn, step)),
  ])
}

export function stepId({ turnId }: ViewTurn, { step }: Pick<ViewStep, 'step'>): string {
  return `${turnId}:${step}`
}

export function reasoningId(turn: ViewTurn, step: Pick<ViewStep, 'step'>): string {
  return `reasoning:${stepId(turn, step)}`
}

export function resultId(callId: string): string {
  return `result:${callId}`
}

/** All text of a step, or all of its reasoning. */
export function textIn(step: ViewStep, type: 'text' | 'reasoning'): string {
  return partsOfStep(step).reduce((text, part) => (part.type === type ? text + part.text : text), '')
}

/** What the model reads of an outcome: a result, or why there is none. */
export function contentOf(outcome: CallOutcome): string {
  const value = outcome.ok ? outcome.value : { error: outcome.error.message, code: outcome.error.code }
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function stepMessages(turn: ViewTurn, step: ViewStep): readonly AgUiMessage[] {
  const reasoning = textIn(step, 'reasoning')
  const content = textIn(step, 'text')
  const calls = partsOfStep(step).flatMap((part) => (part.type === 'call' ? [part.call] : []))
  const toolCalls = calls.map(({ callId, name, input }) => ({
    id: callId,
    type: 'function' as const,
    function: { name, arguments: JSON.stringify(input) },
  }))
  const said = content !== '' || toolCalls.length > 0
  return [
    ...(reasoning === '' ? [] : [{ id: reasoningId(turn, step), role: 'reasoning', content: reasoning } as const]),
    ...(said
      ? [
          {
            id: stepId(turn, step),
            role: 'assistant',
            ...(content !== '' && { content }),
            ...(toolCalls.length > 0 && { toolCalls }),
          } as const,
        ]
      : []),
    ...calls.flatMap(({ callId, outcome }) =>
      outcome ? [{ id: resultId(callId), role: 'tool', toolCallId: callId, content: contentOf(outcome) } as const] : [],
    ),
  ]
}

function saidIn({ turnId }: ViewTurn, item: Inbound, index: number): readonly AgUiMessage[] {
  if (item.kind !== 'message') return []
  const content = item.message.parts.map((part) =>
    part.type === 'text' ? part.text : `[${part.filename ?? part.mediaType}]`,
  )
  return [{ id: `item:${index}:${turnId}`, role: 'user', content: content.join('\n') }]
}
