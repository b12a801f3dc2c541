/**
 * Builds a reply from the parts of a stream. It always returns a reply, even if the stream stops in the middle, repeats ids or
 * sends half a call: it keeps complete parts, and leaves out the others with a note.
 */
import { isObject, parseJson, type Json } from '../json.ts'
import type { ModelPart } from './model.ts'
import type { CallPart, Finish, ProviderData, Reply, ReplyPart, Usage } from './reply.ts'

const NOTHING_USED: Usage = { inputTokens: 0, outputTokens: 0 }
/** The longest part of arguments that are not JSON that is kept, so that the model recognizes them. */
const MALFORMED_KEPT = 2000

export class ReplyBuilder {
  /** Open and closed parts in the order they began. */
  readonly #parts: Building[] = []
  readonly #blocks = new Map<string, TextBlock>()
  /** The calls whose arguments are still arriving, by the vendor's id. */
  readonly #begun = new Map<string, Begun>()
  readonly #notes: Json[] = []
  readonly #callId: (index: number) => string
  readonly #toolName: (vendorName: string) => string
  #block: TextBlock | undefined
  #calls = 0
  #finish: Finish = 'interrupted'
  #usage: Usage = NOTHING_USED
  #data: ProviderData | undefined
  #responseId: string | undefined
  #modelId: string | undefined

  constructor(options: { callId: (index: number) => string; toolName: (vendorName: string) => string }) {
    this.#callId = options.callId
    this.#toolName = options.toolName
  }

  note(note: Json): void {
    this.#notes.push(note)
  }

  /** Returns the call, if the part is a call that we run. */
  add(part: ModelPart): CallPart | undefined {
    switch (part.type) {
      case 'text':
      case 'reasoning':
        this.#addText(part)
        return undefined
      case 'call-input':
        this.#begin(part)
        return undefined
      case 'call':
        return this.#addCall(part)
      case 'provider-result': {
        const { type, id, name, result, isError = false } = part
        this.#parts.push({ type, id, name, result, isError, ...dataOf(part) })
        return undefined
      }
      case 'file':
      case 'source':
      case 'custom':
        this.#parts.push(part)
        return undefined
      case 'info':
        this.#responseId = part.responseId ?? this.#responseId
        this.#modelId = part.modelId ?? this.#modelId
        if (part.warnings) this.#notes.push(...part.warnings)
        return undefined
      case 'finish':
        this.#finish = part.reason
        this.#usage = part.usage
        this.#data = part.data
        return undefined
    }
  }

  /** The call whose arguments are still arriving under this id of the vendor. */
  begun(id: string): { readonly callId: string; readonly name: string } | undefined {
    const call = this.#begun.get(id)
    return call && { callId: this.#callId(call.index), name: this.#toolName(call.name) }
  }

  build(): Reply {
    for (const { name } of this.#begun.values())
      if (name !== '') this.note({ leftOut: 'call', name, why: 'its arguments were cut off' })
    return {
      parts: this.#parts.map((part) => (part instanceof TextBlock ? part.done() : part)),
      finish: this.#finish,
      usage: this.#usage,
      ...(this.#responseId !== undefined && { responseId: this.#responseId }),
      ...(this.#modelId !== undefined && { modelId: this.#modelId }),
      ...(this.#notes.length > 0 && { notes: this.#notes }),
      ...(this.#data && { data: this.#data }),
    }
  }

  #addText(part: Extract<ModelPart, { type: 'text' | 'reasoning' }>): void {
    // Nearly always the same block as the part before.
    if (!this.#block?.is(part)) this.#block = this.#blockOf(part)
    this.#block.add(part.delta, part.data)
  }

  #blockOf({ type, id }: Extract<ModelPart, { type: 'text' | 'reasoning' }>): TextBlock {
    const key = `${type}:${id}`
    const known = this.#blocks.get(key)
    if (known) return known
    const block = new TextBlock(type, id)
    this.#blocks.set(key, block)
    this.#parts.push(block)
    return block
  }

  /** The first piece of a call assigns its id. Only that piece has the name. */
  #begin({ id, name = '' }: Extract<ModelPart, { type: 'call-input' }>): void {
    const known = this.#begun.get(id)
    if (!known) this.#begun.set(id, { index: this.#calls++, name })
    else if (known.name === '') this.#begun.set(id, { ...known, name })
  }

  #addCall(part: Extract<ModelPart, { type: 'call' }>): CallPart | undefined {
    const begun = this.#begun.get(part.id)
    this.#begun.delete(part.id)
    const parsed = parseJson(part.input.trim() === '' ? '{}' : part.input)
    if (part.byProvider) {
      // A call of the vendor needs no id of ours. The next call uses the id, unless it began already.
      if (begun && begun.index === this.#calls - 1) this.#calls--
      // Keep the vendor's name of its tool: the vendor may expect it in the next prompt.
      this.#parts.push({
        type: 'provider-call',
        id: part.id,
        name: part.name,
        input: parsed.ok ? parsed.value : part.input,
        ...dataOf(part),
      })
      return undefined
    }
    const plain: CallPart = {
      type: 'call',
      callId: this.#callId(begun?.index ?? this.#calls++),
      vendorId: part.id,
      name: this.#toolName(part.name),
      input: parsed.ok ? parsed.value : null,
    }
    const why = !parsed.ok ? parsed.why : isObject(parsed.value) ? undefined : 'not an object'
    const call =
      why === undefined && part.data === undefined
        ? plain
        : { ...plain, ...malformed(why, part.input), ...dataOf(part) }
    this.#parts.push(call)
    return call
  }
}

type Building = TextBlock | ReplyPart

interface Begun {
  /** Which call of the reply it is, from 0. */
  readonly index: number
  /** The vendor's form of the tool's name. Empty until it is known. */
  readonly name: string
}

class TextBlock {
  readonly #type: 'text' | 'reasoning'
  readonly #id: string
  #text = ''
  #data: ProviderData | undefined

  constructor(type: 'text' | 'reasoning', id: string) {
    this.#type = type
    this.#id = id
  }

  is(part: { readonly type: string; readonly id: string }): boolean {
    return this.#id === part.id && this.#type === part.type
  }

  add(delta: string, data: ProviderData | undefined): void {
    this.#text += delta
    if (data) this.#data = merged(this.#data, data)
  }

  done(): ReplyPart {
    return { type: this.#type, text: this.#text, ...(this.#data && { data: this.#data }) }
  }
}

/** Merges the data of a block: an id comes at its start, a signature at its end. */
function merged(before: ProviderData | undefined, data: ProviderData): ProviderData {
  const all: Record<string, ProviderData[string]> = { ...before }
  for (const [vendor, more] of Object.entries(data)) all[vendor] = { ...all[vendor], ...more }
  return all
}

function malformed(why: string | undefined, input: string): { malformed?: string } {
  return why === undefined ? {} : { malformed: `${why}: ${input.slice(0, MALFORMED_KEPT)}` }
}

function dataOf(part: { readonly data?: ProviderData }): { data?: ProviderData } {
  return part.data === undefined ? {} : { data: part.data }
}
