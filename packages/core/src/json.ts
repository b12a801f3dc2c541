/**
 * Only JSON is stored, hashed or sent. `parseJson` makes `Json` of text, `toJson` makes it of any value, and `canonical` returns the
 * text that is hashed.
 */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

/** Deeper values can be parsed, but serializing them again would overflow the stack. */
const MAX_DEPTH = 128

export type Parsed = { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly why: string }

/** Parses JSON text of unknown origin, such as a model or a client. Never throws. Refuses values that cannot be serialized again. */
export function parseJson(text: string): Parsed {
  // A text of `MAX_DEPTH` characters cannot be deeper.
  if (text.length > MAX_DEPTH && depthOf(text) > MAX_DEPTH)
    return { ok: false, why: `nested deeper than ${MAX_DEPTH} levels` }
  try {
    const value: unknown = MAY_OVERFLOW.test(text) ? JSON.parse(text, refuseInfinity) : JSON.parse(text)
    return { ok: true, value: value as Json }
  } catch (error) {
    return { ok: false, why: error instanceof Error ? error.message : 'not JSON' }
  }
}

/** Only numbers with an exponent of three digits, or with very many digits, can be infinite. JSON would store them as null. */
const MAY_OVERFLOW = /[eE]\+?\d{3}|\d{200}/

function refuseInfinity(_key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('a number is too large')
  return value
}

/** The value as it would be after it was stored and read again; `undefined` becomes null. */
export function toJson(value: unknown): Parsed {
  if (value === undefined) return { ok: true, value: null }
  // Reading the value may run code that throws, such as a getter or a proxy.
  try {
    // Nearly always the value is JSON already, and a copy is much cheaper than serializing and parsing.
    const copy = exactCopy(value, MAX_DEPTH)
    if (copy !== undefined) return { ok: true, value: copy }
    const text: unknown = JSON.stringify(value)
    if (typeof text !== 'string') return { ok: false, why: `a ${typeof value} is not JSON` }
    return parseJson(text)
  } catch (error) {
    return { ok: false, why: error instanceof Error ? error.message : 'not JSON' }
  }
}

/** Returns the same text for equal values, whatever the order of their keys. For hashes and comparisons. */
export function canonical(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (isObject(value)) {
    const members = Object.keys(value)
      .filter((key) => value[key] !== undefined)
      .toSorted()
    return `{${members.map((key) => `${JSON.stringify(key)}:${canonical(value[key] ?? null)}`).join(',')}}`
  }
  return JSON.stringify(value ?? null)
}

/** Describes any value for a message. */
export function describeValue(value: unknown): string {
  if (typeof value === 'function') return 'a function'
  if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) return String(value)
  const json = toJson(value)
  return json.ok ? JSON.stringify(json.value) : 'an object that is not JSON'
}

/** A copy of a stored value, for code that may change it. */
export function copyJson<T extends Json>(value: T): T {
  if (Array.isArray(value)) return value.map(copyJson) as unknown as T
  if (!isObject(value)) return value
  const copy: Record<string, Json> = {}
  for (const key of Object.keys(value)) {
    const each = copyJson(value[key]!)
    // An assignment would set the prototype.
    if (key === '__proto__')
      Object.defineProperty(copy, key, { value: each, enumerable: true, configurable: true, writable: true })
    else copy[key] = each
  }
  return copy as T
}

/**
 * Copies a value that JSON keeps exactly, if it is not deeper than `depth`. Undefined for any other value. Each part is read only
 * once, because a getter could return another value the second time.
 */
function exactCopy(value: unknown, depth: number): Json | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0) ? value : undefined
  if (typeof value !== 'object' || depth === 0) return undefined
  return Array.isArray(value) ? exactList(value, depth) : exactObject(value, depth)
}

function exactList(list: readonly unknown[], depth: number): Json | undefined {
  if (Object.getPrototypeOf(list) !== Array.prototype) return undefined
  const copy: Json[] = []
  for (let index = 0; index < list.length; index++) {
    const each = exactCopy(list[index], depth - 1)
    if (each === undefined) return undefined
    copy.push(each)
  }
  return copy
}

function exactObject(object: object, depth: number): Json | undefined {
  // In a copy, an assignment to `__proto__` would set the prototype.
  if (Object.getPrototypeOf(object) !== Object.prototype || Object.hasOwn(object, '__proto__')) return undefined
  const copy: Record<string, Json> = {}
  for (const key of Object.keys(object)) {
    const each = exactCopy((object as Record<string, unknown>)[key], depth - 1)
    if (each === undefined) return undefined
    copy[key] = each
  }
  return copy
}

/**
 * Whether a value is the same as its JSON: it contains no Map, Date or class instance. A value that throws when it is read is not
 * plain.
 */
export function isPlain(value: unknown): boolean {
  try {
    return hasPlainParts(value)
  } catch {
    return false
  }
}

function hasPlainParts(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(hasPlainParts)
  if (typeof value !== 'object' || value === null)
    return typeof value !== 'bigint' && typeof value !== 'function' && typeof value !== 'symbol'
  const prototype: unknown = Object.getPrototypeOf(value)
  return (prototype === Object.prototype || prototype === null) && Object.values(value).every(hasPlainParts)
}

/** The size of the JSON text in UTF-8 bytes, without making that text. */
export function jsonBytes(value: Json): number {
  if (typeof value === 'string') return textBytes(value)
  if (typeof value !== 'object' || value === null) return String(value).length
  let bytes = 2
  if (Array.isArray(value)) {
    for (const each of value as readonly Json[]) bytes += jsonBytes(each) + 1
    return bytes
  }
  for (const [key, each] of Object.entries(value as JsonObject)) bytes += textBytes(key) + jsonBytes(each) + 2
  return bytes
}

function textBytes(text: string): number {
  let bytes = 2 + text.length
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    if (c >= 128) bytes += c >= 2048 && (c < 0xd800 || c > 0xdfff) ? 2 : 1
    else if (c < 32) bytes += 5
    else if (c === 34 || c === 92) bytes++
  }
  return bytes
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function sameJson(a: Json, b: Json): boolean {
  return a === b || canonical(a) === canonical(b)
}

/** The depth by counting brackets outside strings. It runs before parsing, because parsing a very deep text is expensive. */
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
