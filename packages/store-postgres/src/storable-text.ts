/**
 * Names as PostgreSQL can keep them. Its text has no U+0000, and UTF-8 has no half of a surrogate pair: one is refused,
 * the other would silently become U+FFFD, and two ids one conversation. So both are written out, after a character that
 * hardly any name has and that is written out itself where one does. Every other name is kept as it is.
 */
const ESCAPE = '\u001a'
const ODD = new RegExp(`[${ESCAPE}\\0\\p{Surrogate}]`, 'gu')
const WRITTEN_OUT = new RegExp(`${ESCAPE}([0-9a-f]{4})`, 'g')

export function toStored(name: string): string {
  return name.replace(ODD, (odd) => `${ESCAPE}${odd.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

export function fromStored(stored: string): string {
  return stored.includes(ESCAPE)
    ? stored.replace(WRITTEN_OUT, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : stored
}
