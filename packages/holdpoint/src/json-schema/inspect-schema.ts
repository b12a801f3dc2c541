/**
 * The limits of a schema, checked before Ajv compiles it: 64 KB, 32 levels, 2,000 nodes (objects, arrays and booleans, which can be
 * schemas), 64 combinators, and only references within the schema. People write much smaller schemas, and much larger ones are
 * dangerous: 50,000 properties take Ajv 9 s, 2¹² nested `anyOf`s 6 s, and 3,000 levels overflow the stack.
 */
import { HoldpointError, toJson, type Json, type JsonObject } from '@holdpoint/core'
import type { Draft } from './validator.ts'

const MAX_BYTES = 64 * 1024
const MAX_DEPTH = 32
const MAX_NODES = 2000
const MAX_COMBINATORS = 64

export interface InspectedSchema {
  /** A copy, so that Ajv cannot change the author's schema, and the author cannot change this one later. */
  readonly schema: JsonObject
  readonly draft: Draft
  readonly nodes: number
  /** Small sizes of schema and value do not guarantee a short validation: the schema has patterns, or refers to itself. */
  readonly unbounded: boolean
}

const COMBINATORS = new Set(['anyOf', 'oneOf', 'allOf', 'not', 'if'])
const REFERENCES = new Set(['$ref', '$dynamicRef', '$recursiveRef'])
const UNBOUNDED = new Set([...REFERENCES, 'pattern', 'patternProperties'])
/** Keywords whose value is data, where `$ref` is not a reference. */
const DATA = new Set(['const', 'enum', 'default', 'example', 'examples'])

interface Tally {
  nodes: number
  combinators: number
  unbounded: boolean
  oldTuple: boolean
}

export function inspectSchema(source: JsonObject): InspectedSchema {
  const json = toJson(source)
  if (!json.ok) throw invalid(`it is not plain JSON: ${json.why}`)
  if (!isObject(json.value)) throw invalid('it must be an object')
  const bytes = Buffer.byteLength(JSON.stringify(json.value))
  if (bytes > MAX_BYTES)
    throw invalid(
      `it is ${bytes} bytes long, and ${MAX_BYTES} are allowed. Shorten its descriptions, or split the tool.`,
    )
  const tally: Tally = { nodes: 0, combinators: 0, unbounded: false, oldTuple: false }
  walk(json.value, [], false, tally)
  const { $schema, ...schema } = json.value
  return { schema, draft: draftOf($schema, tally.oldTuple), nodes: tally.nodes, unbounded: tally.unbounded }
}

function walk(value: Json, path: readonly string[], data: boolean, tally: Tally): void {
  if (typeof value === 'boolean') return countNode(tally)
  if (typeof value !== 'object' || value === null) return
  if (path.length >= MAX_DEPTH)
    throw invalid(
      `${path.join('.')}: is nested deeper than ${MAX_DEPTH} levels. Move inner parts to $defs and refer to them.`,
    )
  countNode(tally)
  for (const [key, member] of Object.entries(value)) {
    const here = [...path, key]
    if (key === '__proto__') throw invalid(`${here.join('.')}: is not allowed as a name`)
    if (!data && !Array.isArray(value)) checkKeyword(key, member, here, tally)
    walk(member, here, data || DATA.has(key), tally)
  }
}

function checkKeyword(key: string, value: Json, path: readonly string[], tally: Tally): void {
  if (UNBOUNDED.has(key)) tally.unbounded = true
  if (key === 'items' && Array.isArray(value)) tally.oldTuple = true
  if (COMBINATORS.has(key) && ++tally.combinators > MAX_COMBINATORS) {
    throw invalid(
      `${path.join('.')}: there are more than ${MAX_COMBINATORS} of ${[...COMBINATORS].join(', ')}. Write { "type": ["string", "null"] } for what may be null, or split the tool.`,
    )
  }
  if (REFERENCES.has(key) && typeof value === 'string' && !value.startsWith('#')) {
    throw invalid(
      `${path.join('.')}: points to ${JSON.stringify(value)}, and only references into the schema itself ("#/…") are followed. Copy what it points to under $defs.`,
    )
  }
  // Ajv would return a promise, which counts as true even if it rejects.
  if (key === '$async' && value !== false && typeof value !== 'object')
    throw invalid(`${path.join('.')}: asynchronous schemas are not supported. Remove it.`)
}

function countNode(tally: Tally): void {
  if (++tally.nodes > MAX_NODES)
    throw invalid(`it has more than ${MAX_NODES} nodes (objects, arrays and booleans). Split the tool.`)
}

function draftOf($schema: Json | undefined, oldTuple: boolean): Draft {
  if ($schema === undefined) return oldTuple ? '2019-09' : '2020-12'
  const name =
    typeof $schema === 'string'
      ? /^https?:\/\/json-schema\.org\/(?:draft\/)?(.+?)\/schema#?$/.exec($schema)?.[1]
      : undefined
  if (name === 'draft-06') return 'draft-07'
  if (name === 'draft-07' || name === '2019-09' || name === '2020-12') return name
  throw invalid(
    `$schema: ${JSON.stringify($schema)} is not a supported draft. Use https://json-schema.org/draft/2020-12/schema or http://json-schema.org/draft-07/schema#, or leave it out.`,
  )
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function invalid(message: string): HoldpointError {
  return new HoldpointError('tool-invalid', message)
}
