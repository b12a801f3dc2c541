/** The rows of the inbox on a screen of a given size. Pure: Ink only paints them. */
import { visible } from '@holdpoint/channels'
import type { HoldRow } from '@holdpoint/client'
import stringWidth from 'string-width'
import { fitText, foldText } from './fold-text.ts'
import type { HoldForm } from './hold-form.ts'
import type { HoldLine } from './hold-lines.ts'
import { keyOf, type InboxMode, type InboxState } from './inbox-state.ts'
import type { TypedText } from './typed-text.ts'

export interface Row {
  readonly text: string
  readonly look?: 'bold' | 'dim' | 'good' | 'bad' | 'chosen'
  /** The units of the text under the cursor. */
  readonly cursor?: readonly [from: number, to: number]
}

export interface InboxRows {
  readonly rows: readonly Row[]
  /** Of the part with the open hold. */
  readonly width: number
  readonly height: number
}

const NARROWEST = 30
const LOWEST = 12

export function inboxRows(state: InboxState, where: string, columns: number, lines: number, now: number): InboxRows {
  // The last column stays empty: some terminals begin a new row after it.
  const width = columns - 1
  if (width < NARROWEST || lines < LOWEST)
    return { rows: [{ text: `Too small. q leaves.`.slice(0, Math.max(0, width)) }], width: 0, height: 0 }
  const head = header(state, where, width)
  const list = listRows(state, width, Math.max(2, Math.floor(lines / 4)), now)
  const foot = footer(state, width)
  const left = lines - 1 - list.length - 2 - foot.length
  const asked = formRows(state.mode, width)
  const form = windowOf(asked.rows, asked.at, Math.min(asked.rows.length, Math.ceil((left * 2) / 3)))
  const height = left - form.length
  const below = state.lines.length - state.offset - height
  const more = below > 0 ? `-- ${below} more ${below === 1 ? 'row' : 'rows'} ` : ''
  const [rule, end] = [''.padEnd(width, '-'), more.padEnd(width, '-')].map((text): Row => ({ text, look: 'dim' }))
  return { rows: [head, ...list, rule!, ...detail(state, height), ...form, end!, ...foot], width, height }
}

function header({ holds, more, loading, problem }: InboxState, where: string, width: number): Row {
  const count = loading ? 'Loading' : `${holds.length}${more ? '+' : ''} waiting for you`
  if (problem !== undefined) return { text: fitText(oneLine(`${count}. Not live: ${problem}`), width), look: 'bad' }
  return { text: fitText(oneLine(`Holdpoint: ${count}, ${where}`), width), look: 'bold' }
}

function listRows({ holds, open, loading }: InboxState, width: number, most: number, now: number): readonly Row[] {
  if (holds.length === 0) return [{ text: loading ? '' : 'No open holds.', look: 'dim' }]
  const key = open && keyOf(open)
  const rows = holds.map((hold): Row => {
    const isOpen = keyOf(hold) === key
    return { text: fitText(`${isOpen ? '> ' : '  '}${summary(hold, now)}`, width), ...(isOpen && { look: 'chosen' }) }
  })
  const at = holds.findIndex((hold) => keyOf(hold) === key)
  return windowOf(rows, Math.max(0, at), Math.min(rows.length, most))
}

function summary({ name, agent, conversationId, expiresAt }: HoldRow, now: number): string {
  const cells = [fitText(oneLine(name), 18), fitText(spanOf(expiresAt - now), 8), fitText(oneLine(agent), 14)]
  return `${cells.join(' ')} ${oneLine(conversationId)}`
}

function spanOf(ms: number): string {
  if (ms <= 0) return 'over'
  const minutes = Math.ceil(ms / 60_000)
  if (minutes < 120) return `${minutes} min`
  return minutes < 2880 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1440)} d`
}

const LOOKS: Readonly<Record<HoldLine['look'], Row['look']>> = {
  title: 'bold',
  fact: undefined,
  value: undefined,
  end: 'dim',
}

function detail(state: InboxState, height: number): readonly Row[] {
  const { lines, offset, open, gone } = state
  const over: readonly Row[] =
    open && gone ? [{ text: 'No longer waiting: it was answered, or it expired.', look: 'dim' }] : []
  const held = lines.slice(offset, offset + height - over.length).map(({ text, look }): Row => {
    const as = gone ? 'dim' : LOOKS[look]
    return { text, ...(as && { look: as }) }
  })
  const shown = [...over, ...held]
  return [...shown, ...Array.from({ length: height - shown.length }, (): Row => ({ text: '' }))]
}

/** The form, and the row with the cursor. */
function formRows(mode: InboxMode, width: number): { readonly rows: readonly Row[]; readonly at: number } {
  if (mode.kind === 'rejecting') {
    const rows = typedRows(mode.reason, width)
    return { rows: [{ text: 'Why not? It may be empty.', look: 'bold' }, ...rows], at: rows.length }
  }
  return mode.kind === 'answering' || mode.kind === 'editing' ? fieldRows(mode.form, width) : { rows: [], at: 0 }
}

function fieldRows(form: HoldForm, width: number): { readonly rows: readonly Row[]; readonly at: number } {
  const rows: Row[] = []
  let at = 0
  for (const [index, { label, hint, kind, required, choices }] of form.fields.entries()) {
    const isHere = index === form.at
    const listed = kind === 'yes-no' ? 'yes, no' : choices?.join(', ')
    const title = `${label}${required ? '' : ' (optional)'}${listed === undefined ? '' : `: ${listed}`}`
    rows.push(...folded(title, width).map((text): Row => ({ text, look: 'bold' })))
    if (hint !== undefined) rows.push(...folded(hint, width).map((text): Row => ({ text, look: 'dim' })))
    const field = form.texts[index] ?? { text: '', cursor: 0 }
    rows.push(...(isHere ? typedRows(field, width) : folded(field.text, width).map((text): Row => ({ text }))))
    if (isHere) at = rows.length - 1
    const error = form.errors.get(index)
    if (error !== undefined) rows.push(...folded(error, width).map((text): Row => ({ text, look: 'bad' })))
  }
  return { rows, at }
}

function typedRows({ text, cursor }: TypedText, width: number): readonly Row[] {
  const before = oneLine(text.slice(0, cursor))
  const all = `${before}${oneLine(text.slice(cursor))} `
  let from = 0
  return foldText(all, width - 2).map((row): Row => {
    const place = before.length - from
    from += row.length
    const isHere = place >= 0 && place < row.length
    const under = row.slice(place).match(/^./u)?.[0].length ?? 1
    return { text: `> ${row}`, ...(isHere && { cursor: [place + 2, place + 2 + under] as const }) }
  })
}

function folded(text: string, width: number): readonly string[] {
  return foldText(oneLine(text), width - 2).map((row) => `  ${row}`)
}

function footer(state: InboxState, width: number): readonly Row[] {
  const { notice } = state
  const said = notice ? inRows(oneLine(notice.text).split(' '), ' ', width).slice(0, 3) : ['']
  const keys = inRows(keysOf(state), ' | ', width)
  return [
    ...said.map((text): Row => ({ text, ...(notice && { look: notice.look }) })),
    ...keys.map((text): Row => ({ text, look: 'dim' })),
  ]
}

function keysOf({ mode, open, gone, changed }: InboxState): readonly string[] {
  switch (mode.kind) {
    case 'approving':
      if (!open?.accepts.includes('approve')) return ['Enter: I have done this', 'Esc: back']
      return [changed === undefined ? 'Enter: approve it' : 'Enter: approve it as changed', 'Esc: back']
    case 'rejecting':
      return ['Enter: reject it', 'Esc: back']
    case 'answering':
      return ['Tab: next field', 'Enter on the last: answer', 'PgUp PgDn: the hold', 'Esc: back']
    case 'editing':
      return ['Tab: next field', 'Enter on the last: done', 'PgUp PgDn: the hold', 'Esc: back']
    case 'sending':
      return ['Sending']
    case 'reading':
      return ['j k: next, previous', 'Space b: scroll', ...(gone ? [] : answers(open)), 'q: leave']
  }
}

function answers(open: HoldRow | undefined): readonly string[] {
  if (!open) return []
  const { accepts } = open
  if (accepts.includes('approve'))
    return ['a: approve', 'e: edit', ...(accepts.includes('reject') ? ['r: reject'] : [])]
  return [...(accepts.includes('answer') ? ['a: answer'] : []), ...(accepts.includes('reject') ? ['r: decline'] : [])]
}

/** As few rows as these words need. */
function inRows(words: readonly string[], between: string, width: number): readonly string[] {
  const rows: string[] = []
  for (const word of words) {
    const last = rows.at(-1)
    const longer = `${last}${between}${word}`
    if (last !== undefined && stringWidth(longer) <= width) rows[rows.length - 1] = longer
    else rows.push(word)
  }
  return rows.flatMap((row) => foldText(row, width))
}

/** `count` of the rows, with the one at `at` among them. */
function windowOf(rows: readonly Row[], at: number, count: number): readonly Row[] {
  const from = Math.max(0, Math.min(rows.length - count, at - Math.floor(count / 2)))
  return rows.slice(from, from + count)
}

function oneLine(text: string): string {
  return visible(text).replaceAll('\n', '⏎')
}
