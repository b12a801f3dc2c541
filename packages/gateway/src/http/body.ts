/**
 * A request's body, read by one parser: JSON and nothing else, no larger and no deeper than allowed. The size is looked at
 * before and while it is read, and the depth before it is parsed: a parser takes 200,000 levels, and then nothing
 * can write them back.
 */
import type { Json } from '@holdpoint/core'
import { no, type Answer } from './answer.ts'

export type ReadBody =
  | { readonly ok: true; readonly value: Json | undefined }
  | { readonly ok: false; readonly answer: Answer }

const MAX_DEPTH = 64
const JSON_TYPE = /^application\/json\s*(?:;\s*charset="?utf-8"?\s*)?$/i

export async function readBody(request: Request, maxBytes: number): Promise<ReadBody> {
  const type = request.headers.get('content-type')
  const declared = request.headers.get('content-length')
  if (type === null && (await isEmpty(request, declared))) return { ok: true, value: undefined }
  if (type === null || !JSON_TYPE.test(type))
    return refused(no('content-type', 'Send JSON, with `Content-Type: application/json`.'))
  const encoding = request.headers.get('content-encoding')
  if (encoding !== null && encoding !== 'identity')
    return refused(no('content-type', 'Bodies are not unpacked here: send it without a Content-Encoding.'))
  if (declared !== null && !(Number(declared) <= maxBytes)) return refused(tooLarge(maxBytes))
  const bytes = await (declared === null ? readUpTo(request, maxBytes) : readWhole(request, maxBytes)).catch(brokenOff)
  if (bytes === BROKEN_OFF) return malformed('The body broke off.')
  if (!bytes) return refused(tooLarge(maxBytes))
  if (bytes.length === 0) return { ok: true, value: undefined }
  return parse(bytes)
}

const BROKEN_OFF = 'broken-off'

/** Whoever sent it is gone. That is nothing to write down, and nobody is left to be told. */
function brokenOff(): typeof BROKEN_OFF {
  return BROKEN_OFF
}

function parse(bytes: Uint8Array): ReadBody {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (depthOf(text) > MAX_DEPTH) return malformed(`It is nested deeper than ${MAX_DEPTH} levels.`)
    const value = JSON.parse(text) as Json
    const bad = MAY_NAME.test(text) ? forbiddenName(value) : undefined
    if (bad !== undefined) return malformed(`"${bad}" is not allowed as a name.`)
    // Such a number would be stored as null.
    return /[eE]\+?\d{3}|\d{200}/.test(text) && hasInfinity(value)
      ? malformed('A number is too large.')
      : { ok: true, value }
  } catch {
    return malformed('The body is not JSON in UTF-8.')
  }
}

const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype'])
/** With an escape in it, a name may be any. */
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

/** Of a request that says nothing of a body: servers give a stream for every method that may have one. */
async function isEmpty(request: Request, declared: string | null): Promise<boolean> {
  return declared === '0' || (declared === null && (await readUpTo(request, 0).catch(() => undefined)) !== undefined)
}

/**
 * A server ends a body where its declared length ends, so it can be read in one go; that it did is checked. Making a
 * stream of it costs more than all the rest of a small request.
 */
async function readWhole(request: Request, maxBytes: number): Promise<Uint8Array | undefined> {
  const bytes = new Uint8Array(await request.arrayBuffer())
  return bytes.length > maxBytes ? undefined : bytes
}

/** Undefined when there is more. */
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
  return refused(no('malformed-json', detail))
}

function tooLarge(maxBytes: number): Answer {
  // What is left of the body is not read, so the connection is of no more use.
  return no('too-large', `A body is ${maxBytes} bytes at most.`, { headers: { connection: 'close' } })
}

function refused(answer: Answer): ReadBody {
  return { ok: false, answer }
}
