/** Our SHA-256 against Node's: approvals are bound to it, so it must be the real one. */
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sha256 } from '../src/sha256.ts'

function reference(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex')
}

test('agrees with the published examples', () => {
  expect(sha256('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

test('agrees with Node for any text, lone surrogates included', () => {
  let astral = 0
  let lone = 0
  const anyUnit = fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit))
  const surrogate = fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit))
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.array(fc.oneof(anyUnit, surrogate), { maxLength: 300 }).map((units) => units.join('')),
  )
  fc.assert(
    fc.property(text, (given) => {
      if (/[\u{10000}-\u{10ffff}]/u.test(given)) astral++
      if (!given.isWellFormed()) lone++
      expect(sha256(given)).toBe(reference(given))
    }),
    { numRuns: 300 },
  )
  expect(astral).toBeGreaterThan(0)
  expect(lone).toBeGreaterThan(0)
})

test('agrees with Node at every length around the edges of a block, in characters of one to four bytes', () => {
  for (const char of ['a', 'é', '€', '🙂', '\ud800']) {
    for (let length = 0; length <= 200; length++) {
      const text = char.repeat(length)
      expect(sha256(text), `${length} × ${char}`).toBe(reference(text))
    }
  }
})

test('agrees with Node at the edges between characters of one, two, three and four bytes', () => {
  for (const point of [0, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xd800, 0xdfff, 0xe000, 0xffff, 0x10000, 0x10ffff]) {
    const text = String.fromCodePoint(point)
    expect(sha256(text), point.toString(16)).toBe(reference(text))
  }
})

test('agrees with Node for a text of megabytes', () => {
  const text = 'Ada 🙂 '.repeat(300_000)
  expect(sha256(text)).toBe(reference(text))
})
