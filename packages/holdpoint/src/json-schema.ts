/**
 * Checks raw JSON Schemas with Ajv. The schema is the model's contract and is taken verbatim: a value passes or does
 * not, and nothing is filled in, coerced or removed. What is checked, and handed on, is the value as JSON: what would
 * be stored of it.
 *
 * Schema and value may both come from a stranger (an MCP server, an HTTP client), so both are bounded. A schema:
 * see `json-schema/limits.ts`, and 2 s to compile. A value: 4 MB as JSON, 128 levels, no `__proto__`, and 500 ms.
 * The time limit interrupts the check, hence it also ends a catastrophic `pattern` and a self-referring `anyOf`.
 *
 * `format` says something to the reader and is not checked, as JSON Schema has it; where it must hold, use `pattern` or
 * a Standard Schema. Drafts: 2020-12, 2019-09, draft-07 (and draft-06, read as 07), by `$schema`. Without one it is
 * 2020-12, unless a tuple is written as `items: […]`, which was the way up to 2019-09.
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
/** Schema nodes × characters of the value: below it a check without `$ref` or `pattern` ends in milliseconds. */
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
    // Such as a schema that is nothing but a reference to itself.
    return { ok: false, why: `the schema itself failed: ${messageOf(error)}` }
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
