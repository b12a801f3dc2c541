/**
 * Estimates tokens. Every vendor has its own tokenizer, and most of them are megabytes. A budget only needs a number that is not
 * too low. Tokenizers cut a text where the kind of character changes, and have single tokens for common words. So the estimate
 * reads the text once, and counts each run of one kind of character as if it were a rare word. The test
 * `runtime/test/context/count.test.ts` compares it with a real tokenizer. Each message gets a few more tokens, because vendors
 * wrap messages.
 */
import { describeValue, type Json, type JsonObject } from '../json.ts'
import type { PromptMessage, PromptPart } from '../prompt/prompt.ts'
import { messageOf } from '../failure.ts'
import type { FileData } from '../model/model.ts'
import type { UserPart } from '../log/message.ts'
import type { TokenCounter } from './context-options.ts'

const AROUND_A_MESSAGE = 6
const AROUND_A_PART = 4
/** Vendors count images by their size in pixels. These are the tokens of a large one. */
const TOKENS_PER_FILE = 1600
/** For text files, which are not decoded to count them. */
const TOKENS_PER_TEXT_BYTE = 0.5
/** The tokens of a page at most vendors, and the bytes of a page: few for text, many for a scan. */
const TOKENS_PER_PAGE = 3000
const BYTES_PER_PAGE = 50_000
/** Vendors charge audio and video by the second. These are the tokens of well compressed files. */
const TOKENS_PER_MEDIA_BYTE = 0.002

export const estimateTokens: TokenCounter = (what) =>
  typeof what === 'string' ? Math.ceil(ofText(what)) : Math.ceil(ofMessage(what, ofText))

/**
 * An upper bound of `estimateTokens`, found without reading the text. Most conversations are far below any limit, so the bound
 * is enough for them.
 */
export function tokensAtMost(message: PromptMessage): number {
  return Math.ceil(ofMessage(message, ({ length }) => length * MOST_OF_A_CHARACTER))
}

/** In JSON, some characters need an escape character. */
const MOST_OF_A_CHARACTER = 2

/** Counts the tokens of a text. `quoted`: the text is written as JSON. */
type OfText = (text: string, quoted?: boolean) => number

/** The application's token counter failed, so the size of the prompt is unknown. */
export class CountFailure extends Error {
  constructor(why: string) {
    super(`The size of the prompt is not known: context.count ${why}`)
    this.name = 'CountFailure'
  }
}

/** The application's counter: it returns a number of tokens, or the result is a `CountFailure`. */
export function checkedCounter(count: TokenCounter): TokenCounter {
  return (what) => {
    let tokens: unknown
    try {
      tokens = count(what)
    } catch (error) {
      throw new CountFailure(`failed: ${messageOf(error)}`)
    }
    if (typeof tokens === 'number' && tokens >= 0 && tokens < Infinity) return tokens
    const given = tokens instanceof Promise ? 'a promise' : describeValue(tokens)
    throw new CountFailure(
      `gave ${given} for a ${typeof what === 'string' ? 'text' : 'message'}, not a number of tokens.`,
    )
  }
}

function ofMessage(message: PromptMessage, ofEach: OfText): number {
  switch (message.role) {
    case 'system':
      return AROUND_A_MESSAGE + ofEach(message.text)
    case 'user':
    case 'assistant':
      return sum(message.parts, (part) => ofPart(part, ofEach))
    case 'tool':
      return sum(message.results, ({ id, name, content }) => ofEach(id) + ofEach(name) + ofJson(content, ofEach))
  }
}

function ofPart(part: UserPart | PromptPart, ofEach: OfText): number {
  const data = 'data' in part && part.data ? ofJson(part.data, ofEach) : 0
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return data + ofEach(part.text)
    case 'call':
      return data + ofEach(part.id) + ofEach(part.name) + ofJson(part.input, ofEach)
    case 'provider-result':
      return data + ofEach(part.id) + ofEach(part.name) + ofJson(part.result, ofEach)
    case 'file':
      return data + ofFile(part.mediaType, bytesOf(part.file))
    case 'custom':
      return data
  }
}

const TEXT = /^text\/|[/+](json|xml|yaml|x-yaml|csv|javascript|x-ndjson|sql)\b/

/** The size of content behind a URL is unknown. */
function ofFile(mediaType: string, bytes: number | undefined): number {
  if (bytes === undefined) return TOKENS_PER_FILE
  if (TEXT.test(mediaType)) return bytes * TOKENS_PER_TEXT_BYTE
  if (mediaType === 'application/pdf') return Math.ceil(bytes / BYTES_PER_PAGE) * TOKENS_PER_PAGE
  return /^(audio|video)\//.test(mediaType) ? Math.max(TOKENS_PER_FILE, bytes * TOKENS_PER_MEDIA_BYTE) : TOKENS_PER_FILE
}

function bytesOf(file: FileData): number | undefined {
  if (file.kind === 'base64') return file.base64.length * 0.75
  if (file.kind === 'stored') return file.bytes
  return file.url.startsWith('data:') ? (file.url.length - file.url.indexOf(',')) * 0.75 : undefined
}

function sum<T>(items: readonly T[], count: (item: T) => number): number {
  return items.reduce((total, item) => total + AROUND_A_PART + count(item), AROUND_A_MESSAGE)
}

const LOWER = 0
const UPPER = 1
const DIGIT = 2
const BLANK = 3
const TAB = 4
const LINE = 5
const MARK = 6
const OTHER = 7

/** For each kind of character: the tokens of the first character of a run, and of each further one. */
const FIRST = [0.6, 0.8, 1, 0.35, 0.6, 0.6, 1]
const MORE = [0.27, 0.56, 1 / 3, 0.15, 0.15, 0.15, 1]
/** Words are rarely longer. Keys and base64 are, and take more tokens per character. */
const LONGEST_WORD = 12
const MORE_THAN_A_WORD = 0.62
/** Letters directly after digits, or capitals directly after small letters, are rarely a common word. */
const GLUED = 1

const KIND = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code >= 97 && code <= 122) return LOWER
  if (code >= 65 && code <= 90) return UPPER
  if (code >= 48 && code <= 57) return DIGIT
  if (code === 32) return BLANK
  if (code === 9) return TAB
  return code >= 10 && code <= 13 ? LINE : MARK
})

/** Reads the text once and allocates nothing, because it runs over every message. */
function ofText(text: string, quoted = false): number {
  let tokens = 0
  let before = MARK
  let run = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code > 127) {
      tokens += ofOther(code)
      before = OTHER
      continue
    }
    const kind = KIND[code]!
    if (kind === before) {
      run++
      tokens += kind <= UPPER && run > LONGEST_WORD ? MORE_THAN_A_WORD : MORE[kind]!
    } else {
      run = 1
      const glued = before === DIGIT ? kind <= UPPER : before === LOWER && kind === UPPER
      tokens += glued ? GLUED : FIRST[kind]!
    }
    // In JSON these are written as two characters.
    if (quoted && (code < 32 || code === 34 || code === 92)) tokens += 1
    before = kind
  }
  return tokens
}

/** The tokens of a character that is not ASCII, in languages where it is common. */
function ofOther(code: number): number {
  // Letters with accents, Greek, Cyrillic, Hebrew, Arabic.
  if (code < 0x800) return 0.62
  // The scripts of India and South East Asia, and letters with two accents.
  if (code < 0x2000) return 0.8
  // Korean; otherwise Chinese, Japanese, and the halves of surrogate pairs, such as emoji.
  return code >= 0xac00 && code < 0xd7b0 ? 1 : 1.3
}

/** The tokens of a value as JSON text, without making that text. */
function ofJson(value: Json | undefined, ofEach: OfText): number {
  if (typeof value === 'string') return ofEach(value, true) + 2
  if (typeof value === 'number') return Math.abs(value) < 1000 && Number.isInteger(value) ? 2 : ofEach(String(value))
  if (typeof value !== 'object' || value === null) return 1
  if (Array.isArray(value))
    return (value as readonly Json[]).reduce<number>((total, each) => total + 1 + ofJson(each, ofEach), 2)
  let total = 2
  for (const key of Object.keys(value)) total += ofEach(key, true) + 3 + ofJson((value as JsonObject)[key], ofEach)
  return total
}
