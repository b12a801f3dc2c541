/** A prompt in our own format. `@holdpoint/models` converts it to the formats of vendors. */
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

/** A part of a stored reply. A call has the name and id that its vendor knows. */
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

/** A whole log as a prompt. `system` are the system messages before the conversation, in order. */
export function renderPrompt(
  system: readonly string[],
  events: Iterable<LogEvent>,
  encode?: OutcomeEncoder,
): PromptMessage[] {
  const { passages } = Transcript.of(events)
  const last = passages.at(-1)
  const rendering = new Rendering()
  const messages = passages.flatMap(
    (passage) => rendering.of(passage, { ...(encode && { encode }), current: passage === last }).messages,
  )
  return [...systemMessages(system), ...messages]
}

export function systemMessages(texts: readonly string[]): PromptMessage[] {
  return texts.filter((text) => text !== '').map((text) => ({ role: 'system', text }))
}

/** Renders the passages of a prompt, in order. Some vendors reuse an id in a later reply, and refuse a prompt that has it twice. */
export class Rendering {
  readonly #taken = new Set<string>()

  of(passage: Passage, options: RenderOptions): Rendered {
    let rendered = renderedAs(passage, options)
    if (rendered.vendorIds.some((id) => this.#taken.has(id)))
      rendered = renderedAs(passage, { ...options, ownIds: true })
    for (const id of rendered.vendorIds) this.#taken.add(id)
    return rendered
  }
}

/** A finished passage never changes, so it is rendered once with each kind of id. */
function renderedAs(passage: Passage, options: RenderOptions): Rendered {
  if (options.current === true) return renderPassage(passage, options)
  const { stubs, ownWords = false, ownIds = false } = options
  const key = `${ownWords ? 'words' : ''} ${stubs ? [...stubs].join() : ''}`
  if (passage.rendered?.key !== key) passage.rendered = { key }
  return (passage.rendered[ownIds ? 'ownIds' : 'vendorIds'] ??= renderPassage(passage, options))
}
