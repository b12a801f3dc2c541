/** The files in an answer: the values of the fields whose schema has the format `file`. Each is the id of an uploaded file. */
import { isObject, type Json, type JsonObject } from '@holdpoint/core/internal/json'

const DEEP = 20

export function filesInAnswer(schema: JsonObject, value: Json): readonly string[] {
  const ids = new Set<string>()
  collect(schema, value, schema, ids, 0)
  return [...ids]
}

function collect(schema: unknown, value: Json | undefined, root: JsonObject, ids: Set<string>, depth: number): void {
  if (!isObject(schema) || value === undefined || depth > DEEP) return
  const { format, properties, items, $ref: ref } = schema
  if (format === 'file' && typeof value === 'string') ids.add(value)
  const within = (inner: unknown, part: Json | undefined): void => collect(inner, part, root, ids, depth + 1)
  if (typeof ref === 'string') within(pointed(root, ref), value)
  for (const each of ['anyOf', 'oneOf', 'allOf']) {
    const schemas = schema[each]
    if (Array.isArray(schemas)) for (const inner of schemas) within(inner, value)
  }
  if (Array.isArray(value)) for (const part of value) within(items, part as Json)
  else if (isObject(value) && isObject(properties))
    for (const [name, inner] of Object.entries(properties)) if (Object.hasOwn(value, name)) within(inner, value[name])
}

function pointed(root: JsonObject, ref: string): unknown {
  if (!ref.startsWith('#')) return undefined
  return ref
    .split('/')
    .slice(1)
    .reduce<unknown>((inner, name) => {
      const key = name.replaceAll('~1', '/').replaceAll('~0', '~')
      return isObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined
    }, root)
}
