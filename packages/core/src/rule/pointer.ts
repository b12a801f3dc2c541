/** JSON Pointers (RFC 6901) with one addition: a part `*` means the elements of a list. */
import { isObject, type Json } from '../json.ts'

const FORM = /^(?:\/(?:[^~/]|~[01])*)*$/

/** The parts of a pointer; undefined if it is not one. The empty pointer is the whole input. */
export function pointerParts(pointer: string): readonly string[] | undefined {
  if (!FORM.test(pointer)) return undefined
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** The pointer to a field, from the names on the way to it. */
export function toPointer(parts: readonly string[]): string {
  return parts.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** The values at the pointer. Undefined stands for a value that is missing: a field, an element, or every element of an empty list. */
export function valuesAt(input: Json, parts: readonly string[]): readonly (Json | undefined)[] {
  let values: readonly (Json | undefined)[] = [input]
  for (const part of parts) values = values.flatMap((value) => step(value, part))
  return values
}

function step(value: Json | undefined, part: string): readonly (Json | undefined)[] {
  if (part === '*') return Array.isArray(value) && value.length > 0 ? value : [undefined]
  if (Array.isArray(value))
    return [/^(?:0|[1-9]\d*)$/.test(part) ? (value as readonly Json[])[Number(part)] : undefined]
  return [isObject(value) && Object.hasOwn(value, part) ? value[part] : undefined]
}
