/** A field of text in which a person types, with the place of the cursor. Pure: each key makes a new one. */
export interface TypedText {
  readonly text: string
  /** In UTF-16 units, always between two characters as a reader sees them. */
  readonly cursor: number
}

/** A key as Ink gives it. */
export interface PressedKey {
  readonly return?: boolean
  readonly escape?: boolean
  readonly tab?: boolean
  readonly shift?: boolean
  readonly ctrl?: boolean
  readonly meta?: boolean
  readonly upArrow?: boolean
  readonly downArrow?: boolean
  readonly leftArrow?: boolean
  readonly rightArrow?: boolean
  readonly pageUp?: boolean
  readonly pageDown?: boolean
  readonly home?: boolean
  readonly end?: boolean
  readonly backspace?: boolean
  readonly delete?: boolean
}

export function typedText(text = ''): TypedText {
  return { text, cursor: text.length }
}

/** The same object if the key changes nothing. */
export function typeKey(field: TypedText, input: string, key: PressedKey): TypedText {
  const { text, cursor } = field
  const before = cursor - (lastOf(text.slice(0, cursor))?.length ?? 0)
  const after = cursor + (firstOf(text.slice(cursor))?.length ?? 0)
  if (key.leftArrow) return { text, cursor: before }
  if (key.rightArrow) return { text, cursor: after }
  if (key.home || (key.ctrl && input === 'a')) return { text, cursor: 0 }
  if (key.end || (key.ctrl && input === 'e')) return { text, cursor: text.length }
  if (key.ctrl && input === 'u') return { text: text.slice(cursor), cursor: 0 }
  // Terminals send the same for Backspace and Delete, or one for the other. Most people have only the first.
  if (key.backspace || key.delete) return { text: text.slice(0, before) + text.slice(cursor), cursor: before }
  if (key.ctrl || key.meta || input === '') return field
  return insertText(field, input.replaceAll('\r', ''))
}

/** Typed or pasted text. Line breaks stay. */
export function insertText({ text, cursor }: TypedText, more: string): TypedText {
  const plain = more.replaceAll(/\r\n?/g, '\n')
  return { text: text.slice(0, cursor) + plain + text.slice(cursor), cursor: cursor + plain.length }
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })

function firstOf(text: string): string | undefined {
  for (const { segment } of segmenter.segment(text)) return segment
  return undefined
}

function lastOf(text: string): string | undefined {
  // The last character begins within these units, however many marks it has: the text before cannot be long.
  const tail = text.slice(-64)
  return Array.from(segmenter.segment(tail)).at(-1)?.segment
}
