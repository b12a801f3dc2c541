/**
 * A flat form for a JSON Schema, for places that have no editor: a modal, a terminal. What is typed becomes JSON, which the tool's
 * own schema checks when the answer is decided.
 */
import { isObject, parseJson } from '@holdpoint/core'
import type { Json, JsonObject } from 'holdpoint'

export interface FormField {
  /** The property; undefined when the whole value is typed as JSON. */
  readonly name: string | undefined
  readonly label: string
  readonly hint?: string
  readonly kind: 'text' | 'number' | 'integer' | 'yes-no' | 'choice' | 'json'
  readonly required: boolean
  /** For a choice: the values as JSON. */
  readonly choices?: readonly string[]
  /** What the field has at first: text, or JSON for a choice, a number, yes or no, and JSON. */
  readonly initial?: string
}

export type FormResult =
  | { readonly value: Json }
  /** By the position of the field. */
  | { readonly errors: ReadonlyMap<number, string> }

const MOST_FIELDS = 25
const MOST_CHOICES = 100

/** `value`: what the form shows at first. */
export function formFields(schema: JsonObject | undefined, value?: Json): readonly FormField[] {
  const properties = isObject(schema?.['properties']) ? Object.entries(schema['properties']) : []
  const given = isObject(value) ? value : {}
  const unknown = Object.keys(given).filter((name) => !properties.some(([known]) => known === name))
  const isFlat = schema?.['type'] === 'object' && properties.length > 0 && properties.length <= MOST_FIELDS
  // A value that the form could not show whole must not be changed by it.
  if (!isFlat || unknown.length > 0 || (value !== undefined && !isObject(value))) return [whole(schema, value)]
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : []
  return properties.map(([name, rule]) =>
    fieldOf(
      name,
      isObject(rule) ? rule : {},
      required.includes(name),
      Object.hasOwn(given, name) ? given[name] : undefined,
    ),
  )
}

function whole(schema: JsonObject | undefined, value: Json | undefined): FormField {
  const { name: _name, ...field } = fieldOf('', { ...schema }, true, value)
  return { ...field, name: undefined, label: field.kind === 'json' ? 'JSON' : 'Answer' }
}

function fieldOf(name: string, rule: Readonly<Record<string, unknown>>, required: boolean, value: unknown): FormField {
  const { title, description, type } = rule
  const listed = rule['const'] === undefined ? rule['enum'] : [rule['const']]
  const choices =
    Array.isArray(listed) && listed.length <= MOST_CHOICES ? listed.map((each) => JSON.stringify(each)) : []
  const kind = kindOf(type, choices.length > 0)
  // A text in a field for text only: `"5"` and `5` are different values.
  const shown = kind === 'text' && value !== undefined && typeof value !== 'string' ? 'json' : kind
  const initial =
    value === undefined ? undefined : shown === 'text' ? (value as string) : JSON.stringify(value, null, 2)
  return {
    name,
    label: typeof title === 'string' && title !== '' ? title : name,
    ...(typeof description === 'string' && { hint: description }),
    kind: shown,
    required,
    ...(choices.length > 0 && { choices }),
    ...(initial !== undefined && { initial }),
  }
}

function kindOf(type: unknown, isChoice: boolean): FormField['kind'] {
  if (isChoice) return 'choice'
  if (type === 'string') return 'text'
  if (type === 'number' || type === 'integer') return type
  return type === 'boolean' ? 'yes-no' : 'json'
}

/** `texts`: what the fields have, in their order; undefined or empty for one that was left out. */
export function formValue(fields: readonly FormField[], texts: readonly (string | undefined)[]): FormResult {
  const errors = new Map<number, string>()
  const value: Record<string, Json> = {}
  let only: Json = null
  for (const [index, field] of fields.entries()) {
    const text = texts[index] ?? ''
    if (text === '') {
      if (field.required && field.kind !== 'text') errors.set(index, 'This is needed.')
      // An empty text is a value only where one is needed.
      else if (field.required || field.initial === '') set(field, '')
      continue
    }
    const read = valueOf(field, text)
    if ('error' in read) errors.set(index, read.error)
    else set(field, read.value)
  }
  return errors.size > 0 ? { errors } : { value: fields[0]?.name === undefined ? only : value }

  function set({ name }: FormField, given: Json): void {
    if (name === undefined) only = given
    else Object.defineProperty(value, name, { value: given, enumerable: true, writable: true, configurable: true })
  }
}

function valueOf(
  { kind, choices = [] }: FormField,
  text: string,
): { readonly value: Json } | { readonly error: string } {
  switch (kind) {
    case 'text':
      return { value: text }
    case 'number':
    case 'integer': {
      const number = /^\s*-?\d/.test(text) ? Number(text) : Number.NaN
      if (!Number.isFinite(number)) return { error: 'This is not a number.' }
      if (kind === 'integer' && !Number.isInteger(number)) return { error: 'This is not a whole number.' }
      return { value: number }
    }
    case 'yes-no':
      if (/^(true|yes|y)$/i.test(text)) return { value: true }
      return /^(false|no|n)$/i.test(text) ? { value: false } : { error: 'Answer yes or no.' }
    case 'choice': {
      const chosen = choices.find((each) => each === text || each === JSON.stringify(text))
      return chosen === undefined
        ? { error: `Choose one of ${choices.join(', ')}.` }
        : { value: JSON.parse(chosen) as Json }
    }
    case 'json': {
      const read = parseJson(text)
      return read.ok ? { value: read.value } : { error: 'This is not JSON. A text needs quotes: "yes".' }
    }
  }
}

/** The field that a refusal of the tool's schema names; the first one when it names none. */
export function fieldOfRefusal(fields: readonly FormField[], message: string): number {
  const words = message.split(/[^\p{L}\p{N}_$-]+/u)
  let found = 0
  let longest = 0
  for (const [index, { name = '' }] of fields.entries()) {
    // A short name, such as `to`, may be a word of the sentence.
    if (name.length <= longest || !words.includes(name)) continue
    found = index
    longest = name.length
  }
  return found
}
