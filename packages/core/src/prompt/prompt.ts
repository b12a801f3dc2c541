/** What the model is told, as our own messages. Vendors' forms of it are made in `@holdpoint/models`. */
import type { Json, JsonObject } from '../json.ts'
import type { LogEvent } from '../log/log-event.ts'
import type { UserPart } from '../log/message.ts'
import type { OutcomeEncoder } from '../model/encode-outcome.ts'
import type { ProviderData, ReplyPart } from '../model/reply.ts'
import { renderPassage, type Rendered, type RenderOptions } from './render.ts'
import { Transcript, type Passage } from './transcript.ts'

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

/** The whole of a log as a prompt. `system` is everything the model is told before the conversation, in order. */
export function renderPrompt(
  system: readonly string[],
  events: Iterable<LogEvent>,
  encode?: OutcomeEncoder,
): PromptMessage[] {
  const { passages } = Transcript.of(events)
  const last = passages.at(-1)
  const options = (passage: Passage): RenderOptions => ({ ...(encode && { encode }), current: passage === last })
  return [...systemMessages(system), ...renderAll(passages, options).flatMap(({ messages }) => messages)]
}

export function systemMessages(texts: readonly string[]): PromptMessage[] {
  return texts.filter((text) => text !== '').map((text) => ({ role: 'system', text }))
}

/** Some vendors use an id again in a later reply, and refuse a prompt that has it twice. */
export function renderAll(
  passages: readonly Passage[],
  options: (passage: Passage, index: number) => RenderOptions,
): readonly Rendered[] {
  const taken = new Set<string>()
  return passages.map((passage, index) => {
    const own = options(passage, index)
    let rendered = rendering(passage, own)
    if (rendered.vendorIds.some((id) => taken.has(id))) rendered = rendering(passage, { ...own, ownIds: true })
    for (const id of rendered.vendorIds) taken.add(id)
    return rendered
  })
}

/** A passage that is over reads the same every time, and is rendered once. */
function rendering(passage: Passage, options: RenderOptions): Rendered {
  if (options.current === true) return renderPassage(passage, options)
  const { stubs, ownWords = false, ownIds = false } = options
  const how = ownWords ? (ownIds ? 'words, ids' : 'words') : ownIds ? 'ids' : ''
  const key = stubs ? `${how} ${[...stubs].join()}` : how
  if (passage.rendered?.key !== key) passage.rendered = { key, value: renderPassage(passage, options) }
  return passage.rendered.value
}
