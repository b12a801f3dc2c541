/**
 * Finds mail addresses and host names with letters of another script that look like Latin ones: `аda@example.org` with a
 * Cyrillic а looks the same as the Latin address and is a different one.
 */

export interface LookAlike {
  /** The address as it is written. */
  readonly name: string
  /** `а U+0430 Cyrillic`, each letter once. Empty where the host is in its ASCII form (`xn--`). */
  readonly letters: readonly string[]
}

/** Scripts that have letters which look like Latin ones. */
const SCRIPTS = ['Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Coptic', 'Lisu'] as const
const OTHER_SCRIPT = new RegExp(`[${SCRIPTS.map((script) => `\\p{Script=${script}}`).join('')}]`, 'u')
/** Letters that look like other Latin letters, in these scripts and in the Latin script itself. */
const LOOKS_LATIN =
  /[АаВЬьСсԀԁЕеҽԌԍɡցНҺһհІіӀӏЈјȷϳКкМмпоОРрԚԛгЅѕՏТтѴѵԜԝХхУуҮүΑαɑΒβϹϲΕεΗηΙιıΚκΜΝνοΟՕօΡρΤτυսωΧχΥγΖոᎪᏴᏟᎠᎬᎻᏆᎫᏦᏞᎷΝᏢᎡᏚᎢᏙᎳᎩᏃꓮꓐꓚꓓꓰꓝꓖꓧꓲꓙꓗꓡꓟꓠꓳꓑꓣꓢꓔꓴꓦꓪꓫꓬꓜ]/u

/** What may be an address: letters without spaces between them, with an @ or a dot inside. */
const WORD = /[^\s<>()[\]{}"'`“”„«»,;:!?|\\/@]+(?:@[^\s<>()[\]{}"'`“”„«»,;:!?|\\/@]+)?/gu

export function lookAlikesIn(text: string): readonly LookAlike[] {
  if (!/[\u0080-\u{10ffff}]|xn--/iu.test(text)) return []
  const found = new Map<string, LookAlike>()
  for (const [word] of text.matchAll(WORD)) {
    const name = word.replace(/^\.+|\.+$/g, '')
    const mail = name.includes('@')
    if ((!mail && !name.includes('.')) || found.has(name)) continue
    const letters = new Set(Array.from(name).filter((letter) => isLookAlike(letter)))
    const suspect = mail ? letters.size > 0 || /@(?:.*\.)?xn--/i.test(name) : letters.size > 0 && isDisguised(name)
    if (suspect) found.set(name, { name, letters: Array.from(letters, wordsOf) })
  }
  return [...found.values()]
}

function isLookAlike(letter: string): boolean {
  if (letter <= '\u007f') return false
  return OTHER_SCRIPT.test(letter) || LOOKS_LATIN.test(letter) || /[\da-z]/i.test(letter.normalize('NFKC'))
}

/** A host name with a part that looks Latin and has other letters. `файл.txt` has no such part. */
function isDisguised(name: string): boolean {
  if (!/[a-z]/i.test(name)) return false
  return name.split(/[.\-_]/).some((part) => {
    const letters = Array.from(part).filter((letter) => /\p{L}/u.test(letter))
    const other = letters.filter(isLookAlike)
    return (
      other.length > 0 &&
      (other.length < letters.length || other.every((letter) => !OTHER_SCRIPT.test(letter) || LOOKS_LATIN.test(letter)))
    )
  })
}

function wordsOf(letter: string): string {
  const code = (letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
  const script = SCRIPTS.find((each) => new RegExp(`\\p{Script=${each}}`, 'u').test(letter))
  return `${letter} U+${code}${script === undefined ? '' : ` ${script}`}`
}
