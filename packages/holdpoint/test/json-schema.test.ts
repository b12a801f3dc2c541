import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { JsonObject } from '@holdpoint/core'
import { describe, expect, test } from 'vitest'
import { compileJsonSchema } from '../src/json-schema.ts'
import { check, refusal, why } from './json-schema-kit.ts'

const email: JsonObject = {
  type: 'object',
  properties: {
    to: { type: 'string' },
    body: { type: 'string', minLength: 1 },
    copies: { type: 'integer', maximum: 3 },
  },
  required: ['to', 'body'],
  additionalProperties: false,
}

describe('A value', () => {
  test('that fits is handed on as it is', () => {
    const value = { to: 'ada@acme.test', body: 'Hello' }
    expect(compileJsonSchema(email)(value)).toEqual({ ok: true, value })
  })

  test('that does not fit is told everything that is wrong with it, in words', () => {
    expect(check(email, { to: 7, copies: 9, cc: 'eve' })).toBe(
      'body: is required; cc: is not a known field; to: must be a string; copies: must be <= 3',
    )
    expect(check(email, 'hello')).toBe('must be an object')
    expect(check(email, undefined)).toBe('must be an object')
  })

  test('is named by its path inside lists and objects', () => {
    const schema = {
      type: 'object',
      properties: { rows: { type: 'array', items: { type: 'object', required: ['a/b'] } } },
    }
    expect(check(schema, { rows: [{ 'a/b': 1 }, {}] })).toBe('rows.1.a/b: is required')
  })

  test('gets no defaults, is not coerced, and loses nothing', () => {
    const schema = { type: 'object', properties: { n: { type: 'number', default: 5 }, on: { type: 'boolean' } } }
    const value = { extra: [1, null] }
    expect(compileJsonSchema(schema)(value)).toEqual({ ok: true, value: { extra: [1, null] } })
    expect(value).toEqual({ extra: [1, null] })
    expect(check(schema, { n: '5', on: 'true' })).toBe('n: must be a number; on: must be a boolean')
  })

  test('is checked as it would be stored', () => {
    const schema = { type: 'object', properties: { at: { type: 'string' } }, additionalProperties: false }
    expect(compileJsonSchema(schema)({ at: new Date(0), gone: undefined })).toEqual({
      ok: true,
      value: { at: '1970-01-01T00:00:00.000Z' },
    })
  })

  test('that cannot be stored is refused, not thrown', () => {
    const cyclic: { self?: unknown } = {}
    cyclic.self = cyclic
    let deep: unknown = 1
    for (let i = 0; i < 200; i++) deep = [deep]
    expect(check({}, cyclic)).toMatch(/^it is not JSON: .*circular/)
    expect(check({}, { n: 1n })).toMatch(/^it is not JSON: .*BigInt/)
    expect(check({}, () => 1)).toBe('a function is not JSON')
    expect(check({}, deep)).toBe('nested deeper than 128 levels')
    expect(check({}, 'x'.repeat(4_000_000))).toBe('it is larger than 4000000 characters of JSON')
  })

  test.each<[string, JsonObject, unknown, string]>([
    ['several types', { type: ['string', 'null'] }, 1, 'must be a string or null'],
    ['an enum', { enum: ['a', 1, null] }, 'b', 'must be one of "a", 1, null'],
    ['a const', { const: { a: 1 } }, 1, 'must be {"a":1}'],
    ['a pattern', { pattern: '^a+$' }, 'b', 'must match the pattern ^a+$'],
    ['a minimum length', { minLength: 1 }, '', 'must have at least 1 character'],
    ['a number of items', { maxItems: 2 }, [1, 2, 3], 'must have at most 2 items'],
    ['a tuple', { prefixItems: [true], items: false }, [1, 2], 'must have at most 1 item'],
    ['any of several forms', { anyOf: [{ type: 'string' }, { type: 'null' }] }, 1, 'must be a string, or must be null'],
    [
      'one of several forms',
      { oneOf: [{ type: 'integer' }, { type: 'number' }] },
      1,
      'matches more than one schema, and must match exactly one',
    ],
    ['a condition', { if: { required: ['a'] }, then: { required: ['b'] } }, { a: 1 }, 'b: is required'],
    ['a dependency', { dependentRequired: { a: ['b'] } }, { a: 1 }, 'b: is required when "a" is given'],
    ['a negation', { properties: { a: { not: {} } } }, { a: 1 }, 'a: is not allowed'],
    ['names', { propertyNames: { maxLength: 1 } }, { abc: 1 }, 'abc: is not allowed as a name'],
    ['a multiple', { multipleOf: 5 }, 7, 'must be a multiple of 5'],
    [
      'what nothing evaluated',
      { allOf: [{ properties: { a: true } }], unevaluatedProperties: false },
      { a: 1, b: 1 },
      'b: is not a known field',
    ],
  ])('is told about %s', (_, schema, value, says) => {
    expect(check(schema, value)).toBe(says)
  })

  test('with very many mistakes is told the first ten', () => {
    const told = check(
      { items: { type: 'string' } },
      Array.from({ length: 500 }, () => 1),
    )
    expect(told).toMatch(/^0: must be a string; .*9: must be a string; and 490 more$/)
  })
})

describe('Names that reach a prototype', () => {
  test('are refused in a value, however deep', () => {
    expect(check({}, JSON.parse('{"a":[{"__proto__":{"admin":true}}]}'))).toBe(
      'a.0.__proto__: is not allowed as a name',
    )
    expect(check({}, JSON.parse('{"constructor":{"prototype":{"admin":true}}}'))).toBe(
      'constructor.prototype: is not allowed as a name',
    )
  })

  test('do not stand for members that were never given', () => {
    expect(check({ required: ['constructor', 'toString', '__proto__'] }, {})).toBe(
      'constructor: is required; toString: is required; __proto__: is required',
    )
    expect(check({ properties: { constructor: { type: 'string' } } }, {})).toBe('it passed')
  })

  test('are ordinary words where they do no harm', () => {
    const schema = { type: 'object', properties: { constructor: { type: 'string' } }, additionalProperties: false }
    expect(check(schema, { constructor: 'Eiffel' })).toBe('it passed')
    expect(check(schema, { constructor: 1 })).toBe('constructor: must be a string')
    expect(check(schema, { hasOwnProperty: 1 })).toBe('hasOwnProperty: is not a known field')
    expect(check({}, 'the text "__proto__" in a string')).toBe('it passed')
  })

  test('are refused in a schema, where Ajv would pass over them', () => {
    expect(refusal({ properties: JSON.parse('{"__proto__":{"type":"string"}}') })).toBe(
      'properties.__proto__: is not allowed as a name',
    )
  })
})

describe('A schema', () => {
  test('is not modified, and later changes to it change nothing', () => {
    const schema = { type: 'object', properties: { a: { enum: ['x'] } }, $id: 'https://acme.test/a' }
    const before = structuredClone(schema)
    const checkIt = compileJsonSchema(schema)
    checkIt({ a: 'x' })
    expect(schema).toEqual(before)
    schema.properties.a.enum.push('y')
    expect(why(checkIt({ a: 'y' }))).toBe('a: must be one of "x"')
    expect(compileJsonSchema(schema)({ a: 'y' }).ok).toBe(true)
  })

  test('may be frozen', () => {
    expect(check(Object.freeze({ type: 'string' }), 1)).toBe('must be a string')
  })

  test('that is wrong says what, and where', () => {
    expect(refusal({ type: 'objekt' })).toMatch(/^type: must be one of "array", "boolean"/)
    expect(refusal({ properties: { to: { type: 'string', minLength: -1 } } })).toBe(
      'properties.to.minLength: must be >= 0',
    )
    expect(refusal({ required: 'to' })).toBe('required: must be an array')
    expect(refusal({ properties: { a: { pattern: '(' } } })).toBe('the pattern "(" is not a regular expression')
    expect(refusal({ $ref: '#/$defs/missing' })).toMatch(/can't resolve reference #\/\$defs\/missing/)
  })

  test.each(['email', 'date-time', 'uri', 'no-such-format'])(
    'may name the format %s, which is not checked',
    (format) => {
      expect(check({ type: 'string', format }, 'anything')).toBe('it passed')
    },
  )

  test('may have unknown keywords', () => {
    expect(check({ type: 'string', 'x-order': 1, discriminator: { propertyName: 'kind' } }, 'a')).toBe('it passed')
  })

  test('may use patterns that are only regular expressions in the older mode', () => {
    expect(check({ pattern: '^[\\w-.]+$' }, 'a-b.c')).toBe('it passed')
    expect(check({ pattern: '^\\p{L}+$' }, 'Ünï')).toBe('it passed')
  })

  test('is read as the draft it names', () => {
    const tuple = { items: [{ type: 'string' }], additionalItems: false }
    expect(check({ $schema: 'http://json-schema.org/draft-07/schema#', ...tuple }, ['a', 'b'])).toBe(
      'must have at most 1 item',
    )
    expect(check({ $schema: 'http://json-schema.org/draft-06/schema', ...tuple }, [1])).toBe('0: must be a string')
    expect(
      check({ $schema: 'https://json-schema.org/draft/2019-09/schema', dependentRequired: { a: ['b'] } }, { a: 1 }),
    ).toMatch(/^b: is required/)
    expect(
      check({ $schema: 'https://json-schema.org/draft/2020-12/schema', prefixItems: [{ type: 'string' }] }, [1]),
    ).toBe('0: must be a string')
    expect(refusal({ $schema: 'https://json-schema.org/draft/2020-12/schema', ...tuple })).toMatch(/^items: must be/)
    expect(refusal({ $schema: 'http://json-schema.org/draft-03/schema#' })).toMatch(
      /^\$schema: .*not a supported draft/,
    )
  })

  test('that names no draft may write tuples either way', () => {
    expect(check({ items: [{ type: 'string' }] }, [1])).toBe('0: must be a string')
    expect(check({ prefixItems: [{ type: 'string' }] }, [1])).toBe('0: must be a string')
  })

  test('that is no longer used is forgotten', () => {
    setFlagsFromString('--expose-gc')
    const gc = runInNewContext('gc') as () => void
    const compileMany = (count: number): number => {
      for (let i = 0; i < count; i++) compileJsonSchema({ type: 'object', description: `${i} ${'x'.repeat(60_000)}` })
      gc()
      return process.memoryUsage().heapUsed
    }
    const before = compileMany(20)
    expect(compileMany(200) - before).toBeLessThan(6_000_000)
  })

  test('may refer to itself', () => {
    const tree = {
      $ref: '#/definitions/node',
      definitions: { node: { type: 'object', properties: { next: { $ref: '#/definitions/node' } }, required: ['id'] } },
    }
    expect(check(tree, { id: 1, next: { id: 2 } })).toBe('it passed')
    expect(check(tree, { id: 1, next: { next: { id: 3 } } })).toBe('next.id: is required')
  })
})
