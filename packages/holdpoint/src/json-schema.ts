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
import { Ajv, type Options, type ValidateFunction } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import {
  canonical,
  HoldpointError,
  parseJson,
  type Checked,
  type CompileJsonSchema,
  type Json,
  type JsonObject,
} from '@holdpoint/core'
import { explain } from './json-schema/explain.ts'
import { inspect, type Draft } from './json-schema/limits.ts'
import { forbiddenName } from './json-schema/forbidden-name.ts'
import { TooSlow, withinTime } from './json-schema/within-time.ts'

const COMPILE_MS = 2000
const CHECK_MS = 500
const MAX_VALUE_CHARS = 4_000_000
/** Schema nodes × characters of the value: below it a check without `$ref` or `pattern` ends in milliseconds. */
const SMALL = 1_000_000

const DRAFTS = { 'draft-07': Ajv, '2019-09': Ajv2019, '2020-12': Ajv2020 } as const

export const compileJsonSchema: CompileJsonSchema = (source) => {
  const inspected = inspect(source)
  const validate = compile(inspected.schema, inspected.draft)
  return (value) => {
    const text = textOf(value)
    if (!text.ok) return text
    if (text.text.length > MAX_VALUE_CHARS)
      return { ok: false, why: `it is larger than ${MAX_VALUE_CHARS} characters of JSON` }
    const json = parseJson(text.text)
    if (!json.ok) return json
    const bad =
      text.text.includes('"__proto__"') || text.text.includes('"constructor"') ? forbiddenName(json.value) : undefined
    if (bad !== undefined) return { ok: false, why: `${bad}: is not allowed as a name` }
    const quick = !inspected.unbounded && inspected.nodes * text.text.length <= SMALL
    return check(validate, json.value, quick)
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

/**
 * One Ajv per schema: an instance keeps what it compiled for ever, even after `removeSchema`. Without the metaschema
 * an instance costs a quarter of a millisecond (with it, ten); that part is shared, and compiles nothing of a user's.
 */
function compile(schema: JsonObject, draft: Draft): ValidateFunction {
  const meta = metaOf(draft)
  try {
    return withinTime(COMPILE_MS, () => {
      if (meta.validateSchema(schema) !== true) throw invalid(explain(meta.errors))
      const ajv = new DRAFTS[draft]({ ...SETTINGS, meta: false, validateSchema: false })
      linearUniqueItems(ajv)
      return ajv.compile(schema)
    })
  } catch (error) {
    if (error instanceof TooSlow) throw invalid(`it could not be compiled within ${COMPILE_MS} ms. Make it smaller.`)
    if (HoldpointError.is(error)) throw error
    throw invalid(messageOf(error), error)
  }
}

const SETTINGS: Options = {
  strict: false,
  allErrors: true,
  validateFormats: false,
  logger: false,
  // Otherwise `required: ['constructor']` is met by every object.
  ownProperties: true,
  // Inlined, a definition that is used n times is compiled n times: 900 properties used 500 times took 111 s, now 0.1 s.
  inlineRefs: false,
  code: { regExp: Object.assign(regExp, { code: 'new RegExp' }) },
}

/** Patterns are Unicode by the book, but people write `[\w-.]`, which only the older mode takes. */
function regExp(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags)
  } catch {
    return plainRegExp(pattern)
  }
}

function plainRegExp(pattern: string): RegExp {
  try {
    return new RegExp(pattern)
  } catch {
    throw invalid(`the pattern ${JSON.stringify(pattern)} is not a regular expression`)
  }
}

/** Ajv compares every pair (8,000 objects: 10 s). */
function linearUniqueItems(ajv: Ajv | Ajv2019 | Ajv2020): void {
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    compile: (on: boolean) => (items: readonly Json[]) => !on || new Set(items.map(canonical)).size === items.length,
  })
}

const metas = new Map<Draft, Ajv | Ajv2019 | Ajv2020>()

function metaOf(draft: Draft): Ajv | Ajv2019 | Ajv2020 {
  const known = metas.get(draft)
  if (known) return known
  const made = new DRAFTS[draft]({ strict: false, allErrors: true, validateFormats: false, logger: false })
  // Compiles the metaschema now: it is shared, and must not be interrupted half way.
  void made.validateSchema({})
  metas.set(draft, made)
  return made
}

function textOf(
  value: unknown,
): { readonly ok: true; readonly text: string } | { readonly ok: false; readonly why: string } {
  try {
    const text: unknown = JSON.stringify(value ?? null)
    return typeof text === 'string' ? { ok: true, text } : { ok: false, why: `a ${typeof value} is not JSON` }
  } catch (error) {
    return { ok: false, why: `it is not JSON: ${messageOf(error)}` }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'no reason was given'
}

function invalid(message: string, cause?: unknown): HoldpointError {
  return new HoldpointError('tool-invalid', message, { cause })
}
