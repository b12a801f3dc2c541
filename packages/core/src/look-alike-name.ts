/**
 * Whether two names look the same to a reader. Case, spaces, invisible characters, and letters of other scripts that look
 * like Latin ones make no difference. A name is not an identity: the application has to authenticate callers.
 */

/** For each Latin letter, Cyrillic, Greek, Armenian and phonetic letters that look like it, capitals included. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: 'АаΑαɑ',
  b: 'ВЬьΒβ',
  c: 'СсϹϲ',
  d: 'Ԁԁ',
  e: 'ЕеΕεҽ',
  g: 'Ԍԍɡց',
  h: 'НҺһΗհ',
  i: 'ІіΙιӀ',
  j: 'Јјȷϳ',
  k: 'КкΚκ',
  l: 'ӏ',
  m: 'МмΜ',
  n: 'Νηոп',
  o: 'ОоΟοՕօ',
  p: 'РрΡρ',
  q: 'Ԛԛ',
  r: 'г',
  s: 'ЅѕՏ',
  t: 'ТтΤτ',
  u: 'սυ',
  v: 'Ѵѵν',
  w: 'Ԝԝω',
  x: 'ХхΧχ',
  y: 'УуҮүΥγ',
  z: 'Ζ',
}

const pairs = Object.entries(LOOK_ALIKES).flatMap(([latin, others]) =>
  Array.from(others, (other) => [other, latin] as const),
)
/** By the letter as written. */
const WRITTEN: ReadonlyMap<string, string> = new Map(pairs)
/** By the lower-case letter, with the look-alikes of its capital too: a Greek capital nu looks like N, the small one like v. */
const FOLDED: ReadonlyMap<string, string> = new Map([
  ...pairs,
  ...pairs.filter(([other]) => fold(other) !== other).map(([other, letter]) => [fold(other), letter] as const),
])

const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]/gu
/** The empty Braille pattern looks like a space, but Unicode does not count it as one. */
const SPACES = /[\s\u2800]+/gu

export function isLookAlikeName(a: string, b: string): boolean {
  const [one, other] = [visible(a), visible(b)]
  // The letters as written find capital look-alikes. The lower-case letters find names in other scripts.
  return (
    fold(latin(one, WRITTEN)) === fold(latin(other, WRITTEN)) || latin(fold(one), FOLDED) === latin(fold(other), FOLDED)
  )
}

function visible(name: string): string {
  return name.normalize('NFKC').replaceAll(SPACES, ' ').replaceAll(INVISIBLE, '').replaceAll(SPACES, ' ').trim()
}

function latin(name: string, letters: ReadonlyMap<string, string>): string {
  return Array.from(name, (each) => letters.get(each) ?? each).join('')
}

/** Upper case first: it makes ß and ss one, and the two small sigmas. */
function fold(name: string): string {
  return name.toUpperCase().toLowerCase().normalize('NFKC')
}
