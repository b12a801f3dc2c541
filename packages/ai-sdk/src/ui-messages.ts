/** Stored history as the messages of an AI SDK front end. */
import { fileUrl } from './file-url.ts'
import { turnsOf, type Inbound, type Json, type View, type ViewTurn } from '@holdpoint/core'
import { messageIdOf, turnSteps } from './turn-steps.ts'
import { isToolPart, type UiMessage, type UiPart } from './ui-message.ts'

/** The turns of a view, oldest first: what people said, and one message of the agent for each turn. */
export function uiMessagesOf(view: View): readonly UiMessage[] {
  return turnsOf(view).flatMap((turn) => [
    ...turn.items.flatMap((item, index) => saidIn(turn, item, index)),
    answerOf(turn),
  ])
}

function answerOf(turn: ViewTurn): UiMessage {
  const steps = turnSteps(turn)
    .filter(({ parts }) => parts.length > 0)
    .flatMap(({ step, parts }): readonly UiPart[] => [
      ...(step === 0 ? [] : [{ type: 'step-start' } as const]),
      ...parts.map(stored),
    ])
  return { id: messageIdOf(turn.turnId), role: 'assistant', parts: steps }
}

/** A stored call has an approval in the states where `ai` allows one, and the answer that `ai` expects there. */
function stored(part: UiPart): UiPart {
  if (!isToolPart(part) || !part.approval) return part
  const { approval, ...rest } = part
  const given = approval.approved
  const fits =
    rest.state === 'output-available' || rest.state === 'output-error'
      ? given === true
      : rest.state !== 'input-streaming' && rest.state !== 'input-available'
  return fits ? part : rest
}

function saidIn({ turnId }: ViewTurn, item: Inbound, index: number): readonly UiMessage[] {
  const parts = partsOf(item)
  return parts.length > 0 ? [{ id: `item:${index}:${turnId}`, role: 'user', parts }] : []
}

function partsOf(item: Inbound): readonly UiPart[] {
  if (item.kind === 'answer') return []
  if (item.kind === 'event')
    return [{ type: 'data-event', id: item.id, data: JSON.parse(JSON.stringify(item.event)) as Json }]
  return item.message.parts.map((part): UiPart => {
    if (part.type === 'text') return part
    const { mediaType, file, filename } = part
    const url = fileUrl(mediaType, file)
    return { type: 'file', mediaType, url, ...(filename !== undefined && { filename }) }
  })
}
