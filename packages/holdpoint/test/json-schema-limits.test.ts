import type { JsonObject } from '@holdpoint/core'
import { describe, expect, test } from 'vitest'
import { check, refusal } from './json-schema-kit.ts'

describe('A schema is refused', () => {
  const nested = (levels: number): JsonObject => (levels <= 1 ? {} : { not: nested(levels - 1) })

  test('above 64 KB', () => {
    expect(refusal({ description: 'é'.repeat(32_768) })).toMatch(/^it is \d+ bytes long, and 65536 are allowed/)
    expect(refusal({ description: 'é'.repeat(32_700) })).toBe('it was taken')
  })

  test('below 32 levels', () => {
    expect(refusal(nested(32))).toBe('it was taken')
    expect(refusal(nested(33))).toMatch(/^not\.not\..*: is nested deeper than 32 levels/)
  })

  test('with more than 2,000 nodes', () => {
    const wide = (fields: number): JsonObject => ({
      properties: Object.fromEntries(Array.from({ length: fields }, (_, i) => [`p${i}`, true])),
    })
    expect(refusal(wide(1998))).toBe('it was taken')
    expect(refusal(wide(1999))).toMatch(/^it has more than 2000 nodes/)
  })

  test('with more than 64 combinators', () => {
    const many = (fields: number): JsonObject => ({
      properties: Object.fromEntries(
        Array.from({ length: fields }, (_, i) => [`p${i}`, { anyOf: [{ type: 'string' }] }]),
      ),
    })
    expect(refusal(many(64))).toBe('it was taken')
    expect(refusal(many(65))).toMatch(/^properties\.p64\.anyOf: there are more than 64 of anyOf, oneOf, allOf, not, if/)
  })

  test.each([
    'https://evil.test/schema.json',
    'other.json#/a',
    '/etc/passwd',
    'http://json-schema.org/draft-07/schema#',
  ])('with a reference to %s', ($ref) => {
    expect(refusal({ properties: { a: { $ref } } })).toMatch(
      /^properties\.a\.\$ref: points to .*, and only references into the schema itself/,
    )
  })

  test('with a dynamic reference to elsewhere, but not for a word in its data', () => {
    expect(refusal({ $dynamicRef: 'https://evil.test/#node' })).toMatch(/^\$dynamicRef: points to/)
    expect(refusal({ default: { $ref: 'https://evil.test' }, properties: { $ref: { type: 'string' } } })).toBe(
      'it was taken',
    )
  })

  test('when it is asynchronous, which would let everything pass', () => {
    expect(refusal({ $async: true, type: 'string' })).toMatch(/^\$async: asynchronous schemas are not supported/)
  })

  test('when it takes its limits from the data', () => {
    expect(refusal({ properties: { n: { maximum: { $data: '1/max' } } } })).toBe(
      'properties.n.maximum: must be a number',
    )
  })

  test('when it is no object, or no JSON', () => {
    expect(refusal([] as unknown as JsonObject)).toBe('it must be an object')
    expect(refusal({ n: 1n } as unknown as JsonObject)).toMatch(/^it is not plain JSON/)
  })
})

describe('Nothing takes long', () => {
  function timed(work: () => string): { says: string; ms: number } {
    const start = performance.now()
    return { says: work(), ms: performance.now() - start }
  }

  test('a catastrophic pattern is interrupted', () => {
    const { says, ms } = timed(() => check({ pattern: '^(a|a)*$' }, `${'a'.repeat(60)}!`))
    expect(says).toBe('it could not be checked within 500 ms')
    expect(ms).toBeLessThan(15_000)
  })

  test('a schema that doubles at every level of the data is interrupted before it fills the memory', () => {
    const list = { type: 'array', items: { $ref: '#/$defs/a' } }
    let value: unknown = 1
    for (let i = 0; i < 60; i++) value = [value]
    expect(check({ $ref: '#/$defs/a', $defs: { a: { anyOf: [list, list] } } }, value)).toBe(
      'it could not be checked within 500 ms',
    )
  })

  test('a schema that is only a reference to itself says so', () => {
    expect(check({ $ref: '#' }, 1)).toMatch(/^the schema threw an error/)
  })

  test('a definition that is used often is compiled once', () => {
    const fields = (count: number, schema: JsonObject): JsonObject =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, schema]))
    const schema = {
      $defs: { big: { properties: fields(300, { type: 'string' }) } },
      properties: fields(300, { $ref: '#/$defs/big' }),
    }
    const { says, ms } = timed(() => check(schema, { p7: { p8: 1 } }))
    expect(says).toBe('p7.p8: must be a string')
    expect(ms).toBeLessThan(15_000)
  })

  test('thousands of items are compared in one go, whatever the order of their keys', () => {
    const rows = Array.from({ length: 8000 }, (_, i) => ({ id: i, name: 'row' }))
    const { says, ms } = timed(() => check({ uniqueItems: true }, rows))
    expect(says).toBe('it passed')
    expect(ms).toBeLessThan(15_000)
    expect(check({ uniqueItems: true }, [...rows, { name: 'row', id: 7 }])).toBe('must not contain the same item twice')
    expect(check({ uniqueItems: false }, [1, 1])).toBe('it passed')
  })

  test('a large value and a wide schema stay within the time limit', () => {
    const schema = { items: { anyOf: Array.from({ length: 600 }, (_, i) => ({ const: i })) } }
    expect(
      check(
        schema,
        Array.from({ length: 200_000 }, () => -1),
      ),
    ).toBe('it could not be checked within 500 ms')
  })
})
