/**
 * A passage as messages. A pure projection: it never looks at tools, time or state, and in every state of a passage it
 * gives messages that vendors accept: names in their form, a result behind each call.
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
  /** Leave out the calls and show only what was said at last. */
  readonly ownWords?: boolean
  /** An id of a vendor was used before in this prompt: take ours. */
  readonly ownIds?: boolean
  /** The turn is going on: replies that were sent back are still what the next one is an answer to. */
  readonly current?: boolean
  /** Comes before what was said. */
  readonly inject?: readonly UserPart[]
}

export interface Rendered {
  readonly messages: readonly PromptMessage[]
  readonly vendorIds: readonly string[]
  /** The seqs of the events that can be read in them. */
  readonly seen: ReadonlySet<number>
  /** Only what was said and what the agent said at last. */
  readonly ownWords: boolean
  /** Counted on demand. */
  tokens?: number
  /** No fewer than that, found when it is enough to know. */
  tokensAtMost?: number
}

/** What the model reads in place of a result. */
const LEFT_OUT = 'This result was left out to save space. Call the tool again if you need it.'

export function stubOf(ok: boolean): Json {
  return { ok, leftOut: LEFT_OUT }
}

/** What the model reads in place of a message that a hook did not let through. */
const WITHHELD: UserPart = { type: 'text', text: '(A message was withheld here.)' }

/** Vendors read a prompt that ends in the model's own words as the beginning of its reply, or refuse it. */
export const ASK_FOR_RESULT: PromptMessage = {
  role: 'user',
  parts: [{ type: 'text', text: 'Now give the result alone, as JSON that fits the schema.' }],
}
const GO_ON: PromptMessage = { role: 'user', parts: [{ type: 'text', text: 'Please go on.' }] }

export function renderPassage(passage: Passage, options: RenderOptions = {}): Rendered {
  const { current = false, inject = [], encode = encodeOutcome } = options
  if (options.ownWords === true && !current) {
    const told = inOwnWords(passage, encode)
    if (told) return told
  }
  const messages: PromptMessage[] = []
  const seen = new Set<number>()
  const rounds = new Rounds(encode, options)
  const reply = ({ reply: said, seq }: Replied): void => {
    const opened = rounds.open(said)
    // Two replies in a row: the second was asked for, once the tool loop was over.
    if (opened.length > 0 && messages.at(-1)?.role === 'assistant') messages.push(ASK_FOR_RESULT)
    messages.push(...opened)
    seen.add(seq)
  }
  for (const [index, event] of passage.events.entries()) {
    switch (event.type) {
      case 'turn.started':
        if (event.items.length > 0) {
          messages.push({ role: 'user', parts: heard(passage, event, inject, encode) })
          seen.add(event.seq)
        }
        // A turn is taken up again, and vendors read the model's own words at the end as the beginning of its reply.
        else if (messages.at(-1)?.role === 'assistant') messages.push(GO_ON)
        break
      case 'model.replied':
        if (event.withheld) break
        if (!event.again) reply(event)
        // A reply that was sent back is shown only to the model that has to improve it.
        else if (current && !stoodLater(passage, index)) {
          reply(event)
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
      case 'turn.briefed':
        break
    }
  }
  return { messages, vendorIds: [...rounds.vendorIds], seen, ownWords: false }
}

type Replied = Extract<LogEvent, { type: 'model.replied' }>

/** A reply after it ended what was asked of the model. */
function stoodLater({ events }: Passage, index: number): boolean {
  return events
    .slice(index + 1)
    .some((event) => event.type === 'model.replied' && !event.again && callsOf(event.reply).length === 0)
}

/** What was said and what the agent said at last, if it did: the tools it used in between are left out. */
function inOwnWords(passage: Passage, encode: OutcomeEncoder): Rendered | undefined {
  const last = passage.events.findLast((event) => event.type === 'model.replied' && !event.again && !event.withheld)
  if (last?.type !== 'model.replied' || callsOf(last.reply).length > 0) return undefined
  const text = textOf(last.reply)
  const first = passage.events[0]
  if (text === '' || first?.type !== 'turn.started') return undefined
  return {
    messages: [
      { role: 'user', parts: heard(passage, first, [], encode) },
      { role: 'assistant', parts: [{ type: 'text', text }] },
    ],
    vendorIds: [],
    seen: new Set([first.seq, last.seq]),
    ownWords: true,
  }
}

/** What the model reads of what was said: as hooks left it, or as it was, behind what they added. */
function heard(
  { events }: Passage,
  { items }: { readonly items: readonly Inbound[] },
  inject: readonly UserPart[],
  encode: OutcomeEncoder,
): readonly UserPart[] {
  const briefed = events.findLast((event) => event.type === 'turn.briefed')
  if (briefed?.type !== 'turn.briefed') return [...inject, ...saidIn(items, encode)]
  if (briefed.withheld) return [WITHHELD]
  const { added = [], said = saidIn(items, encode) } = briefed
  return [...added, ...inject, ...said]
}

function saidIn(items: readonly Inbound[], encode: OutcomeEncoder): readonly UserPart[] {
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

/** As JSON: what people and services wrote must not look like another author's text. */
function inboxText({ id, event }: InboxItem): string {
  const due = event.type === 'plan.fired' ? { due: timeText(event.due) } : {}
  return JSON.stringify({ inbox: event.type, id, ...event, type: undefined, ...due })
}

/** Pairs calls with their results. A result is put into its place when it comes, until then the call reads `pending`. */
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
      const told = part.type === 'call' ? this.#call(part, results) : toldOf(part, reply)
      if (told) parts.push(told)
    }
    if (parts.length === 0) return []
    const assistant: PromptMessage = { role: 'assistant', parts }
    return results.length === 0 ? [assistant] : [assistant, { role: 'tool', results }]
  }

  edited(callId: string, editedInput: Json): void {
    const place = this.#places.get(callId)
    if (place) place.editedInput = editedInput
  }

  /** Whether the result can be read. */
  settle(callId: string, outcome: CallOutcome): boolean {
    const place = this.#places.get(callId)
    if (!place) return false
    const { results, at, id, name, editedInput } = place
    // That an answer is still to come is short, and the model has to know.
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

  /** The vendor's id, unless an earlier call of this prompt has it already: then ours, so that pairing stays unique. */
  #idFor(part: CallPart): string {
    if (this.#options.ownIds === true || part.vendorId === '' || this.vendorIds.has(part.vendorId)) return part.callId
    this.vendorIds.add(part.vendorId)
    return part.vendorId
  }
}

/** What of a reply goes back to the model, besides its calls. */
function toldOf(part: Exclude<ReplyPart, CallPart>, { parts, finish }: Reply): PromptPart | undefined {
  const cutOff = finish === 'interrupted'
  switch (part.type) {
    case 'provider-call':
      // The vendor was cut off before it had a result, and would refuse its own call without one.
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
      // Vendors hang signatures on empty text too; those go back.
      return part.text === '' && !part.data ? undefined : part
    case 'reasoning':
      // A thought that was cut off carries no signature, and vendors refuse it.
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
