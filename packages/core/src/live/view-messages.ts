/**
 * A view as the flat list that a chat draws: what people said, and for each turn one message of the agent, its text and
 * its calls where the model put them. A message that did not change is the same object as before.
 */
import type { Inbound, InboxEvent, UserPart } from '../log/message.ts'
import type { CallPart, ReplyPart } from '../model/reply.ts'
import type { CallOutcome } from '../tool/outcome.ts'
import type { HoldKind } from '../turn/hold.ts'
import { remember, rememberBoth, turnsOf } from './view-turns-and-holds.ts'
import type { StreamingPart, View, ViewCall, ViewStep, ViewStreaming, ViewTurn } from './view-shape.ts'

/** `id` is unique in the conversation and stays the same from the first frame on. */
export type ViewMessage =
  | {
      readonly role: 'user'
      readonly id: string
      readonly turnId: string
      readonly at: number
      readonly parts: readonly UserPart[]
      readonly by?: string
    }
  /** An answer that came after its call's own turn had gone on. */
  | {
      readonly role: 'answer'
      readonly id: string
      readonly turnId: string
      readonly at: number
      readonly callId: string
      readonly name: string
      readonly outcome: CallOutcome
    }
  /** Something from the agent's inbox. */
  | {
      readonly role: 'event'
      readonly id: string
      readonly turnId: string
      readonly at: number
      readonly event: InboxEvent
    }
  /** Everything the agent said and did in a turn; there from its start, when it has said nothing yet. */
  | {
      readonly role: 'assistant'
      readonly id: string
      readonly turnId: string
      readonly at: number
      readonly agent: string
      readonly parts: readonly ViewPart[]
      /** The model did not answer, and will be asked again. */
      readonly retry?: NonNullable<ViewStreaming['retry']>
      readonly ended?: NonNullable<ViewTurn['ended']>
    }

export type ViewPart =
  | (Exclude<ReplyPart, CallPart> & { readonly streaming?: never })
  | { readonly type: 'call'; readonly call: ViewCall; readonly streaming?: never }
  | StreamingPart

/** What waits in `view.queue` is not among them yet. */
export function messagesOf(view: View): readonly ViewMessage[] {
  const { turns, live } = view
  return rememberBoth(lists, turns, live, () => {
    const earlier = remember(beforeNewest, turns, () => turns.slice(0, -1).flatMap(messagesOfTurn))
    return [...earlier, ...turnsOf(view).slice(-1).flatMap(messagesOfTurn)]
  })
}

const lists = new WeakMap<readonly ViewTurn[], WeakMap<View['live'], readonly ViewMessage[]>>()
const beforeNewest = new WeakMap<readonly ViewTurn[], readonly ViewMessage[]>()
const said = new WeakMap<readonly Inbound[], readonly ViewMessage[]>()
const done = new WeakMap<ViewTurn, ViewMessage>()
const calls = new WeakMap<ViewCall, ViewPart>()

function messagesOfTurn(turn: ViewTurn): readonly ViewMessage[] {
  const items = remember(said, turn.items, () =>
    turn.items.flatMap((item, index) => (isSilent(item) ? [] : [itemMessage(item, index, turn)])),
  )
  return [...items, remember(done, turn, () => agentMessage(turn))]
}

function itemMessage(item: Inbound, index: number, { turnId, startedAt: at }: ViewTurn): ViewMessage {
  const id = `item:${index}:${turnId}`
  switch (item.kind) {
    case 'message': {
      const { parts, by } = item.message
      return { role: 'user', id, turnId, at, parts, ...(by !== undefined && { by }) }
    }
    case 'answer': {
      const { callId, name, outcome } = item
      return { role: 'answer', id, turnId, at, callId, name, outcome }
    }
    case 'event':
      return { role: 'event', id, turnId, at: item.at, event: item.event }
  }
}

function agentMessage({ turnId, startedAt: at, agent, steps, ended }: ViewTurn): ViewMessage {
  const retry = steps.at(-1)?.streaming?.retry
  return {
    role: 'assistant',
    id: `turn:${turnId}`,
    turnId,
    at,
    agent,
    parts: steps.flatMap(partsOfStep),
    ...(retry && { retry }),
    ...(ended && { ended }),
  }
}

/** The parts of one step, as the messages have them. */
export function partsOfStep(step: ViewStep): readonly ViewPart[] {
  if (!step.reply) return step.streaming.parts
  if (step.sentBack ?? step.withheld) return []
  return step.reply.parts.flatMap((part): readonly ViewPart[] => {
    if (part.type === 'provider-call' || part.type === 'provider-result')
      return step.display?.some(({ callId, silent }) => silent && callId === part.id) ? [] : [part]
    if (part.type !== 'call') return [part]
    const call = step.calls.find(({ callId }) => callId === part.callId)
    return call && isShown(call) ? [remember(calls, call, () => ({ type: 'call', call }))] : []
  })
}

function isSilent(item: Inbound): boolean {
  return item.kind === 'answer' && item.silent === true
}

/** What a person is asked must be seen, and stays once it was. */
function isShown(call: ViewCall): boolean {
  const { silent, hold = call.state === 'settled' ? call.missed : undefined, resolved } = call
  return !silent || asksPeople(hold?.kind) || resolved.some((each) => asksPeople(each.hold))
}

function asksPeople(kind: HoldKind | undefined): boolean {
  return kind === 'approval' || kind === 'elicitation'
}
