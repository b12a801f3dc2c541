/**
 * Tool names, ours and the vendors'. Ours may be namespaced (`notes.search`); vendors take letters, digits, `_` and
 * `-`, 64 at most. A name's vendor form depends on the name alone, so it does not change when other tools come and go
 * and the prompt stays cacheable, and no two names share a form.
 */
import { sha256 } from '../sha256.ts'

export const TOOL_NAME: RegExp = /^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,127}$/

const SAFE = /^[A-Za-z0-9_-]{1,64}$/
/** How a hashed form ends; a name that looks like one is hashed too, so nobody can forge a collision. */
const HASHED = /__x[0-9a-f]{16}$/

export function vendorName(name: string): string {
  if (SAFE.test(name) && !name.includes('__')) return name
  const dotted = name.replaceAll('.', '__')
  const reversible = !name.includes('__') && !dotted.includes('___')
  if (reversible && SAFE.test(dotted) && !HASHED.test(dotted)) return dotted
  return `${name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 45)}__x${sha256(name).slice(0, 16)}`
}

/** From what a model wrote back to our name. A name nobody has stays as it is, and becomes an unknown tool. */
export function namesByVendor(names: Iterable<string>): ReadonlyMap<string, string> {
  return new Map(Array.from(names, (name) => [vendorName(name), name]))
}
