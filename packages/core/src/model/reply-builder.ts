/**
 * Puts a reply together from the parts of a stream. Whatever the stream does (stops in the middle, repeats ids, sends
 * half a call) a reply comes out: what was whole is kept, what was not is left out with a note.
 */
import { isObject, parseJson, type Json } from '../json.ts'
import type { ModelPart } from './model.ts'
import type { CallPart, Finish, ProviderData, Reply, ReplyPart, Usage } from './reply.ts'

const NOTHING_USED: Usage = { inputTokens: 0, outputTokens: 0 }
/** How much of arguments that are not JSON is kept for the model to recognise. */
const MALFORMED_KEPT = 2000

export class ReplyBuilder {
  /** Open and closed parts in the order they began. */
  readonly #parts: Building[] = []
  readonly #blocks = new Map<string, TextBlock>()
  /** Calls whose arguments are being written, by the vendor's id. */
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

  /** Returns the call, when the part was one for us. */
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

  /** The call whose arguments are being written under this id of the vendor's. */
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
    // Nearly always the block that the piece before belonged to.
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

  /** A call has its id from its first piece on. Only that piece has the name. */
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
      // It has no id of ours. The next call takes it, unless that one began already.
      if (begun && begun.index === this.#calls - 1) this.#calls--
      // The vendor's own name for its own tool; it may look for it when it gets it back.
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
  /** The vendor's form of the tool's name; empty until it is known. */
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

/** A block's data comes in pieces (an id at its start, a signature at its end), by vendor. */
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
