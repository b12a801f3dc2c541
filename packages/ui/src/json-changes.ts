/** The differences between two JSON values: the path of each, and the values before and after. */
import type { Json } from '@holdpoint/client'

export type JsonChange = { readonly path: string } & (
  | { readonly kind: 'changed'; readonly before: Json; readonly after: Json }
  | { readonly kind: 'added'; readonly after: Json }
  | { readonly kind: 'removed'; readonly before: Json }
)

export function changesBetween(before: Json, after: Json, path = ''): readonly JsonChange[] {
  if (Object.is(before, after)) return []
  if (!isObject(before) || !isObject(after) || Array.isArray(before) !== Array.isArray(after))
    return [{ path, kind: 'changed', before, after }]
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return keys.flatMap((key): readonly JsonChange[] => {
    const here = Array.isArray(before) ? `${path}[${Number(key) + 1}]` : path === '' ? key : `${path}.${key}`
    const [was, is] = [own(before, key), own(after, key)]
    if (was === undefined) return is === undefined ? [] : [{ path: here, kind: 'added', after: is }]
    if (is === undefined) return [{ path: here, kind: 'removed', before: was }]
    return changesBetween(was, is, here)
  })
}

/** JSON may have the keys `__proto__` and `constructor`, so inherited properties must not be read. */
function own(object: { readonly [key: string]: Json }, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined
}

function isObject(value: Json): value is { readonly [key: string]: Json } & object {
  return typeof value === 'object' && value !== null
}
