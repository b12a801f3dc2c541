/**
 * Tokens, estimated. Every vendor has a tokenizer of its own, and most of them are megabytes; what a budget needs is a
 * number that is not too low. Four bytes of English are about a token, other scripts take one for two or three bytes,
 * JSON about three. So bytes are divided by three, and every message gets a few more for what vendors put around it.
 */
import type { Json } from '../json.ts'
import type { PromptMessage, PromptPart } from '../prompt/prompt.ts'
import type { UserPart } from '../log/message.ts'
import type { TokenCounter } from './context-options.ts'

const BYTES_PER_TOKEN = 3
const AROUND_A_MESSAGE = 6
const AROUND_A_PART = 4
/** Vendors count pictures by their size in pixels; this is what a large one takes. */
const A_FILE = 1600

export const estimateTokens: TokenCounter = (what) =>
  typeof what === 'string' ? ofBytes(bytesIn(what)) : ofMessage(what)

function ofMessage(message: PromptMessage): number {
  switch (message.role) {
    case 'system':
      return AROUND_A_MESSAGE + ofBytes(bytesIn(message.text))
    case 'user':
    case 'assistant':
      return sum(message.parts, ofPart)
    case 'tool':
      return sum(message.results, ({ id, name, content }) => ofBytes(bytesIn(id) + bytesIn(name) + jsonBytes(content)))
  }
}

function ofPart(part: UserPart | PromptPart): number {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return ofBytes(bytesIn(part.text) + ('data' in part ? jsonBytes(part.data) : 0))
    case 'call':
      return ofBytes(bytesIn(part.id) + bytesIn(part.name) + jsonBytes(part.input))
    case 'provider-result':
      return ofBytes(bytesIn(part.id) + bytesIn(part.name) + jsonBytes(part.result))
    case 'file':
      return A_FILE
    case 'custom':
      return ofBytes(jsonBytes(part.data))
  }
}

function sum<T>(items: readonly T[], count: (item: T) => number): number {
  return items.reduce((total, item) => total + AROUND_A_PART + count(item), AROUND_A_MESSAGE)
}

function ofBytes(bytes: number): number {
  return Math.ceil(bytes / BYTES_PER_TOKEN)
}

/** As UTF-8, near enough: what is not ASCII is taken for three bytes. */
function bytesIn(text: string): number {
  let more = 0
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 127) more += 2
  return text.length + more
}

function jsonBytes(value: Json | undefined): number {
  if (typeof value === 'string') return bytesIn(value) + 2
  if (typeof value !== 'object' || value === null) return 6
  if (Array.isArray(value))
    return (value as readonly Json[]).reduce<number>((total, each) => total + 1 + jsonBytes(each), 2)
  return Object.entries(value).reduce((total, [key, each]) => total + bytesIn(key) + 4 + jsonBytes(each), 2)
}
