import { toPointer, type Json } from '@holdpoint/client'

/** A field of an input that a person can tick: it must have this value in later calls. */
export interface InputField {
  /** Its JSON Pointer. */
  readonly at: string
  /** The names on the way to it. */
  readonly name: string
  readonly value: Json
}

/** A list is one field: a rule about single elements says something else than its reader ticked. */
export function inputFields(input: Json, path: readonly string[] = []): readonly InputField[] {
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) {
    const entries: readonly (readonly [string, Json])[] = Object.entries(input)
    // A part `*` of a pointer means elements of a list, so a field of that name cannot be ticked.
    if (entries.length > 0)
      return entries.flatMap(([key, value]) => (key === '*' ? [] : inputFields(value, [...path, key])))
  }
  return path.length === 0 ? [] : [{ at: toPointer(path), name: path.join(' › '), value: input }]
}
