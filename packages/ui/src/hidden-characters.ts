/**
 * Characters that a reader cannot see and that change what they read: controls, direction marks, zero-width ones, tags.
 * Where somebody decides by what they read, these are shown by name.
 */

export type Piece =
  | { readonly text: string; readonly hidden?: never }
  | { readonly hidden: string; readonly text?: never }

/** Line ends and tabs are layout, and seen. Joiners are needed by some scripts, and yet they hide: they are shown too. */
const HIDDEN =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff]|[\u{e0000}-\u{e0fff}\u{1d173}-\u{1d17a}]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/gu

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
  for (const { 0: character, index } of text.matchAll(HIDDEN)) {
    // The CR of a line end is layout like the LF after it.
    if (character === '\r' && text[index + 1] === '\n') continue
    if (index > at) pieces.push({ text: text.slice(at, index) })
    pieces.push({ hidden: nameOf(character) })
    at = index + character.length
  }
  if (at < text.length) pieces.push({ text: text.slice(at) })
  return pieces
}

export function hasHidden(text: string): boolean {
  return piecesOf(text).some(({ hidden }) => hidden !== undefined)
}
