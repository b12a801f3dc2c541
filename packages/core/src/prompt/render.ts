/**
 * Renders a passage as messages. The result depends on the passage and the options only. Vendors accept it at any point of a
 * turn: tool names are in the vendor's form, and each call has a result.
 */
import { isObject, type Json } from '../json.ts'
import type { LogEvent } from '../log/log-event.ts'
import type { Inbound, InboxItem, UserPart } from '../log/message.ts'
import { encodeOutcome, type OutcomeEncoder } from '../model/encode-outcome.ts'
import { callsOf, textOf, type CallPart, type ProviderData, type Reply, type ReplyPart } from '../model/reply.ts'
import { timeText } from '../time-text.ts'
import { vendorName } from '../tool/name.ts'
import { pendingValue, type CallOutcome } from '../tool/outcome.ts'
import type { PromptMessage, PromptPart, PromptResult } from './prompt.ts'
import type { Passage } from './transcript.ts'

export interface RenderOptions {
  readonly encode?: OutcomeEncoder
  /** Calls whose results are left out. */
  readonly stubs?: ReadonlySet<string>
  /** Leave out the calls, and show only the message and the final reply. */
  readonly ownWords?: boolean
  /** The prompt has an id of the vendor already, so calls get our ids. */
  readonly ownIds?: boolean
  /** The turn is not over: the model must see the replies that hooks sent back. */
  readonly current?: boolean
  /** Shown before the message. */
  readonly inject?: readonly UserPart[]
}

export interface Rendered {
  readonly messages: readonly PromptMessage[]
  readonly vendorIds: readonly string[]
  /** The seqs of the events that the messages show. */
  readonly seen: ReadonlySet<number>
  /** The messages are only the user's message and the final reply. */
  readonly ownWords: boolean
  /** Counted on demand. */
  tokens?: number
  /** An upper bound of `tokens`, which is cheaper to compute. */
  tokensAtMost?: number
}

/** Replaces a result that is left out. */
const LEFT_OUT = 'This result was left out to save space. Call the tool again if you need it.'

export function stubOf(ok: boolean): Json {
  return { ok, leftOut: LEFT_OUT }
}

/** Replaces a message that a hook withheld. */
const WITHHELD: UserPart = { type: 'text', text: '(A message was withheld here.)' }

/** If a prompt ends with a message of the model, vendors continue that message, or refuse the prompt. */
export const ASK_FOR_RESULT: PromptMessage = {
  role: 'user',
  parts: [{ type: 'text', text: 'Now give the result alone, as JSON that fits the schema.' }],
}
const GO_ON: PromptMessage = { role: 'user', parts: [{ type: 'text', text: 'Please go on.' }] }

export function renderPassage(passage: Passage, options: RenderOptions = {}): Rendered {
  const { current = false, inject = [], encode = encodeOutcome } = options
  if (options.ownWords === true && !current) {
    const rendered = inOwnWords(passage, encode)
    if (rendered) return rendered
  }
  const messages: PromptMessage[] = []
  const seen = new Set<number>()
  const rounds = new Rounds(encode, options)
  const addReply = ({ reply, seq }: Replied): void => {
    const opened = rounds.open(reply)
    // Two replies in a row: after the tool loop, the model was asked for the structured output.
    if (opened.length > 0 && messages.at(-1)?.role === 'assistant') messages.push(ASK_FOR_RESULT)
    messages.push(...opened)
    seen.add(seq)
  }
  for (const [index, event] of passage.events.entries()) {
    switch (event.type) {
      case 'turn.started':
        if (event.items.length > 0) {
          messages.push({ role: 'user', parts: turnParts(passage, event, inject, encode) })
          seen.add(event.seq)
        }
        // The turn continues an earlier one. Without this message, vendors would continue the model's last message.
        else if (messages.at(-1)?.role === 'assistant') messages.push(GO_ON)
        break
      case 'model.replied':
        if (event.withheld) break
        if (!event.again) addReply(event)
        // A reply that was sent back is shown only to the model that has to improve it.
        else if (current && !isSuperseded(passage, index)) {
          addReply(event)
          messages.push({ role: 'user', parts: [{ type: 'text', text: event.again.feedback }] })
        }
        break
      case 'call.rewritten':
        rounds.edited(event.callId, event.input)
        break
      case 'call.approved':
        if (event.resolution.kind === 'approve' && event.resolution.input !== undefined)
          rounds.edited(event.callId, event.resolution.input)
        break
      case 'call.settled':
        if (rounds.settle(event.callId, event.outcome)) seen.add(event.seq)
        break
      case 'message.changed':
        break
    }
  }
  return { messages, vendorIds: [...rounds.vendorIds], seen, ownWords: false }
}

type Replied = Extract<LogEvent, { type: 'model.replied' }>

/** Whether a later reply was accepted as the final one. */
function isSuperseded({ events }: Passage, index: number): boolean {
  return events
    .slice(index + 1)
    .some((event) => event.type === 'model.replied' && !event.again && callsOf(event.reply).length === 0)
}

/** The message and the final reply, without the calls in between. Undefined when there is no final reply. */
function inOwnWords(passage: Passage, encode: OutcomeEncoder): Rendered | undefined {
  const last = passage.events.findLast((event) => event.type === 'model.replied' && !event.again && !event.withheld)
  if (last?.type !== 'model.replied' || callsOf(last.reply).length > 0) return undefined
  const text = textOf(last.reply)
  const first = passage.events[0]
  if (text === '' || first?.type !== 'turn.started') return undefined
  return {
    messages: [
      { role: 'user', parts: turnParts(passage, first, [], encode) },
      { role: 'assistant', parts: [{ type: 'text', text }] },
    ],
    vendorIds: [],
    seen: new Set([first.seq, last.seq]),
    ownWords: true,
  }
}

/** The turn's items as the model reads them: with the changes of hooks, and with `inject` before the message. */
function turnParts(
  { events }: Passage,
  { items }: { readonly items: readonly Inbound[] },
  inject: readonly UserPart[],
  encode: OutcomeEncoder,
): readonly UserPart[] {
  const changed = events.findLast((event) => event.type === 'message.changed')
  if (changed?.type !== 'message.changed') return [...inject, ...partsOfItems(items, encode)]
  if (changed.withheld) return [WITHHELD]
  const { added = [], replacement = partsOfItems(items, encode) } = changed
  return [...added, ...inject, ...replacement]
}

function partsOfItems(items: readonly Inbound[], encode: OutcomeEncoder): readonly UserPart[] {
  const [first] = items
  // Nearly always one message.
  return first && items.length === 1 ? partsOf(first, encode) : items.flatMap((item) => partsOf(item, encode))
}

/** A message, or a late answer, as the model reads it. */
export function partsOf(item: Inbound, encode: OutcomeEncoder): readonly UserPart[] {
  if (item.kind === 'message') return item.message.parts
  if (item.kind === 'event') return [{ type: 'text', text: inboxText(item) }]
  const { callId, name, outcome } = item
  return [
    {
      type: 'text',
      text: `Result of ${name} (call ${callId}), which was pending: ${JSON.stringify(encode(outcome, { callId, name }))}`,
    },
  ]
}

/**
 * As JSON, so that no text in the event can look like a message of another author. Without the requesters: the agent could
 * tell others who asked elsewhere.
 */
function inboxText({ id, event }: InboxItem): string {
  const due = event.type === 'plan.fired' ? { due: timeText(event.due) } : {}
  return JSON.stringify({ inbox: event.type, id, ...event, type: undefined, requesters: undefined, ...due })
}

/** Pairs calls with their results. Until a call has a result, the model reads `pending`. */
class Rounds {
  readonly vendorIds: Set<string> = new Set()
  readonly #encode: OutcomeEncoder
  readonly #options: RenderOptions
  readonly #places = new Map<
    string,
    { results: PromptResult[]; at: number; name: string; id: string; editedInput?: Json }
  >()

  constructor(encode: OutcomeEncoder, options: RenderOptions) {
    this.#encode = encode
    this.#options = options
  }

  open(reply: Reply): PromptMessage[] {
    const results: PromptResult[] = []
    const parts: PromptPart[] = []
    for (const part of reply.parts) {
      const shown = part.type === 'call' ? this.#call(part, results) : partShown(part, reply)
      if (shown) parts.push(shown)
    }
    if (parts.length === 0) return []
    const assistant: PromptMessage = { role: 'assistant', parts }
    return results.length === 0 ? [assistant] : [assistant, { role: 'tool', results }]
  }

  edited(callId: string, editedInput: Json): void {
    const place = this.#places.get(callId)
    if (place) place.editedInput = editedInput
  }

  /** Returns whether the prompt shows the result. */
  settle(callId: string, outcome: CallOutcome): boolean {
    const place = this.#places.get(callId)
    if (!place) return false
    const { results, at, id, name, editedInput } = place
    // `pending` is short, and the model must know that the answer is still missing.
    const stub = this.#options.stubs?.has(callId) === true && !isPending(outcome)
    const content = stub
      ? stubOf(outcome.ok)
      : this.#encode(outcome, editedInput === undefined ? { callId, name } : { callId, name, editedInput })
    results[at] = { id, name: results[at]!.name, isError: !outcome.ok, content }
    return !stub
  }

  #call(part: CallPart, results: PromptResult[]): PromptPart {
    const id = this.#idFor(part)
    const { callId } = part
    const name = vendorName(part.name)
    this.#places.set(callId, { results, at: results.length, name: part.name, id })
    results.push({ id, name, isError: false, content: { ok: true, result: pendingValue(callId) } })
    const call: PromptPart = { type: 'call', id, name, input: isObject(part.input) ? part.input : {} }
    return part.data === undefined ? call : { ...call, data: part.data }
  }

  /** The vendor's id, or ours if an earlier call of this prompt has the same vendor id. */
  #idFor(part: CallPart): string {
    if (this.#options.ownIds === true || part.vendorId === '' || this.vendorIds.has(part.vendorId)) return part.callId
    this.vendorIds.add(part.vendorId)
    return part.vendorId
  }
}

/** A part of a reply as the prompt shows it; undefined when it is left out. */
function partShown(part: Exclude<ReplyPart, CallPart>, { parts, finish }: Reply): PromptPart | undefined {
  const cutOff = finish === 'interrupted'
  switch (part.type) {
    case 'provider-call':
      // The reply was cut off before the result. The vendor refuses its own call without one.
      if (cutOff && !parts.some((each) => each.type === 'provider-result' && each.id === part.id)) return undefined
      return {
        type: 'call',
        id: part.id,
        name: part.name,
        input: isObject(part.input) ? part.input : {},
        byProvider: true,
        ...dataOf(part),
      }
    case 'text':
      // Vendors also attach signatures to empty text, and need them back.
      return part.text === '' && !part.data ? undefined : part
    case 'reasoning':
      // Reasoning that was cut off has no signature, and vendors refuse it.
      return cutOff ? undefined : part
    case 'source':
      return undefined
    case 'provider-result':
    case 'file':
    case 'custom':
      return part
  }
}

function isPending(outcome: CallOutcome): boolean {
  return outcome.ok && isObject(outcome.value) && outcome.value['status'] === 'pending'
}

function dataOf(part: { readonly data?: ProviderData }): { data?: ProviderData } {
  return part.data === undefined ? {} : { data: part.data }
}
