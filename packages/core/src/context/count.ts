/**
 * Tokens, estimated. Every vendor has a tokenizer of its own, and most of them are megabytes; what a budget needs is a
 * number that is not too low. Tokenizers cut a text where its kind of character changes, and know whole words of what is
 * common. So the text is walked through once and each run of one kind is charged what a rare word of it would take; see
 * test/context/count.test.ts for how far that is from a real tokenizer. Every message gets a few tokens more, for what
 * vendors put around it.
 */
import { describeValue, type Json, type JsonObject } from '../json.ts'
import type { PromptMessage, PromptPart } from '../prompt/prompt.ts'
import { messageOf } from '../failure.ts'
import type { FileData } from '../model/model.ts'
import type { UserPart } from '../log/message.ts'
import type { TokenCounter } from './context-options.ts'

const AROUND_A_MESSAGE = 6
const AROUND_A_PART = 4
/** Vendors count pictures by their size in pixels; this is what a large one takes. */
const A_FILE = 1600
/** Of text that comes as bytes: these are not decoded for it. */
const A_BYTE_OF_TEXT = 0.5
/** What a page takes at most vendors, and how many bytes one has: little when it is text, much when it is a scan. */
const A_PAGE = 3000
const BYTES_OF_A_PAGE = 50_000
/** Sound and pictures that move are charged by the second; this is what they take when they are compressed well. */
const A_BYTE_OF_SOUND = 0.002

export const estimateTokens: TokenCounter = (what) =>
  typeof what === 'string' ? Math.ceil(ofText(what)) : Math.ceil(ofMessage(what, ofText))

/**
 * No fewer than `estimateTokens` would give, and found without reading the text: most conversations are far from any
 * limit, and for them that is enough to know.
 */
export function tokensAtMost(message: PromptMessage): number {
  return Math.ceil(ofMessage(message, ({ length }) => length * MOST_OF_A_CHARACTER))
}

/** A mark in JSON that has another one before it. */
const MOST_OF_A_CHARACTER = 2

/** What a text takes; `quoted` when it is written as JSON. */
type OfText = (text: string, quoted?: boolean) => number

/** The application's token counter failed. The size of a prompt is unknown then. */
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
  if (bytes === undefined) return A_FILE
  if (TEXT.test(mediaType)) return bytes * A_BYTE_OF_TEXT
  if (mediaType === 'application/pdf') return Math.ceil(bytes / BYTES_OF_A_PAGE) * A_PAGE
  return /^(audio|video)\//.test(mediaType) ? Math.max(A_FILE, bytes * A_BYTE_OF_SOUND) : A_FILE
}

function bytesOf(file: FileData): number | undefined {
  if (file.kind === 'base64') return file.base64.length * 0.75
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

/** What a run takes at once, and each more character of it. */
const FIRST = [0.6, 0.8, 1, 0.35, 0.6, 0.6, 1]
const MORE = [0.27, 0.56, 1 / 3, 0.15, 0.15, 0.15, 1]
/** No language has many words that are longer; keys and base64 have. */
const A_WORD = 12
const MORE_THAN_A_WORD = 0.62
/** Letters right behind digits, or capitals right behind small letters, are rarely a word that is known. */
const GLUED = 1

const KIND = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code >= 97 && code <= 122) return LOWER
  if (code >= 65 && code <= 90) return UPPER
  if (code >= 48 && code <= 57) return DIGIT
  if (code === 32) return BLANK
  if (code === 9) return TAB
  return code >= 10 && code <= 13 ? LINE : MARK
})

/** One pass, and nothing is made on the way: it runs over everything that is ever said. */
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
      tokens += kind <= UPPER && run > A_WORD ? MORE_THAN_A_WORD : MORE[kind]!
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

/** What is not ASCII, by what it takes where it is common. */
function ofOther(code: number): number {
  // Letters with accents, Greek, Cyrillic, Hebrew, Arabic.
  if (code < 0x800) return 0.62
  // The scripts of India and South East Asia, and letters with two accents.
  if (code < 0x2000) return 0.8
  // Korean; else Chinese, Japanese, and the halves of what takes two units, such as emoji.
  return code >= 0xac00 && code < 0xd7b0 ? 1 : 1.3
}

/** As if it were written out, without doing so. */
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
