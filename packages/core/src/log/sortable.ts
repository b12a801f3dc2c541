/**
 * Encodes ids for a database. The UTF-8 bytes of the encoded text sort as JavaScript sorts the strings, a common prefix stays a
 * common prefix, and the text contains nothing that a database refuses (U+0000, lone surrogates). Only these characters are
 * escaped: each becomes an escape character, which sorts at the right place, and a second character. Other ids do not change.
 */
const LOW = '\u0001'
const HIGH = '\ue000'
const TO_ESCAPE = new RegExp(`[\\0${LOW}\\ud800-\\udfff${HIGH}]`, 'g')
const ESCAPED = new RegExp(`${LOW}[\\s\\S]|${HIGH}[\\s\\S]`, 'g')

const SURROGATES = 0xd800
/** The second character for the first surrogate. It sorts before HIGH, as surrogates do. */
const SHIFTED = 0x100
/** Sorts after every encoded character. */
const END = '\u{10ffff}'

export function toSortableId(id: string): string {
  return id.replace(TO_ESCAPE, (character) => {
    if (character === HIGH) return HIGH + HIGH
    const unit = character.charCodeAt(0)
    return unit < 2 ? LOW + String.fromCharCode(unit + 1) : HIGH + String.fromCharCode(unit - SURROGATES + SHIFTED)
  })
}

export function fromSortableId(kept: string): string {
  return kept.replace(ESCAPED, ([mark, second = '']) => {
    if (second === HIGH) return HIGH
    const unit = second.charCodeAt(0)
    return String.fromCharCode(mark === LOW ? unit - 1 : unit - SHIFTED + SURROGATES)
  })
}

/** A range of encoded ids: from `from`, or after it if `behind`, up to but not including `to`. */
export interface SortableIdRange {
  readonly from: string
  readonly behind: boolean
  readonly to: string
}

export function sortableIdRange({ prefix = '', after }: { prefix?: string; after?: string }): SortableIdRange {
  const first = toSortableId(prefix)
  const last = after === undefined ? undefined : toSortableId(after)
  const behind = last !== undefined && last >= first
  return { from: behind ? last : first, behind, to: first + END }
}
