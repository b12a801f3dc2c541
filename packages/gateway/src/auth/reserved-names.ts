import { isLookAlikeName } from '@holdpoint/core'

/** Colons, and characters that look like one. */
const COLON = /[:\u02d0\u02f8\u0589\u05c3\u2236\ua4fd\ua789\ufe13\ufe55\uff1a]/u

/**
 * The author of a key's actions is `key:` and the key's name. A person whose `sub` starts like that, or a program that
 * acts for such a name, could pass for a key. Letters that look alike count as equal.
 */
export function isReservedName(name: string): boolean {
  const [prefix = '', ...rest] = name.split(COLON)
  return rest.length > 0 && isLookAlikeName(prefix.replaceAll(/\s/gu, ''), 'key')
}
