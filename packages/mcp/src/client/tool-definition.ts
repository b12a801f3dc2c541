/**
 * The definition of a server's tool. A model reads it, and a server may change it at any time. So a definition is pinned by
 * a hash of all its fields.
 */
import { isObject, toJson, type Json, type JsonObject } from '@holdpoint/core'
import { createHash } from 'node:crypto'
import { LIMITS } from './limits.ts'

export interface Definition {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
  readonly outputSchema?: JsonObject
  readonly annotations?: JsonObject
  /** Whether the tool can run as a task. */
  readonly task?: 'required' | 'optional'
}

/** Validates a definition from the server. A string says what is wrong with it. */
export function readDefinition(given: unknown): Definition | string {
  const json = toJson(given)
  if (!json.ok || !isObject(json.value)) return 'it is not an object'
  const { name, description = '', title, inputSchema, outputSchema, annotations, execution } = json.value
  if (typeof name !== 'string' || !/^[A-Za-z0-9_.:/-]{1,90}$/.test(name)) return 'its name is invalid'
  if (typeof description !== 'string' || description.length > LIMITS.descriptionLength)
    return `its description is longer than ${LIMITS.descriptionLength}`
  if (!isObject(inputSchema)) return 'its inputSchema is not an object'
  if (outputSchema !== undefined && !isObject(outputSchema)) return 'its outputSchema is not an object'
  const task = isObject(execution) ? execution['taskSupport'] : undefined
  return {
    name,
    description: description || (typeof title === 'string' ? title : name),
    inputSchema,
    ...(outputSchema && { outputSchema }),
    ...(isObject(annotations) && { annotations }),
    ...((task === 'required' || task === 'optional') && { task }),
  }
}

export function fingerprintOf(definition: Definition): string {
  return createHash('sha256')
    .update(sorted(definition as unknown as Json))
    .digest('hex')
}

/** Equal definitions give the same text, whatever the order of their keys. */
function sorted(value: Json): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    isObject(each) ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1))) : each,
  )
}

export interface Difference {
  readonly field: string
  readonly before: Json
  readonly after: Json
}

/** For a new tool, `before` is empty. */
export function differences(before: Partial<Definition>, after: Definition): readonly Difference[] {
  const [old, now] = [before, after] as unknown as readonly [JsonObject, JsonObject]
  const fields = ['description', 'inputSchema', 'outputSchema', 'annotations', 'task']
  return fields.flatMap((field) => {
    const [a, b] = [old[field] ?? null, now[field] ?? null]
    return sorted(a) === sorted(b) ? [] : [{ field, before: a, after: b }]
  })
}

/** Descriptions are shown in full, because a cut could hide the harmful part. */
const MAX_SHOWN = LIMITS.descriptionLength

/** The reason of the hold, for the approver of a call to a changed tool. */
export function describeChanges(changes: readonly Difference[]): string {
  const each = changes.map(({ field, before, after }) => `${field}: ${shown(before)} → ${shown(after)}`)
  return `The server changed this tool since it was accepted. ${each.join('; ')}`
}

function shown(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}… (${text.length} characters)` : text
}
