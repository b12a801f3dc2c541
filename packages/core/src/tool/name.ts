/**
 * Converts tool names to names that vendors accept. Ours may have a namespace (`notes.search`). Vendors accept at most 64 letters,
 * digits, `_` and `-`, and Google no digit at the start. The vendor's form depends on the name only, so it does not change when other
 * tools change, and prompts stay cacheable. No two names have the same form.
 */
import { sha256 } from '../sha256.ts'

export const TOOL_NAME: RegExp = /^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,127}$/

const SAFE = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/
/** The end of a hashed form. A name with such an end is hashed too, so that no two names collide. */
const HASHED = /__x[0-9a-f]{16}$/

export function vendorName(name: string): string {
  const started = /^[A-Za-z_]/.test(name) ? name : `_${name}` // no name of ours begins with "_"
  if (SAFE.test(started) && !started.includes('__')) return started
  const dotted = started.replaceAll('.', '__')
  const reversible = !started.includes('__') && !dotted.includes('___')
  if (reversible && SAFE.test(dotted) && !HASHED.test(dotted)) return dotted
  return `${started.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 45)}__x${sha256(name).slice(0, 16)}`
}
