/**
 * Finds characters that are invisible and change how a text reads: controls, direction marks, zero-width characters, tags.
 * Approval cards and forms show them by name.
 */

export type Piece =
  | { readonly text: string; readonly hidden?: never }
  | { readonly hidden: string; readonly text?: never }

/**
 * Line ends and tabs are not included: they are visible as layout. Joiners are included, although some scripts need them.
 * So are very narrow spaces, the emoji variation selector after a character that is not an emoji, and the fifth and later
 * marks on one letter, which can cover the line above. Signs of Arabic numbers are in category Cf, but visible.
 */
const HIDDEN =
  // oxlint-disable-next-line no-misleading-character-class
  /(?![\t\n\ufe0f\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u1680\u2000-\u200a\u205f\u2800\ufff0-\ufff8]|(?<!\p{Emoji})\ufe0f|(?<=\p{M}{4})\p{M}/gu

const NAMES: Readonly<Record<number, string>> = {
  0x00: 'NUL',
  0x08: 'backspace',
  0x0d: 'CR',
  0x1b: 'escape',
  0x7f: 'delete',
  0xad: 'soft hyphen',
  0x61c: 'Arabic letter mark',
  0x200b: 'zero-width space',
  0x200c: 'zero-width non-joiner',
  0x200d: 'zero-width joiner',
  0x200e: 'left-to-right mark',
  0x200f: 'right-to-left mark',
  0x202a: 'left-to-right embedding',
  0x202b: 'right-to-left embedding',
  0x202c: 'end of embedding',
  0x202d: 'left-to-right override',
  0x202e: 'right-to-left override',
  0x2060: 'word joiner',
  0x2066: 'left-to-right isolate',
  0x2067: 'right-to-left isolate',
  0x2068: 'first strong isolate',
  0x2069: 'end of isolate',
  0xfeff: 'byte order mark',
}

/** `U+202E right-to-left override` */
function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  const number = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
  const name = NAMES[code]
  return name === undefined ? number : `${number} ${name}`
}

export function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = []
  let at = 0
  let code = ''
  let times = 0
  for (const { 0: character, index } of text.matchAll(HIDDEN)) {
    // A CR before an LF is a line end.
    if (character === '\r' && text[index + 1] === '\n') continue
    if (index > at) pieces.push({ text: text.slice(at, index) })
    const last = pieces.at(-1)
    // The same character in a row is shown once, with a count.
    if (index === at && index > 0 && last?.hidden !== undefined && code === character) {
      times++
      pieces[pieces.length - 1] = { hidden: `${nameOf(character)} ×${times}` }
    } else {
      times = 1
      pieces.push({ hidden: nameOf(character) })
    }
    code = character
    at = index + character.length
  }
  if (at < text.length) pieces.push({ text: text.slice(at) })
  return pieces
}

/** The text with the names of its hidden characters, for attributes and options, which cannot contain elements. */
export function asPlainText(text: string): string {
  return piecesOf(text)
    .map((piece) => piece.text ?? `[${piece.hidden}]`)
    .join('')
}

export function hasHidden(text: string): boolean {
  return piecesOf(text).some(({ hidden }) => hidden !== undefined)
}
