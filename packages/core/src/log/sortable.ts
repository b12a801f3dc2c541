/**
 * Ids as a database can keep and sort them: text whose UTF-8, byte by byte, has the order that JavaScript gives to
 * strings, in which what begins alike still does, and in which there is nothing that a database refuses (U+0000, halves
 * of surrogate pairs). Only what is odd is written out, each after a character that sorts where it belongs and is written
 * out itself; every other id is kept as it is.
 */
const LOW = '\u0001'
const HIGH = '\ue000'
const ODD = new RegExp(`[\\0${LOW}\\ud800-\\udfff${HIGH}]`, 'g')
const WRITTEN_OUT = new RegExp(`${LOW}[\\s\\S]|${HIGH}[\\s\\S]`, 'g')

const SURROGATES = 0xd800
/** Where what follows HIGH for the first surrogate begins: before HIGH itself, as surrogates do. */
const SHIFTED = 0x100
/** Beyond all that is left once surrogates are written out. */
const END = '\u{10ffff}'

export function toSortableId(id: string): string {
  return id.replace(ODD, (odd) => {
    if (odd === HIGH) return HIGH + HIGH
    const unit = odd.charCodeAt(0)
    return unit < 2 ? LOW + String.fromCharCode(unit + 1) : HIGH + String.fromCharCode(unit - SURROGATES + SHIFTED)
  })
}

export function fromSortableId(kept: string): string {
  return kept.replace(WRITTEN_OUT, ([mark, odd = '']) => {
    if (odd === HIGH) return HIGH
    const unit = odd.charCodeAt(0)
    return String.fromCharCode(mark === LOW ? unit - 1 : unit - SHIFTED + SURROGATES)
  })
}

/** What to look for, as ids are kept: from `from` on, or from behind it, up to before `to`. */
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
