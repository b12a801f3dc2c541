/**
 * Finds names that change a prototype if a handler copies the value into an object: `__proto__`, and `prototype` inside
 * `constructor`. JSON allows them. `constructor` alone is harmless.
 */
import type { Json } from '@holdpoint/core'

/** The path of the first one, or undefined. */
export function forbiddenName(value: Json, path = ''): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, member] of Object.entries(value)) {
    const here = path === '' ? key : `${path}.${key}`
    if (key === '__proto__') return here
    if (key === 'constructor' && typeof member === 'object' && member !== null && Object.hasOwn(member, 'prototype'))
      return `${here}.prototype`
    const found = forbiddenName(member, here)
    if (found !== undefined) return found
  }
  return undefined
}
