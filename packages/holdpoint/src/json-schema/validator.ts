/**
 * The configuration of Ajv, for the main thread and for the threads of `schema-checks.ts`. It imports nothing of our other packages,
 * because a thread is started from the sources as well as from the build.
 */
import type { Ajv, Options, ValidateFunction } from 'ajv'
import type { Ajv2019 } from 'ajv/dist/2019.js'
import type { Ajv2020 } from 'ajv/dist/2020.js'
import { ajvDraft07, ajvDraft201909, ajvDraft202012 } from '../load-later.ts'
import { explain } from './explain.ts'

export type Draft = 'draft-07' | '2019-09' | '2020-12'

const DRAFTS = { 'draft-07': ajvDraft07, '2019-09': ajvDraft201909, '2020-12': ajvDraft202012 } as const

/**
 * Compiles a schema. Throws an error that says what is wrong with it. Each schema has its own Ajv instance, because an instance never
 * frees a compiled schema, even after `removeSchema`. An instance without the metaschema takes a quarter of a millisecond, with it ten.
 * So one shared instance with the metaschema validates the schemas.
 */
export function validatorOf(schema: object, draft: Draft): ValidateFunction {
  const meta = metaOf(draft)
  if (meta.validateSchema(schema) !== true) throw new Error(explain(meta.errors))
  const ajv = new (DRAFTS[draft]())({ ...SETTINGS, meta: false, validateSchema: false })
  linearUniqueItems(ajv)
  return ajv.compile(schema)
}

const SETTINGS: Options = {
  strict: false,
  allErrors: true,
  validateFormats: false,
  logger: false,
  // Otherwise every object satisfies `required: ['constructor']`.
  ownProperties: true,
  // Inlined, a definition that is used n times is compiled n times: 900 properties used 500 times took 111 s, now 0.1 s.
  inlineRefs: false,
  code: { regExp: Object.assign(regExp, { code: 'new RegExp' }) },
}

/** JSON Schema patterns are Unicode patterns, but people write `[\w-.]`, which only the older mode accepts. */
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
    throw new Error(`the pattern ${JSON.stringify(pattern)} is not a regular expression`)
  }
}

/** Ajv compares every pair (8,000 objects: 10 s). */
function linearUniqueItems(ajv: Ajv | Ajv2019 | Ajv2020): void {
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    compile: (on: boolean) => (items: readonly unknown[]) => !on || new Set(items.map(sorted)).size === items.length,
  })
}

/** The same text for equal JSON, whatever the order of its keys. */
function sorted(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
}

const metas = new Map<Draft, Ajv | Ajv2019 | Ajv2020>()

/** Compiles the metaschema of a draft, once. It is shared, and must not be interrupted half way. */
export function metaOf(draft: Draft): Ajv | Ajv2019 | Ajv2020 {
  const known = metas.get(draft)
  if (known) return known
  const made = new (DRAFTS[draft]())({ strict: false, allErrors: true, validateFormats: false, logger: false })
  void made.validateSchema({})
  metas.set(draft, made)
  return made
}
