/** Folds text to the width of a terminal, by what a reader sees as one character. */
import stringWidth from 'string-width'

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

/** At least one row. No row is wider than `width` columns, if that is 2 or more. */
export function foldText(text: string, width: number): readonly string[] {
  if (/^[\x20-\x7e]+$/.test(text)) return text.match(new RegExp(`.{1,${Math.max(1, width)}}`, 'g')) ?? []
  const rows: string[] = []
  let row = ''
  let used = 0
  for (const { segment } of segmenter.segment(text)) {
    const wide = stringWidth(segment)
    if (used + wide > width && row !== '') {
      rows.push(row)
      row = ''
      used = 0
    }
    row += segment
    used += wide
  }
  rows.push(row)
  return rows
}

/** One row, with an ellipsis in place of what does not fit, and spaces up to `width`. */
export function fitText(text: string, width: number): string {
  if (stringWidth(text) <= width) return text + ' '.repeat(width - stringWidth(text))
  const [row = ''] = foldText(text, Math.max(1, width - 1))
  return `${row}…${' '.repeat(Math.max(0, width - 1 - stringWidth(row)))}`
}
