import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PartialText } from '../src/agent/partial-text.ts'

/** Text in pieces, cut anywhere: between the two halves of a character, or inside an escape. */
function cut(json: string, at: readonly number[]): readonly string[] {
  const cuts = [0, ...at.map((each) => each % (json.length + 1)), json.length].toSorted((a, b) => a - b)
  return cuts.slice(1).map((end, index) => json.slice(cuts[index], end))
}

/** Every character as an escape, as some models write what is not ASCII. */
function escaped(text: string): string {
  const units = Array.from({ length: text.length }, (_, n) => text.charCodeAt(n).toString(16).padStart(4, '0'))
  return units.map((unit) => `\\u${unit}`).join('')
}

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('"', '\\', '\n', 'u', '😀') }),
)

test('however JSON is cut into pieces, the text in its field comes whole and in order', () => {
  fc.assert(
    fc.property(anyText, fc.array(fc.nat()), fc.constantFrom('', ' ', '\n  '), fc.boolean(), (text, at, gap, ascii) => {
      const value = ascii ? `"${escaped(text)}"` : JSON.stringify(text)
      const json = `{${gap}"replyTo":${gap}3,${gap}"text"${gap}:${gap}${value}${gap},"more":"other words"}`
      expect(JSON.parse(json)).toMatchObject({ text })
      const reader = new PartialText('text')
      expect(
        cut(json, at)
          .map((piece) => reader.add(piece))
          .join(''),
      ).toBe(text)
    }),
    { numRuns: 3000, seed: 4 },
  )
})

test('what came so far is a beginning of the text', () => {
  fc.assert(
    fc.property(anyText, fc.nat(), (text, at) => {
      const json = JSON.stringify({ text })
      const so = new PartialText('text').add(json.slice(0, at % (json.length + 1)))
      expect(text.startsWith(so)).toBe(true)
    }),
    { numRuns: 1000, seed: 5 },
  )
})

test('JSON without the field, and JSON that is none, come to nothing', () => {
  expect(new PartialText('text').add('{"other":"x"}')).toBe('')
  expect(new PartialText('text').add('{"text":3}')).toBe('')
  expect(new PartialText('text').add('nonsense "text')).toBe('')
})
