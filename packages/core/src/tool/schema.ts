/**
 * What a tool takes and gives back, in whatever way its author wrote it: any Standard Schema (Zod, Valibot, ArkType…)
 * or a raw JSON Schema. We have no schema language of our own: a JSON Schema goes to the model untouched, a Standard
 * Schema is asked once for its own JSON Schema, and the schema library does the checking.
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

/** What the tool's code is handed: the schema's output, or any JSON object for a raw JSON Schema. */
export type Infer<S> = S extends { readonly '~standard': { readonly types?: infer T } }
  ? NonNullable<T> extends { readonly output: infer Out }
    ? Out
    : unknown
  : S extends JsonObject
    ? JsonObject
    : unknown

/** A schema made ready: what the model reads, and the check at the border. */
export interface Schema {
  readonly json: JsonObject
  /** Most schemas answer synchronously, and every call is checked: then the caller does not wait. */
  check(value: unknown): Checked | Promise<Checked>
}

export function toSchema(source: AnySchema, what: string, compile: CompileJsonSchema | undefined): Schema {
  if (isStandard(source)) return { json: jsonSchemaOf(source, what), check: (value) => checkStandard(source, value) }
  if (!isObject(source)) throw invalid(`${what} must be a Standard Schema (Zod, Valibot, …) or a JSON Schema object.`)
  if (!compile) {
    throw invalid(
      `${what} is a raw JSON Schema, and nothing here can check one. Import "tool" from "holdpoint", or give a Standard Schema.`,
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

/** Gives a Standard Schema that cannot describe itself the JSON Schema the model is to read. */
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
      `${what} is a ${source['~standard'].vendor} schema that cannot describe itself as JSON Schema. Wrap it: withJsonSchema(schema, { type: 'object', … }).`,
    )
  }
  try {
    const json = toJson(convert.input({ target: 'draft-07' }))
    if (json.ok && isObject(json.value)) return json.value
    throw new Error('it gave no JSON object')
  } catch (error) {
    throw invalid(
      `${what} cannot be written as JSON Schema: ${messageOf(error)}. Use types that JSON has, or wrap it: withJsonSchema(schema, { type: 'object', … }).`,
      error,
    )
  }
}

/** The check alone, for values that no model is told about. */
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
  return { ok: false, why: `the schema itself failed: ${messageOf(error)}` }
}

function where(path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }> | undefined): string {
  if (!path || path.length === 0) return ''
  return `${path.map((step) => String(typeof step === 'object' ? step.key : step)).join('.')}: `
}

function invalid(message: string, cause?: unknown): HoldpointError {
  return new HoldpointError('tool-invalid', message, { cause })
}
