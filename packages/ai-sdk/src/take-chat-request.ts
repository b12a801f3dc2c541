/**
 * Takes what `useChat` posted: resolves the answers that it asks for, sends the new message, and gives the stream that brings
 * the front end to what the conversation has.
 */
import {
  emptyView,
  type Json,
  type LogEvent,
  type Refusal,
  type ResolveResult,
  type UserPart,
  type View,
} from '@holdpoint/core'
import type { MessageTaken } from '@holdpoint/runtime'
import { chatRunId } from './chat-run.ts'
import { contentOf, shownParts, type ChatRequest, type PostedMessage } from './chat-request.ts'
import { MessageWriter } from './message-writer.ts'
import { NOT_ACCEPTED, requestedAnswers, type RequestedAnswer, type UnfitAnswer } from './requested-answers.ts'
import { holdId } from './tool-part.ts'
import { turnIdOf, turnSteps } from './turn-steps.ts'
import { TurnStream, type StreamTarget } from './turn-stream.ts'
import type { UiDataPart, UiPart } from './ui-message.ts'

/** The conversation, with the rights of the caller. */
export interface ChatPorts {
  view(): Promise<View | undefined>
  /** The events after a seq: a page. */
  events(after: number): Promise<readonly LogEvent[]>
  resolve(answer: RequestedAnswer): Promise<ResolveResult>
  /** `key`: a message with the same key is taken once. */
  submit(content: readonly UserPart[], key: string): Promise<MessageTaken>
  /** Starts the turn that stopped early again. Resolves when it has started, or was refused. */
  restart(after: number): Promise<{ readonly refused?: string }>
  /** The caller's id. */
  readonly by: string | undefined
}

export type ChatTaken =
  | {
      readonly ok: true
      readonly stream: TurnStream
      /** The items after this seq are for the stream. */
      readonly after: number
      /** For a front end that counts the chunks: names this answer when it comes back. */
      readonly runId?: string
    }
  | { readonly ok: false; readonly refusal: Refusal | 'bad-request'; readonly message: string }

/** More than a person can have answered. Each costs a decision. */
const MOST_ANSWERS = 100

export async function takeChatRequest(request: ChatRequest, ports: ChatPorts): Promise<ChatTaken> {
  const before = (await ports.view()) ?? emptyView
  const { answers, unfit } = requestedAnswers(request.messages, before)
  if (answers.length > MOST_ANSWERS) return refuse(`A request can have ${MOST_ANSWERS} answers at most.`)
  const asked = new Verdicts(unfit)
  for (const answer of answers) asked.add(answer, await ports.resolve(answer), ports.by)
  const sent = await send(request, before, ports)
  if ('ok' in sent) return sent
  const view = (await ports.view()) ?? emptyView
  const target = await targetOf(request, sent, view, ports)
  if (!target) return refuse('The last message is not from the user, and there is nothing to continue.')
  const known = knownMessage(request, target)
  const { notices, refused } = asked
  const options = { view, target, notices, refused, ...(known && { known }) }
  if (!request.resumable) return { ok: true, stream: new TurnStream(options), after: view.seq }
  const last = known ? lastKnownStep(view, target, known) : 0
  const stream = new TurnStream({ ...options, counted: { begins: last === 0 ? 1 : 0 } })
  return { ok: true, stream, after: view.seq, runId: chatRunId(request.id, target, last) }
}

/** The number of the last step that the front end shows of the message that the stream continues. */
function lastKnownStep(view: View, target: StreamTarget, known: { readonly parts: readonly UiPart[] }): number {
  const turn = view.turns.find(({ turnId }) => 'turnId' in target && turnId === target.turnId)
  return turn ? new MessageWriter(known.parts, turnSteps(turn)).lastStep : 0
}

type Sent = { readonly turnId?: string | undefined; readonly waitsAt?: number; readonly after?: number }

async function send(
  { messages, trigger }: ChatRequest,
  before: View,
  ports: ChatPorts,
): Promise<Sent | Extract<ChatTaken, { readonly ok: false }>> {
  if (trigger === 'regenerate-message') return sendAgain(before, ports)
  const last = messages.at(-1)
  if (last?.role !== 'user') return {}
  if (last.id.startsWith('item:')) return refuse('A message that was sent cannot be changed. Send a new one.')
  const content = contentOf(last)
  if (content.length === 0) return refuse('The message has no text and no file.')
  const taken = await ports.submit(content, `ui:${last.id}`)
  if (!taken.ok) return { ok: false, refusal: taken.refusal, message: taken.message }
  const { turnId, waitsAt } = taken
  return { turnId, ...(waitsAt !== undefined && { waitsAt }) }
}

/** A log is never changed, so an answer that is complete stays. One that failed or was stopped is continued. */
async function sendAgain(before: View, ports: ChatPorts): Promise<Sent | Extract<ChatTaken, { readonly ok: false }>> {
  const newest = before.turns.at(-1)
  if (newest && !newest.ended) return { turnId: newest.turnId }
  if (!newest || newest.ended?.reason === 'completed')
    return { ok: false, refusal: 'nothing-to-continue', message: 'The answer is complete. Send a new message instead.' }
  const { refused } = await ports.restart(before.seq)
  if (refused !== undefined) return { ok: false, refusal: 'nothing-to-continue', message: refused }
  return { after: before.seq }
}

async function targetOf(
  request: ChatRequest,
  { turnId, waitsAt, after }: Sent,
  view: View,
  ports: ChatPorts,
): Promise<StreamTarget | undefined> {
  const inView = (id: string | undefined): boolean => view.turns.some((turn) => turn.turnId === id)
  const continued = turnIdOf(request.messageId ?? lastAnswerId(request) ?? '')
  if (continued !== undefined && inView(continued) && request.trigger !== 'regenerate-message') {
    // Without a `messageId`, a new message is for its own turn.
    if (request.messageId || (turnId === undefined && waitsAt === undefined)) return { turnId: continued }
  }
  if (turnId !== undefined && inView(turnId)) return { turnId }
  const from = waitsAt ?? after
  if (from !== undefined) return (await turnAfter(from, ports)) ?? { after: from }
  const newest = view.turns.at(-1)?.turnId
  return newest === undefined ? undefined : { turnId: newest }
}

function lastAnswerId({ messages }: ChatRequest): string | undefined {
  const last = messages.at(-1)
  return last?.role === 'assistant' ? last.id : undefined
}

/** The turn that took the message which was queued at this seq, if it has started. */
export async function turnAfter(from: number, ports: Pick<ChatPorts, 'events'>): Promise<StreamTarget | undefined> {
  for (let after = from; ;) {
    const events = await ports.events(after)
    const turn = events.find((event) => event.type === 'turn.started' && (event.upTo ?? from) >= from)
    if (turn?.type === 'turn.started') return { turnId: turn.turnId }
    const last = events.at(-1)
    if (!last) return undefined
    after = last.seq
  }
}

/** The front end's copy of the message that the stream continues. */
function knownMessage(
  { messages, trigger }: ChatRequest,
  target: StreamTarget,
): { readonly parts: readonly UiPart[] } | undefined {
  if (!('turnId' in target) || trigger === 'regenerate-message') return undefined
  const found = messages.findLast(
    ({ id, role }: PostedMessage) => role === 'assistant' && turnIdOf(id) === target.turnId,
  )
  return found && { parts: shownParts(found) }
}

/** What the front end is told about its answers. */
class Verdicts {
  readonly notices: UiDataPart[] = []
  /** Outputs that were refused, and why. */
  readonly refused = new Map<string, string>()

  constructor(unfit: readonly UnfitAnswer[]) {
    for (const { callId, nth, verdict, message } of unfit) this.#note(callId, nth, { verdict, message })
  }

  add({ callId, nth, resolution }: RequestedAnswer, told: ResolveResult, by: string | undefined): void {
    const { verdict, message, first, remaining } = told
    if (verdict === 'accepted' && remaining === undefined) return
    // The same answer again, for example after a lost connection.
    if (verdict === 'duplicate' && first?.by === by) return
    const who = first && { by: first.by, resolution: first.resolution.kind, at: first.at }
    this.#note(callId, nth, {
      verdict,
      message,
      ...(who && { first: who }),
      ...(remaining !== undefined && { remaining }),
    })
    if (resolution.kind === 'answer' && verdict !== 'accepted') this.refused.set(callId, NOT_ACCEPTED + message)
  }

  #note(callId: string, hold: number, facts: object): void {
    const data = JSON.parse(JSON.stringify({ callId, hold, ...facts })) as Json
    this.notices.push({ type: 'data-verdict', id: holdId(callId, hold), data })
  }
}

function refuse(message: string): Extract<ChatTaken, { readonly ok: false }> {
  return { ok: false, refusal: 'bad-request', message }
}
