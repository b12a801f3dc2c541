/**
 * Tool names, ours and the vendors'. Ours may be namespaced (`notes.search`); vendors take letters, digits, `_` and
 * `-`, 64 at most, and Google no digit first. A name's vendor form depends on the name alone, so it does not change
 * when other tools come and go and the prompt stays cacheable, and no two names share a form.
 */
import { sha256 } from '../sha256.ts'

export const TOOL_NAME: RegExp = /^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,127}$/

const SAFE = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/
/** How a hashed form ends; a name that looks like one is hashed too, so that no name can collide with it. */
const HASHED = /__x[0-9a-f]{16}$/

export function vendorName(name: string): string {
  const started = /^[A-Za-z_]/.test(name) ? name : `_${name}` // no name of ours begins with "_"
  if (SAFE.test(started) && !started.includes('__')) return started
  const dotted = started.replaceAll('.', '__')
  const reversible = !started.includes('__') && !dotted.includes('___')
  if (reversible && SAFE.test(dotted) && !HASHED.test(dotted)) return dotted
  return `${started.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 45)}__x${sha256(name).slice(0, 16)}`
}
