/** Writes the steps of one turn as they grow: text, reasoning, calls and their results. */
import { partsOfStep, type ViewCall, type ViewStep, type ViewTurn } from '@holdpoint/core'
import { contentOf, reasoningId, resultId, stepId, textIn } from './ag-ui-messages.ts'
import type { AgUiEvent } from './ag-ui-event.ts'

type Kind = 'text' | 'reasoning'

interface ShownStep {
  readonly text: { chars: number; open: boolean }
  readonly reasoning: { chars: number; open: boolean }
}

interface ShownCall {
  args: string
  ended: boolean
  settled: boolean
}

export class StepWriter {
  readonly #steps = new Map<string, ShownStep>()
  readonly #calls = new Map<string, ShownCall>()

  /** What the front end has from a snapshot. */
  know(turn: ViewTurn): void {
    for (const step of turn.steps) {
      const done = (type: Kind): ShownStep[Kind] => ({ chars: textIn(step, type).length, open: false })
      this.#steps.set(stepId(turn, step), { text: done('text'), reasoning: done('reasoning') })
      for (const call of callsIn(step))
        this.#calls.set(call.callId, {
          args: JSON.stringify(call.input),
          ended: true,
          settled: call.outcome !== undefined,
        })
    }
  }

  /** `lost`: something that was shown is no longer there, so the front end needs a snapshot. */
  write(
    turn: ViewTurn,
    callIds: ReadonlyMap<string, string>,
  ): { readonly events: AgUiEvent[]; readonly lost: boolean } {
    const steps = turn.steps.filter(isInOrder)
    const present = new Set(steps.map((step) => stepId(turn, step)))
    const gone = [...this.#steps].some(
      ([id, { text, reasoning }]) => !present.has(id) && text.chars + reasoning.chars > 0,
    )
    const shrunk = steps.some((step) => this.#hasShrunk(turn, step))
    if (gone || shrunk) return { events: this.close(), lost: true }
    return { events: steps.flatMap((step) => this.#writeStep(turn, step, callIds)), lost: false }
  }

  /** Ends every message and call that is open. */
  close(): AgUiEvent[] {
    const messages = [...this.#steps].flatMap(([id, { text, reasoning }]) => [
      ...closed(reasoning, 'reasoning', `reasoning:${id}`),
      ...closed(text, 'text', id),
    ])
    const calls = [...this.#calls].flatMap(([toolCallId, call]): AgUiEvent[] => {
      if (call.ended) return []
      call.ended = true
      return [{ type: 'TOOL_CALL_END', toolCallId }]
    })
    return [...messages, ...calls]
  }

  forget(): void {
    this.#steps.clear()
    this.#calls.clear()
  }

  #hasShrunk(turn: ViewTurn, step: ViewStep): boolean {
    const shown = this.#steps.get(stepId(turn, step))
    if (!shown) return false
    return textIn(step, 'text').length < shown.text.chars || textIn(step, 'reasoning').length < shown.reasoning.chars
  }

  #writeStep(turn: ViewTurn, step: ViewStep, callIds: ReadonlyMap<string, string>): AgUiEvent[] {
    const id = stepId(turn, step)
    const shown = this.#steps.get(id) ?? { text: { chars: 0, open: false }, reasoning: { chars: 0, open: false } }
    this.#steps.set(id, shown)
    const text = textIn(step, 'text')
    const done = step.reply !== undefined
    const thought = grown(shown.reasoning, 'reasoning', reasoningId(turn, step), textIn(step, 'reasoning'))
    const closesThought = done || text.length > 0 ? closed(shown.reasoning, 'reasoning', reasoningId(turn, step)) : []
    const said = grown(shown.text, 'text', id, text)
    const calls = partsOfStep(step).flatMap((part): AgUiEvent[] => {
      if (part.type === 'call') return this.#call(part.call, id)
      if (part.type !== 'call-input') return []
      const callId = part.callId ?? callIds.get(part.id)
      const args = part.input === undefined ? part.text : JSON.stringify(part.input)
      return callId === undefined ? [] : this.#args(callId, part.name, args, id)
    })
    return [...thought, ...closesThought, ...said, ...(done ? closed(shown.text, 'text', id) : []), ...calls]
  }

  #args(toolCallId: string, toolCallName: string, args: string, parentMessageId: string): AgUiEvent[] {
    const known = this.#calls.get(toolCallId)
    const shown = known ?? { args: '', ended: false, settled: false }
    this.#calls.set(toolCallId, shown)
    const delta = args.startsWith(shown.args) ? args.slice(shown.args.length) : ''
    shown.args += delta
    return [
      ...(known ? [] : [{ type: 'TOOL_CALL_START', toolCallId, toolCallName, parentMessageId } as const]),
      ...(delta === '' || shown.ended ? [] : [{ type: 'TOOL_CALL_ARGS', toolCallId, delta } as const]),
    ]
  }

  #call({ callId, name, input, outcome }: ViewCall, parentMessageId: string): AgUiEvent[] {
    const before = this.#calls.get(callId)?.args ?? ''
    // Text that the model wrote in its own way is complete. Edited input comes with the snapshot at the end.
    const events = this.#args(callId, name, before === '' ? JSON.stringify(input) : before, parentMessageId)
    const shown = this.#calls.get(callId)
    if (!shown) return events
    if (!shown.ended) events.push({ type: 'TOOL_CALL_END', toolCallId: callId })
    shown.ended = true
    if (!outcome || shown.settled) return events
    shown.settled = true
    return [
      ...events,
      {
        type: 'TOOL_CALL_RESULT',
        messageId: resultId(callId),
        toolCallId: callId,
        content: contentOf(outcome),
        role: 'tool',
      },
    ]
  }
}

function callsIn(step: ViewStep): readonly ViewCall[] {
  return partsOfStep(step).flatMap((part) => (part.type === 'call' ? [part.call] : []))
}

/** A frame can overtake the events of the step before. */
function isInOrder({ step, streaming }: ViewStep, index: number, steps: readonly ViewStep[]): boolean {
  const before = steps[index - 1]
  return (
    !streaming || (step === (before?.step ?? 0) + 1 && (before?.calls ?? []).every(({ state }) => state === 'settled'))
  )
}

function grown(shown: ShownStep[Kind], kind: Kind, messageId: string, text: string): AgUiEvent[] {
  const delta = text.slice(shown.chars)
  if (delta === '') return []
  const begins = !shown.open
  shown.open = true
  shown.chars = text.length
  if (kind === 'text')
    return [
      ...(begins ? [{ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' } as const] : []),
      { type: 'TEXT_MESSAGE_CONTENT', messageId, delta },
    ]
  const start = [
    { type: 'REASONING_START', messageId },
    { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
  ] as const
  return [...(begins ? start : []), { type: 'REASONING_MESSAGE_CONTENT', messageId, delta }]
}

function closed(shown: ShownStep[Kind], kind: Kind, messageId: string): AgUiEvent[] {
  if (!shown.open) return []
  shown.open = false
  if (kind === 'text') return [{ type: 'TEXT_MESSAGE_END', messageId }]
  return [
    { type: 'REASONING_MESSAGE_END', messageId },
    { type: 'REASONING_END', messageId },
  ]
}
