/**
 * Validates values against raw JSON Schemas with Ajv. Validation does not change the value: no defaults, no coercion, no removed
 * fields. It validates and returns the value as JSON, as it would be stored.
 *
 * The schema and the value may both come from untrusted sources (an MCP server, an HTTP client), so both have limits. For a schema,
 * see `json-schema/inspect-schema.ts`, and 2 s to compile. For a value: 4 MB as JSON, 128 levels, no `__proto__`, and 500 ms. The time
 * limit interrupts the validation, so it also stops a catastrophic `pattern` and a recursive `anyOf`.
 *
 * `format` is an annotation, as JSON Schema defines it, and is not validated. Use `pattern` or a Standard Schema instead. Drafts:
 * 2020-12, 2019-09, draft-07 (and draft-06, read as 07), by `$schema`. Without `$schema`, the draft is 2020-12, unless a tuple is
 * written as `items: […]`, which is 2019-09.
 */
import type { ValidateFunction } from 'ajv'
import { HoldpointError, messageOf, type Checked, type Json, type JsonObject } from '@holdpoint/core'
import { explain } from './json-schema/explain.ts'
import { inspectSchema, type InspectedSchema } from './json-schema/inspect-schema.ts'
import { metaOf, validatorOf } from './json-schema/validator.ts'
import { readValue } from './json-schema/value.ts'
import { TooSlow, withinTime } from './json-schema/within-time.ts'

const COMPILE_MS = 2000
const CHECK_MS = 500
/** Schema nodes × characters of the value. Below this, a validation without `$ref` or `pattern` takes milliseconds. */
const SMALL = 1_000_000

export function compileJsonSchema(source: JsonObject): (value: unknown) => Checked {
  const inspected = inspectSchema(source)
  const validate = compile(inspected)
  return (given) => {
    const read = readValue(given)
    if (!read.ok) return read
    const quick = !inspected.unbounded && inspected.nodes * read.text.length <= SMALL
    return check(validate, read.value, quick)
  }
}

function check(validate: ValidateFunction, value: Json, quick: boolean): Checked {
  try {
    const fits = quick ? validate(value) : withinTime(CHECK_MS, () => validate(value))
    return fits ? { ok: true, value } : { ok: false, why: explain(validate.errors) }
  } catch (error) {
    if (error instanceof TooSlow) return { ok: false, why: `it could not be checked within ${CHECK_MS} ms` }
    // For example, the schema is only a reference to itself.
    return { ok: false, why: `the schema threw an error: ${messageOf(error)}` }
  }
}

function compile({ schema, draft }: InspectedSchema): ValidateFunction {
  metaOf(draft)
  try {
    return withinTime(COMPILE_MS, () => validatorOf(schema, draft))
  } catch (error) {
    if (error instanceof TooSlow) throw invalid(`it could not be compiled within ${COMPILE_MS} ms. Make it smaller.`)
    throw invalid(messageOf(error), error)
  }
}

function invalid(message: string, cause?: unknown): HoldpointError {
  return new HoldpointError('tool-invalid', message, { cause })
}
