/**
 * Encodes names for PostgreSQL. It refuses U+0000 in text, and a lone surrogate would silently become U+FFFD, so that two
 * ids could become one conversation. Both are escaped with a character that is rare in names, and that is escaped itself.
 * All other names are stored unchanged.
 */
const ESCAPE = '\u001a'
const UNSTORABLE = new RegExp(`[${ESCAPE}\\0\\p{Surrogate}]`, 'gu')
const ESCAPED = new RegExp(`${ESCAPE}([0-9a-f]{4})`, 'g')

export function toStored(name: string): string {
  return name.replace(UNSTORABLE, (char) => `${ESCAPE}${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

const SEPARATOR = '\u001f'

/** For a column of labels. Each starts with an equals sign, so that one empty label differs from none. */
export function toStoredLabel(label: string): string {
  return `=${toStored(label).replaceAll(SEPARATOR, `${ESCAPE}001f`)}`
}

/** Labels as one text, which the stored function splits. */
export function toStoredLabels(labels: readonly string[]): string {
  return labels.map(toStoredLabel).join(SEPARATOR)
}

export function fromStored(stored: string): string {
  return stored.includes(ESCAPE)
    ? stored.replace(ESCAPED, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    : stored
}
