/**
 * Everything that a form needs of a JSON Schema: the kind of each field, its initial value, and validation errors. A part
 * of a schema that has no suitable field is edited as JSON, so every schema has a form.
 */
import { Validator } from '@cfworker/json-schema'
import type { Json, JsonObject } from '@holdpoint/client'

export type Schema = JsonObject
/** The path to a value: keys and indices from the root. */
export type Path = readonly (string | number)[]

export type Field =
  | { readonly kind: 'object'; readonly fields: readonly ObjectField[] }
  | { readonly kind: 'list'; readonly items: Schema }
  | { readonly kind: 'choice'; readonly options: readonly { readonly value: Json; readonly label: string }[] }
  | {
      readonly kind: 'text'
      /** An empty field is an empty text, instead of a missing value. */
      readonly empty: boolean
      readonly long: boolean
      readonly type: 'text' | 'email' | 'url' | 'date' | 'datetime-local'
    }
  | { readonly kind: 'number'; readonly whole: boolean }
  /** The value is the id of an uploaded file. */
  | { readonly kind: 'file' }
  | { readonly kind: 'yes-no' }
  | { readonly kind: 'json' }

export interface ObjectField {
  readonly name: string
  readonly schema: Schema
  readonly required: boolean
}

/** Follows a `$ref` within the document, and picks the only alternative besides `null`. */
export function resolved(schema: Schema, root: Schema, depth = 0): Schema {
  const ref = schema['$ref']
  if (typeof ref === 'string' && depth < 10) {
    const target = /^#(?:\/|$)/.test(ref) ? pointed(root, ref.split('/').slice(1)) : undefined
    return target ? resolved({ ...target, ...without(schema, '$ref') }, root, depth + 1) : {}
  }
  const alternatives = schema['anyOf'] ?? schema['oneOf']
  if (Array.isArray(alternatives)) {
    const real = alternatives.filter((each): each is Schema => isObject(each) && each['type'] !== 'null')
    const [only] = real
    if (only && real.length === 1 && depth < 10)
      return resolved({ ...only, ...without(schema, 'anyOf', 'oneOf') }, root, depth + 1)
  }
  return schema
}

export function fieldOf(schema: Schema): Field {
  const options = optionsOf(schema)
  if (options) return { kind: 'choice', options }
  const type = Array.isArray(schema['type']) ? schema['type'].find((each) => each !== 'null') : schema['type']
  const { properties, items, required } = schema
  if (type === 'object' && isObject(properties)) {
    const needed = Array.isArray(required) ? required : []
    const fields = Object.entries(properties).map(([name, each]) => ({
      name,
      schema: isObject(each) ? each : {},
      required: needed.includes(name),
    }))
    return { kind: 'object', fields }
  }
  if (type === 'array' && isObject(items)) return { kind: 'list', items }
  if (type === 'string') return schema['format'] === 'file' ? { kind: 'file' } : textField(schema)
  if (type === 'number' || type === 'integer') return { kind: 'number', whole: type === 'integer' }
  if (type === 'boolean') return { kind: 'yes-no' }
  return { kind: 'json' }
}

function textField({ format, maxLength, 'x-long': long, 'x-empty': empty }: Schema): Field {
  const types = { email: 'email', uri: 'url', url: 'url', date: 'date' } as const
  const type = typeof format === 'string' && Object.hasOwn(types, format) ? types[format as keyof typeof types] : 'text'
  return {
    kind: 'text',
    type,
    empty: empty === true,
    long: long === true || (typeof maxLength === 'number' && maxLength > 200),
  }
}

function optionsOf(schema: Schema): Extract<Field, { kind: 'choice' }>['options'] | undefined {
  const { enum: values, oneOf, anyOf } = schema
  if ('const' in schema && schema['const'] !== undefined)
    return [{ value: schema['const'], label: labelOf(schema['const']) }]
  if (Array.isArray(values)) return values.map((value: Json) => ({ value, label: labelOf(value) }))
  const alternatives: Json = oneOf ?? anyOf ?? null
  if (!Array.isArray(alternatives) || alternatives.length === 0) return undefined
  const constants = alternatives.map((each: Json) =>
    isObject(each) && each['const'] !== undefined
      ? { value: each['const'], label: typeof each['title'] === 'string' ? each['title'] : labelOf(each['const']) }
      : undefined,
  )
  return constants.every((each) => each !== undefined) ? constants : undefined
}

function labelOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The initial value of a form: defaults, and objects for required fields. Undefined if the schema gives none. */
export function firstValue(given: Schema, root: Schema, depth = 0): Json | undefined {
  const schema = resolved(given, root)
  if (schema['default'] !== undefined) return schema['default']
  const field = fieldOf(schema)
  if (field.kind === 'choice') return field.options.length === 1 ? field.options[0]?.value : undefined
  if (field.kind === 'list') return []
  if (field.kind === 'yes-no') return false
  if (field.kind !== 'object' || depth > 5) return undefined
  const entries = field.fields.flatMap(({ name, schema: each, required }) => {
    // An optional field is left out unless it has a default.
    const first = required ? firstValue(each, root, depth + 1) : resolved(each, root)['default']
    return first === undefined ? [] : [[name, first] as const]
  })
  return Object.fromEntries(entries)
}

export interface FieldError {
  readonly path: Path
  readonly message: string
}

/** Validates the value. The server validates it again, with the final decision. */
export function fieldErrorsOf(value: Json | undefined, schema: Schema): readonly FieldError[] {
  if (value === undefined) return [{ path: [], message: 'This field is required.' }]
  const errors = errorsOf(value, schema).flatMap(({ instanceLocation, keyword, error }): FieldError[] => {
    const path = instanceLocation.split('/').slice(1).map(unescaped)
    // The validator repeats an error for each schema around the one that failed.
    if (['properties', 'items', 'prefixItems', 'allOf', '$ref', '$dynamicRef'].includes(keyword)) return []
    const missing = keyword === 'required' ? /property "(.+)"/.exec(error)?.[1] : undefined
    if (missing !== undefined) return [{ path: [...path, missing], message: 'This field is required.' }]
    // An item of a list that is still empty.
    if (keyword === 'type' && valueAt(value, path) === null) return [{ path, message: 'This field is required.' }]
    return [{ path, message: error.replace(/\.?$/, '.') }]
  })
  const seen = new Set<string>()
  return errors.filter(({ path }) => {
    const key = pathKey(path)
    return seen.has(key) ? false : seen.add(key)
  })
}

function errorsOf(value: Json, schema: Schema): ReturnType<Validator['validate']>['errors'] {
  try {
    return new Validator(schema, '2020-12', false).validate(value).errors
  } catch {
    // The schema is invalid, for instance a broken pattern. The server decides.
    return []
  }
}

function valueAt(value: Json | undefined, [key, ...rest]: Path): Json | undefined {
  if (key === undefined) return value
  const next = Array.isArray(value) ? (value as readonly Json[])[Number(key)] : ownOf(value, String(key))
  return valueAt(next, rest)
}

export function pathKey(path: Path): string {
  return path.map((each) => String(each)).join('\u0000')
}

/** A copy of `value` with `next` at the path, or without the path if `next` is undefined. */
export function withValue(value: Json | undefined, path: Path, next: Json | undefined): Json | undefined {
  const [key, ...rest] = path
  if (key === undefined) return next
  if (Array.isArray(value) && typeof key === 'number') {
    const inner = withValue(value[key] as Json, rest, next)
    return [...value.slice(0, key), ...(inner === undefined ? [] : [inner]), ...value.slice(key + 1)] as Json[]
  }
  const before = isObject(value) ? value : {}
  const inner = withValue(ownOf(before, String(key)), rest, next)
  return inner === undefined ? without(before, String(key)) : { ...before, [key]: inner }
}

/** A schema that fits a value, to edit the value in a form. */
export function schemaOfValue(value: Json): Schema {
  if (typeof value === 'string')
    return { type: 'string', 'x-long': value.length > 60 || value.includes('\n'), 'x-empty': true }
  if (typeof value === 'number') return { type: 'number' }
  if (typeof value === 'boolean') return { type: 'boolean' }
  if (!isObject(value)) return {}
  const properties = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, schemaOfValue(each)]))
  return { type: 'object', properties, required: Object.keys(properties) }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A field may be named `constructor`, so inherited properties must not be read. */
export function ownOf(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

function without(object: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)))
}

function pointed(root: Json, [segment, ...rest]: readonly string[]): Schema | undefined {
  if (segment === undefined) return isObject(root) ? root : undefined
  const next = ownOf(root, unescaped(segment))
  return next === undefined ? undefined : pointed(next, rest)
}

function unescaped(segment: string): string {
  const text = /%(?![\da-f]{2})/i.test(segment) ? segment : decodeURIComponent(segment)
  return text.replaceAll('~1', '/').replaceAll('~0', '~')
}
