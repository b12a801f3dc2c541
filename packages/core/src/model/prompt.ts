/**
 * What the model is told. `renderPrompt` is a pure projection of the log: it never looks at tools, time or state, and
 * in every state of a conversation it gives a prompt vendors accept: names in their form, a result behind each call.
 */
import { isObject, type Json, type JsonObject } from '../json.ts'
import type { LogEvent } from '../log/log-event.ts'
import type { UserPart } from '../log/message.ts'
import { vendorName } from '../tool/name.ts'
import type { CallOutcome } from '../tool/outcome.ts'
import { encodeOutcome, type OutcomeEncoder } from './encode-outcome.ts'
import type { CallPart, ProviderData, Reply, ReplyPart } from './reply.ts'

export type PromptMessage =
  | { readonly role: 'system'; readonly text: string }
  | { readonly role: 'user'; readonly parts: readonly UserPart[] }
  | { readonly role: 'assistant'; readonly parts: readonly PromptPart[] }
  | { readonly role: 'tool'; readonly results: readonly PromptResult[] }

/** What the model said goes back as it was stored, but for calls, which get the names and ids that vendors know. */
export type PromptPart =
  | Exclude<ReplyPart, { readonly type: 'call' | 'provider-call' | 'source' }>
  | {
      readonly type: 'call'
      readonly id: string
      readonly name: string
      readonly input: JsonObject
      readonly byProvider?: boolean
      readonly data?: ProviderData
    }

export interface PromptResult {
  readonly id: string
  readonly name: string
  readonly isError: boolean
  readonly content: Json
}

const GO_ON: PromptMessage = { role: 'user', parts: [{ type: 'text', text: 'Please go on.' }] }

/** `system` is everything the model is told before the conversation, in order. */
export function renderPrompt(
  system: readonly string[],
  events: Iterable<LogEvent>,
  encode: OutcomeEncoder = encodeOutcome,
): PromptMessage[] {
  const messages: PromptMessage[] = system.filter((text) => text !== '').map((text) => ({ role: 'system', text }))
  const rounds = new Rounds(encode)
  for (const event of events) {
    switch (event.type) {
      case 'turn.started':
        if (event.items.length > 0)
          messages.push({ role: 'user', parts: event.items.flatMap((item) => said(item, encode)) })
        // A turn is taken up again, and vendors read the model's own words at the end as the beginning of its reply.
        else if (messages.at(-1)?.role === 'assistant') messages.push(GO_ON)
        break
      case 'model.replied':
        messages.push(...rounds.open(event.reply))
        break
      case 'call.approved':
        if (event.resolution.kind === 'approve' && event.resolution.input !== undefined)
          rounds.edited(event.callId, event.resolution.input)
        break
      case 'call.settled':
        rounds.settle(event.callId, event.outcome)
        break
      case 'conversation.opened':
      case 'message.queued':
      case 'call.held':
      case 'call.endorsed':
      case 'call.cleared':
      case 'call.started':
      case 'answer.arrived':
      case 'state.changed':
      case 'turn.ended':
        break
    }
  }
  return messages
}

/** Pairs calls with their results. A result is put into its place when it comes, until then the call reads `pending`. */
class Rounds {
  readonly #encode: OutcomeEncoder
  readonly #places = new Map<
    string,
    { results: PromptResult[]; at: number; name: string; id: string; editedInput?: Json }
  >()
  readonly #vendorIds = new Set<string>()

  constructor(encode: OutcomeEncoder) {
    this.#encode = encode
  }

  open(reply: Reply): PromptMessage[] {
    const results: PromptResult[] = []
    const resultIds = new Set(reply.parts.flatMap((part) => (part.type === 'provider-result' ? [part.id] : [])))
    const cutOff = reply.finish === 'interrupted'
    const parts = reply.parts.flatMap((part): PromptPart[] => {
      switch (part.type) {
        case 'call': {
          const id = this.#idFor(part)
          const { callId, name } = part
          this.#places.set(callId, { results, at: results.length, name, id })
          results.push({
            id,
            name: vendorName(name),
            isError: false,
            content: { ok: true, result: { status: 'pending', toolCallId: callId } },
          })
          return [
            {
              type: 'call',
              id,
              name: vendorName(name),
              input: isObject(part.input) ? part.input : {},
              ...dataOf(part),
            },
          ]
        }
        case 'provider-call':
          // The vendor was cut off before it had a result, and would refuse its own call without one.
          if (cutOff && !resultIds.has(part.id)) return []
          return [
            {
              type: 'call',
              id: part.id,
              name: part.name,
              input: isObject(part.input) ? part.input : {},
              byProvider: true,
              ...dataOf(part),
            },
          ]
        case 'text':
          // Vendors hang signatures on empty text too; those go back.
          return part.text === '' && !part.data ? [] : [part]
        case 'reasoning':
          // A thought that was cut off carries no signature, and vendors refuse it.
          return cutOff ? [] : [part]
        case 'source':
          return []
        case 'provider-result':
        case 'file':
        case 'custom':
          return [part]
      }
    })
    if (parts.length === 0) return []
    const assistant: PromptMessage = { role: 'assistant', parts }
    return results.length === 0 ? [assistant] : [assistant, { role: 'tool', results }]
  }

  edited(callId: string, editedInput: Json): void {
    const place = this.#places.get(callId)
    if (place) place.editedInput = editedInput
  }

  settle(callId: string, outcome: CallOutcome): void {
    const place = this.#places.get(callId)
    if (!place) return
    const { results, at, id, name, editedInput } = place
    const content = this.#encode(outcome, editedInput === undefined ? { callId, name } : { callId, name, editedInput })
    results[at] = { id, name: vendorName(name), isError: !outcome.ok, content }
  }

  /** The vendor's id, unless an earlier call of this prompt has it already: then ours, so that pairing stays unique. */
  #idFor(part: CallPart): string {
    if (part.vendorId === '' || this.#vendorIds.has(part.vendorId)) return part.callId
    this.#vendorIds.add(part.vendorId)
    return part.vendorId
  }
}

function said(
  item: Extract<LogEvent, { type: 'turn.started' }>['items'][number],
  encode: OutcomeEncoder,
): readonly UserPart[] {
  if (item.kind === 'message') return item.message.parts
  const { callId, name, outcome } = item
  return [
    {
      type: 'text',
      text: `Result of ${name} (call ${callId}), which was pending: ${JSON.stringify(encode(outcome, { callId, name }))}`,
    },
  ]
}

function dataOf(part: { readonly data?: ProviderData }): { data?: ProviderData } {
  return part.data === undefined ? {} : { data: part.data }
}
