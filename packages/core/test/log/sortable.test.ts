import { fromSortableId, sortableIdRange, toSortableId } from '@holdpoint/core'
import fc from 'fast-check'
import { expect, test } from 'vitest'

/** Any code units, and often those that are written out, or next to them. */
const unit = fc.oneof(
  fc.integer({ min: 0, max: 0xffff }),
  fc.constantFrom(0, 1, 2, 0x100, 0x8ff, 0xd7ff, 0xd800, 0xdbff, 0xdc00, 0xdfff, 0xe000, 0xe001, 0xffff),
)
const id = fc.array(unit, { maxLength: 8 }).map((units) => String.fromCharCode(...units))

const bytes = (text: string): Buffer => Buffer.from(text, 'utf8')

test('an id comes back as it was, and a database can keep what it became', () => {
  fc.assert(
    fc.property(id, (text) => {
      const kept = toSortableId(text)
      expect(fromSortableId(kept)).toBe(text)
      expect(kept.isWellFormed() && !kept.includes('\0')).toBe(true)
    }),
  )
  expect(toSortableId('ünï©ödé 漢字-7')).toBe('ünï©ödé 漢字-7')
})

test('its bytes sort as JavaScript sorts ids', () => {
  fc.assert(
    fc.property(id, id, (one, other) => {
      const order = one < other ? -1 : Number(one > other)
      expect(Buffer.compare(bytes(toSortableId(one)), bytes(toSortableId(other)))).toBe(order)
    }),
  )
})

test('a range holds what begins so and comes after, and nothing else', () => {
  fc.assert(
    fc.property(id, id, id, fc.option(id, { nil: undefined }), (begin, rest, prefix, after) => {
      const { from, behind, to } = sortableIdRange({ prefix, ...(after === undefined ? {} : { after }) })
      for (const text of [prefix + rest, begin]) {
        const kept = bytes(toSortableId(text))
        const low = Buffer.compare(kept, bytes(from))
        const found = (behind ? low > 0 : low >= 0) && Buffer.compare(kept, bytes(to)) < 0
        expect(found).toBe(text.startsWith(prefix) && (after === undefined || text > after))
      }
    }),
  )
})
