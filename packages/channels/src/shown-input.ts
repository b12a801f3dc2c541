/** Text of a model as a person reads it. */
import type { Json } from 'holdpoint'
import type { ShownText } from './channel.ts'

const MOST_CHARACTERS = 2000

/** Arguments as JSON. A long value is cut at the end, and the count says how much is missing. */
export function shownInput(input: Json, most: number = MOST_CHARACTERS): ShownText {
  return cutText(visible(JSON.stringify(input, null, 2)), most)
}

export function cutText(text: string, most: number): ShownText {
  const characters = Array.from(text)
  if (characters.length <= most) return { text, cut: 0 }
  return { text: characters.slice(0, most).join(''), cut: characters.length - most }
}

/**
 * Characters that a reader does not see, or that reorder others, are escaped: they could hide what is approved. So are the
 * fifth and later marks on one letter, which can cover the line above, and spaces that look like no space or like several.
 */
export function visible(text: string): string {
  return text.replaceAll(HIDDEN, (character) => (character === '\n' ? character : escaped(character)))
}

/** A variation selector after an emoji is only its look. */
const HIDDEN =
  /(?!\ufe0f)[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u1680\u2000-\u200a\u205f\u2800]|(?<!\p{Emoji})\ufe0f|(?<=\p{M}{4})\p{M}/gu

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    const unit = character.charCodeAt(index).toString(16).padStart(4, '0')
    return `\\u${unit}`
  }).join('')
}
