/**
 * The schemas of a tool's input and output: a Standard Schema (Zod, Valibot, ArkType…) or a raw JSON Schema. The model gets a raw
 * JSON Schema unchanged. A Standard Schema is converted to JSON Schema once, and its library validates the values.
 */
import { HoldpointError, messageOf } from '../failure.ts'
import { isObject, toJson, type JsonObject } from '../json.ts'
import type { Checked, CompileJsonSchema } from '../ports.ts'
import { isThenable } from '../thenable.ts'

/** The part of the Standard Schema and Standard JSON Schema specifications that we use. */
export interface StandardSchema<In = unknown, Out = In> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => StandardResult<Out> | Promise<StandardResult<Out>>
    readonly types?: { readonly input: In; readonly output: Out } | undefined
    readonly jsonSchema?:
      | { readonly input: (options: { readonly target: 'draft-07' }) => Record<string, unknown> }
      | undefined
  }
}

export type StandardResult<Out> =
  | { readonly value: Out; readonly issues?: undefined }
  | {
      readonly issues: ReadonlyArray<{
        readonly message: string
        readonly path?: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined
      }>
    }

export type AnySchema = StandardSchema | JsonObject

/** The type of a validated value: the schema's output, or any JSON object for a raw JSON Schema. */
export type Infer<S> = S extends { readonly '~standard': { readonly types?: infer T } }
  ? NonNullable<T> extends { readonly output: infer Out }
    ? Out
    : unknown
  : S extends JsonObject
    ? JsonObject
    : unknown

/** A prepared schema: the JSON Schema that the model reads, and the validation. */
export interface Schema {
  readonly json: JsonObject
  /** Returns a value, not a promise, if the schema validates synchronously, as most do. */
  check(value: unknown): Checked | Promise<Checked>
}

export function toSchema(source: AnySchema, what: string, compile: CompileJsonSchema | undefined): Schema {
  if (isStandard(source)) return { json: jsonSchemaOf(source, what), check: (value) => checkStandard(source, value) }
  if (!isObject(source)) throw invalid(`${what} must be a Standard Schema (Zod, Valibot, …) or a JSON Schema object.`)
  if (!compile) {
    throw invalid(
      `${what} is a raw JSON Schema, and no validator for JSON Schema is configured. Import "tool" from "holdpoint", or give a Standard Schema.`,
    )
  }
  const json = toJson(source)
  if (!json.ok) throw invalid(`${what} is not plain JSON: ${json.why}.`)
  try {
    const check = compile(source)
    return { json: source, check }
  } catch (error) {
    throw invalid(`${what} is not a JSON Schema that can be used: ${messageOf(error)}`, error)
  }
}

/** Adds the JSON Schema to a Standard Schema that cannot convert itself. */
export function withJsonSchema<S extends StandardSchema>(schema: S, json: JsonObject): S {
  return { ...schema, '~standard': { ...schema['~standard'], jsonSchema: { input: () => json } } }
}

export function isStandard(value: unknown): value is StandardSchema {
  return (typeof value === 'object' || typeof value === 'function') && value !== null && '~standard' in value
}

function jsonSchemaOf(source: StandardSchema, what: string): JsonObject {
  const convert = source['~standard'].jsonSchema
  if (!convert) {
    throw invalid(
      `${what} is a ${source['~standard'].vendor} schema that cannot be converted to JSON Schema. Wrap it: withJsonSchema(schema, { type: 'object', … }).`,
    )
  }
  try {
    const json = toJson(convert.input({ target: 'draft-07' }))
    if (json.ok && isObject(json.value)) return json.value
    throw new Error('it returned no JSON object')
  } catch (error) {
    throw invalid(
      `${what} cannot be converted to JSON Schema: ${messageOf(error)}. Use types that JSON has, or wrap it: withJsonSchema(schema, { type: 'object', … }).`,
      error,
    )
  }
}

/** Validates a value whose schema no model reads. */
export function checkStandard(source: StandardSchema, value: unknown): Checked | Promise<Checked> {
  try {
    const checked = source['~standard'].validate(value)
    return isThenable(checked) ? Promise.resolve(checked).then(checkedBy).catch(brokenBy) : checkedBy(checked)
  } catch (error) {
    return brokenBy(error)
  }
}

function checkedBy(result: StandardResult<unknown>): Checked {
  if (!result.issues) return { ok: true, value: result.value }
  return { ok: false, why: result.issues.map(({ message, path }) => `${where(path)}${message}`).join('; ') }
}

function brokenBy(error: unknown): Checked {
  return { ok: false, why: `the schema threw an error: ${messageOf(error)}` }
}

function where(path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined): string {
  if (!path || path.length === 0) return ''
  return `${path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.')}: `
}

function invalid(message: string, cause?: unknown): HoldpointError {
  return new HoldpointError('tool-invalid', message, { cause })
}
