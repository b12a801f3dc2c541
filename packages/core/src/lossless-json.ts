/**
 * JSON drops some values silently: a promise, a response, a Map, a function. A handler that returns one made a mistake. The
 * error says which value, where, and what to return instead.
 */
import { messageOf } from './failure.ts'
import { toJson, type Parsed } from './json.ts'
import { isThenable } from './thenable.ts'

/** The value as JSON, if JSON loses nothing of it. */
export function losslessJson(value: unknown): Parsed {
  const json = toJson(value)
  try {
    const lost = json.ok || typeof value === 'symbol' ? lostIn(value, '') : undefined
    return lost === undefined ? json : { ok: false, why: lost }
  } catch (error) {
    return { ok: false, why: `reading it throws: ${messageOf(error)}` }
  }
}

/** Called after `toJson`, so the value has no cycles and is not too deep. */
function lostIn(value: unknown, at: string): string | undefined {
  const lost = kindOf(value)
  if (lost) return `${lost[0]}${at === '' ? '' : ` at "${at}"`}, of which JSON keeps nothing. ${lost[1]}`
  if (typeof value !== 'object' || value === null || writesItself(value)) return undefined
  for (const [key, each] of Object.entries(value)) {
    const inside = lostIn(each, at === '' ? key : `${at}.${key}`)
    if (inside !== undefined) return inside
  }
  return undefined
}

/** The kind of a value that JSON loses, and what to return instead. */
function kindOf(value: unknown): readonly [what: string, instead: string] | undefined {
  if (typeof value === 'function') return ['a function', 'Return data.']
  if (typeof value === 'symbol') return ['a symbol', 'Return text.']
  if (typeof value !== 'object' || value === null || writesItself(value)) return undefined
  if (isThenable(value)) return ['a promise', 'Await it first.']
  if (value instanceof Map) return ['a Map', 'Return Object.fromEntries(map), or a list of its entries.']
  if (value instanceof Set) return ['a Set', 'Return [...set].']
  if (value instanceof Error) return ['an Error', 'Throw it, or return toolError(message).']
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return ['bytes', 'Return them as base64 text.']
  const name = nameOf(value)
  if (has(value, 'arrayBuffer') && has(value, 'text'))
    return [`a ${name}`, 'Return what it holds: await its json() or text().']
  if (Symbol.asyncIterator in value) return ['a stream', 'Read it, and return what it holds.']
  if (Symbol.iterator in value && has(value, 'next')) return ['an iterator', 'Return a list: [...iterator].']
  const hidden = isInstance(value) && Object.keys(value).length === 0
  return hidden ? [`an instance of ${name}`, 'Return its fields as a plain object.'] : undefined
}

/** Whether it has `toJSON`, like a Date or a URL. */
function writesItself(value: object): boolean {
  return has(value, 'toJSON')
}

function has(value: object, method: string): boolean {
  return typeof (value as Readonly<Record<string, unknown>>)[method] === 'function'
}

function isInstance(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype !== Object.prototype && prototype !== null && !Array.isArray(value)
}

function nameOf({ constructor }: object): string {
  return typeof constructor === 'function' && constructor.name !== '' ? constructor.name : 'class'
}
