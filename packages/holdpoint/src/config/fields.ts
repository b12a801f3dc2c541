/**
 * Reads configurations of untrusted authors: only known fields, with their types and limits. An error names the path of the field.
 * It does not repeat the value, which may be long, hostile or secret.
 */
import { HoldpointError, toJson, type Json, type JsonObject } from '@holdpoint/core'

export type Read<T> = (value: Json, path: string) => T

const MOST_CHARS = 1_000_000
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype'])

/** A copy of the configuration as JSON. Refuses names such as `__proto__`. */
export function plainConfig(config: unknown, path: string): Json {
  const json = toJson(config)
  if (!json.ok) throw wrong(path, `is not plain JSON: ${json.why}`)
  const { length } = JSON.stringify(json.value)
  if (length > MOST_CHARS) throw wrong(path, `is ${length} characters of JSON, and ${MOST_CHARS} are allowed`)
  checkNames(json.value, path, [])
  return json.value
}

/** Only the value of a header may refer to a secret. Anywhere else, the reference would be sent as data. */
function checkNames(value: Json, path: string, names: readonly string[]): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, member] of Object.entries(value)) {
    const here = Array.isArray(value) ? `${path}[${key}]` : at(path, key)
    if (FORBIDDEN.has(key)) throw wrong(here, 'is not allowed as a name')
    if (key === '$secret' && !isHeader(names))
      throw wrong(here, 'refers to a secret, which only the value of a header may do')
    checkNames(member, here, [...names, key])
  }
}

/** Whether the path is a header of a tool's request or of an MCP server: `mcpServers[0].headers.authorization`. */
function isHeader(names: readonly string[]): boolean {
  return (
    names.at(-2) === 'headers' &&
    (names.at(-3) === 'execution' || /^(?:mcpServers|mcp\.servers)\.\d+$/.test(names.slice(0, -2).join('.')))
  )
}

export class Fields {
  readonly path: string
  readonly #fields: JsonObject

  constructor(value: Json, path: string, known: readonly string[]) {
    this.path = path
    this.#fields = object(value, path)
    const unknown = Object.keys(this.#fields).find((key) => !known.includes(key))
    if (unknown !== undefined) throw wrong(at(path, unknown), `is not known. There are ${known.join(', ')}`)
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#fields, key)
  }

  need<T>(key: string, read: Read<T>): T {
    const found = this.maybe(key, read)
    if (found === undefined) throw wrong(at(this.path, key), 'is missing')
    return found
  }

  maybe<T>(key: string, read: Read<T>): T | undefined {
    const value = this.has(key) ? this.#fields[key] : undefined
    return value === undefined ? undefined : read(value, at(this.path, key))
  }
}

export const object: Read<JsonObject> = (value, path) => {
  if (!isObject(value)) throw wrong(path, `must be an object, not ${kind(value)}`)
  return value
}

export const either: Read<boolean> = (value, path) => {
  if (typeof value !== 'boolean') throw wrong(path, `must be true or false, not ${kind(value)}`)
  return value
}

export const number: Read<number> = (value, path) => {
  if (typeof value !== 'number') throw wrong(path, `must be a number, not ${kind(value)}`)
  return value
}

export function whole(least: number, most: number = Number.MAX_SAFE_INTEGER): Read<number> {
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`
  return (value, path) => {
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < least || value > most)
      throw wrong(path, `must be a whole number ${range}, not ${typeof value === 'number' ? value : kind(value)}`)
    return value
  }
}

/** Control characters, lone surrogates, and characters that hide or reorder text: direction overrides and invisible tags. */
// oxlint-disable-next-line no-control-regex
const UNFIT = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u202d\u202e\u{e0000}-\u{e007f}]|\p{Surrogate}/u

export function text(most: number, least = 0): Read<string> {
  return (value, path) => {
    if (typeof value !== 'string') throw wrong(path, `must be text, not ${kind(value)}`)
    if (value.length > most) throw wrong(path, `is ${value.length} characters long, and ${most} are allowed`)
    if (value.length < least) throw wrong(path, 'must not be empty')
    const unfit = UNFIT.exec(value)
    if (unfit) throw wrong(path, `contains a character that cannot be shown (${codeOf(unfit[0])}). Remove it`)
    return value
  }
}

/** A name: text of one line. */
export function line(most: number): Read<string> {
  const read = text(most, 1)
  return (value, path) => {
    const found = read(value, path)
    if (/[\r\n\t]/.test(found)) throw wrong(path, 'must be one line, without tabs')
    return found
  }
}

export function oneOf<const T extends string>(...words: readonly T[]): Read<T> {
  return (value, path) => {
    const found = words.find((word) => word === value)
    if (found === undefined) throw wrong(path, `must be one of ${words.join(', ')}`)
    return found
  }
}

export function listOf<T>(read: Read<T>, most: number): Read<readonly T[]> {
  return (value, path) => {
    if (!isList(value)) throw wrong(path, `must be a list, not ${kind(value)}`)
    if (value.length > most) throw wrong(path, `has ${value.length} entries, and ${most} are allowed`)
    return value.map((each, index) => read(each, `${path}[${index}]`))
  }
}

/** Removes undefined fields. */
export function given<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
}

export function at(path: string, key: string): string {
  return /^[\w$-]{1,64}$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key.slice(0, 64))}]`
}

export function wrong(path: string, what: string, cause?: unknown): HoldpointError {
  return new HoldpointError('config-invalid', `${path}: ${what}${/[.!?]$/.test(what) ? '' : '.'}`, { cause })
}

export function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !isList(value)
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

function kind(value: Json): string {
  if (value === null) return 'null'
  if (isList(value)) return 'a list'
  return typeof value === 'object' ? 'an object' : typeof value === 'string' ? 'text' : `a ${typeof value}`
}

function codeOf(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
}
