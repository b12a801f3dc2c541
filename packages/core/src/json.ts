/**
 * JSON is the only shape that is stored, hashed or sent. This file owns the borders: text becomes `Json` in
 * `parseJson`, a value of unknown origin in `toJson`, and `canonical` gives the one text that hashes are taken of.
 */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

/** Deeper values parse, but cannot be serialised again without overflowing the stack. */
export const MAX_DEPTH = 128

export type Parsed = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly why: string }

/** Reads JSON text that a stranger wrote (a model, a client): never throws, refuses what could not be written back. */
export function parseJson(text: string): Parsed {
  if (depthOf(text) > MAX_DEPTH) return { ok: false, why: `nested deeper than ${MAX_DEPTH} levels` }
  try {
    return { ok: true, value: JSON.parse(text) as Json }
  } catch (error) {
    return { ok: false, why: error instanceof Error ? error.message : 'not JSON' }
  }
}

/** What a value looks like once it has been stored and read again; `undefined` becomes null. */
export function toJson(value: unknown): Parsed {
  if (value === undefined) return { ok: true, value: null }
  try {
    const text: unknown = JSON.stringify(value)
    if (typeof text !== 'string') return { ok: false, why: `a ${typeof value} is not JSON` }
    return parseJson(text)
  } catch (error) {
    return { ok: false, why: error instanceof Error ? error.message : 'not JSON' }
  }
}

/** The same text for equal values, whatever the order of their keys: what hashes and comparisons are made of. */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (isObject(value)) {
    const members = Object.keys(value).toSorted()
    return `{${members.map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null)}`).join(',')}}`
  }
  return JSON.stringify(value)
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function sameJson(a: Json, b: Json): boolean {
  return a === b || canonical(a) === canonical(b)
}

/** Counts brackets outside strings; linear, and done before parsing so that depth cannot hurt. */
function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  let quoted = false
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (quoted) {
      if (c === 92) i++
      else if (c === 34) quoted = false
    } else if (c === 34) quoted = true
    else if (c === 123 || c === 91) deepest = Math.max(deepest, ++depth)
    else if (c === 125 || c === 93) depth--
  }
  return deepest
}
