/**
 * Reads a request's body as JSON, with limits on size and depth. The size is checked before and during the read. The
 * depth is checked before parsing: `JSON.parse` accepts 200,000 levels, and `JSON.stringify` then overflows the stack.
 */
import type { Json } from '@holdpoint/core'
import { refuse, type RouteAnswer } from './route-answer.ts'

export type ReadBody =
  | { readonly ok: true; readonly value: Json | undefined; readonly bytes: number }
  | { readonly ok: false; readonly answer: RouteAnswer }

const MAX_DEPTH = 64
const JSON_TYPE = /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i

const LINES_TYPE = /^application\/x-ndjson\s*(?:;\s*charset="?utf-8"?\s*)?$/i

/** Reads lines of JSON as one text. What is in a line is checked by the route. */
export async function readLines(request: Request, maxBytes: number): Promise<ReadBody> {
  if (!LINES_TYPE.test(request.headers.get('content-type') ?? ''))
    return refused(refuse('content-type', 'Send lines of JSON, with `Content-Type: application/x-ndjson`.'))
  const read = await readBytes(request, maxBytes)
  if ('ok' in read) return read
  try {
    return { ok: true, value: new TextDecoder('utf-8', { fatal: true }).decode(read.bytes), bytes: read.bytes.length }
  } catch {
    return malformed('The body is not UTF-8.')
  }
}

export async function readBody(request: Request, maxBytes: number): Promise<ReadBody> {
  const type = request.headers.get('content-type')
  const declared = request.headers.get('content-length')
  if (type === null && (await isEmpty(request, declared))) return NO_BODY
  if (type === null || !JSON_TYPE.test(type))
    return refused(refuse('content-type', 'Send JSON, with `Content-Type: application/json`.'))
  const read = await readBytes(request, maxBytes)
  if ('ok' in read) return read
  return read.bytes.length === 0 ? NO_BODY : parse(read.bytes)
}

async function readBytes(request: Request, maxBytes: number): Promise<ReadBody | { readonly bytes: Uint8Array }> {
  const declared = request.headers.get('content-length')
  const encoding = request.headers.get('content-encoding')
  if (encoding !== null && encoding !== 'identity')
    return refused(
      refuse('content-type', 'Compressed bodies are not accepted. Send the body without a Content-Encoding.'),
    )
  if (declared !== null && !(Number(declared) <= maxBytes)) return refused(tooLarge(maxBytes))
  const bytes = await (declared === null ? readUpTo(request, maxBytes) : readWhole(request, maxBytes)).catch(endedEarly)
  if (bytes === ENDED_EARLY) return malformed('The body ended early.')
  return bytes ? { bytes } : refused(tooLarge(maxBytes))
}

export const NO_BODY: ReadBody = { ok: true, value: undefined, bytes: 0 }
const ENDED_EARLY = 'ended-early'

/** The client disconnected. This is not an error of the gateway, so it is not logged. */
function endedEarly(): typeof ENDED_EARLY {
  return ENDED_EARLY
}

function parse(bytes: Uint8Array): ReadBody {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (depthOf(text) > MAX_DEPTH) return malformed(`The body is nested deeper than ${MAX_DEPTH} levels.`)
    const value = JSON.parse(text) as Json
    const bad = MAY_NAME.test(text) ? forbiddenName(value) : undefined
    if (bad !== undefined) return malformed(`"${bad}" is not allowed as a property name.`)
    // JSON.parse reads it as Infinity, which would be stored as null.
    return /[eE]\+?\d{3}|\d{200}/.test(text) && hasInfinity(value)
      ? malformed('A number is too large.')
      : { ok: true, value, bytes: bytes.length }
  } catch {
    return malformed('The body is not JSON in UTF-8.')
  }
}

const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype'])
/** A text may contain a forbidden name when it has the name itself, or an escape, which can spell any name. */
const MAY_NAME = /"(?:__proto__|constructor|prototype)"|\\u/

function forbiddenName(value: Json): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  for (const [name, member] of Object.entries(value)) {
    const bad = !Array.isArray(value) && FORBIDDEN.has(name) ? name : forbiddenName(member)
    if (bad !== undefined) return bad
  }
  return undefined
}

function hasInfinity(value: Json): boolean {
  if (typeof value === 'number') return !Number.isFinite(value)
  return typeof value === 'object' && value !== null && Object.values(value).some((each) => hasInfinity(each))
}

function depthOf(text: string): number {
  let deepest = 0
  let depth = 0
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (quoted) {
      if (code === BACKSLASH) at++
      else if (code === QUOTE) quoted = false
    } else if (code === QUOTE) quoted = true
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) deepest = Math.max(deepest, ++depth)
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--
  }
  return deepest
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** For a request without body headers: servers provide a stream for every method that may have a body. */
async function isEmpty(request: Request, declared: string | null): Promise<boolean> {
  return declared === '0' || (declared === null && (await readUpTo(request, 0).catch(() => undefined)) !== undefined)
}

/**
 * Reads a body with a declared length in one call: the server ends the body there, and the size is checked again.
 * Creating a stream costs more than the rest of a small request.
 */
async function readWhole(request: Request, maxBytes: number): Promise<Uint8Array | undefined> {
  const bytes = new Uint8Array(await request.arrayBuffer())
  return bytes.length > maxBytes ? undefined : bytes
}

/** Returns undefined when the body is larger. */
async function readUpTo(request: Request, maxBytes: number): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    size += part.length
    if (size > maxBytes) return undefined
    parts.push(part)
  }
  return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
}

function malformed(detail: string): ReadBody {
  return refused(refuse('malformed-json', detail))
}

function tooLarge(maxBytes: number): RouteAnswer {
  // The rest of the body is not read, so the connection cannot be reused.
  return refuse('too-large', `A body may have at most ${maxBytes} bytes.`, { headers: { connection: 'close' } })
}

function refused(answer: RouteAnswer): ReadBody {
  return { ok: false, answer }
}
