/** Forms from schemas: the fields, their initial values, and validation errors. */
import { describe, expect, test } from 'vitest'
import {
  fieldOf,
  firstValue,
  ownOf,
  resolved,
  schemaOfValue,
  fieldErrorsOf,
  withValue,
  type Schema,
} from '../src/schema.ts'

const budget: Schema = {
  type: 'object',
  properties: {
    amount: { type: 'number', minimum: 1 },
    currency: { type: 'string', enum: ['EUR', 'USD'], default: 'EUR' },
    note: { type: 'string', maxLength: 500 },
    tags: { type: 'array', items: { type: 'string' }, minItems: 1 },
    who: { $ref: '#/$defs/person' },
    plan: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    free: {},
    level: {
      oneOf: [
        { const: 1, title: 'low' },
        { const: 2, title: 'high' },
      ],
    },
  },
  required: ['amount', 'who'],
  $defs: { person: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } },
}

describe('a field', () => {
  test('has the kind of its schema, and is JSON if no other kind fits', () => {
    const properties = budget['properties'] as Readonly<Record<string, Schema>>
    const kinds = Object.entries(properties).map(([name, schema]) => [name, fieldOf(resolved(schema, budget)).kind])
    expect(Object.fromEntries(kinds)).toEqual({
      amount: 'number',
      currency: 'choice',
      note: 'text',
      tags: 'list',
      who: 'object',
      plan: 'number',
      free: 'json',
      level: 'choice',
    })
    expect(fieldOf(resolved(properties['level'] ?? {}, budget))).toMatchObject({
      options: [
        { value: 1, label: 'low' },
        { value: 2, label: 'high' },
      ],
    })
  })
  test('of a recursive schema has a limited depth', () => {
    const loop: Schema = { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } }
    expect(fieldOf(resolved(loop, loop)).kind).toBe('json')
    const tree: Schema = {
      $ref: '#/$defs/t',
      $defs: { t: { type: 'object', properties: { next: { $ref: '#/$defs/t' } } } },
    }
    expect(JSON.stringify(firstValue(tree, tree)).length).toBeLessThan(200)
  })
})

test('a form starts with the defaults and with empty required objects', () => {
  expect(firstValue(budget, budget)).toEqual({ currency: 'EUR', who: {} })
  expect(firstValue({ type: 'boolean' }, {})).toBe(false)
  expect(firstValue({ const: 7 }, {})).toBe(7)
})

test('an optional object is left out, even if it has required fields', () => {
  const schema: Schema = {
    type: 'object',
    properties: {
      name: { type: 'string' },
      address: { type: 'object', properties: { street: { type: 'string' } }, required: ['street'] },
      tags: { type: 'array', items: { type: 'string' }, minItems: 1 },
    },
    required: ['name'],
  }
  const first = firstValue(schema, schema)
  expect(fieldErrorsOf(withValue(first, ['name'], 'Ada'), schema)).toEqual([])
})

test.each([
  { type: 'string', pattern: '(' },
  { type: 'object', properties: { a: { $ref: 'https://elsewhere.example/schema' } } },
  { $ref: '#/%zz' },
  { type: 5, enum: 'none' },
  { type: 'array', items: { type: 'nonsense' } },
] as unknown as readonly Schema[])('an invalid schema, %j, still has a form, and the server validates', (schema) => {
  expect(fieldOf(resolved(schema, schema)).kind).toMatch(/./)
  expect(() => firstValue(schema, schema)).not.toThrow()
  expect(() => [fieldErrorsOf({ a: 1 }, schema), fieldErrorsOf('x', schema)]).not.toThrow()
})

test('a field may have the name of an inherited property', () => {
  const schema: Schema = { type: 'object', properties: { constructor: { type: 'number' } }, required: ['constructor'] }
  expect(ownOf({}, 'constructor')).toBeUndefined()
  expect(fieldErrorsOf(withValue({}, ['constructor', 'x'], 1), {})).toEqual([])
  expect(withValue({}, ['constructor'], 5)).toEqual(JSON.parse('{"constructor":5}'))
  expect(firstValue(schema, schema)).toEqual({})
})

test('an error is reported once, at its field', () => {
  const errors = fieldErrorsOf({ amount: 0, tags: [], who: {} }, budget)
  expect(errors.map(({ path }) => path.join('.')).toSorted()).toEqual(['amount', 'tags', 'who.name'])
  expect(errors.find(({ path }) => path[0] === 'who')?.message).toBe('This field is required.')
  expect(fieldErrorsOf({ amount: 5, tags: ['a'], who: { name: 'Ada' } }, budget)).toEqual([])
  expect(fieldErrorsOf(undefined, budget)).not.toEqual([])
})

test('a value is changed at its path, and undefined removes the path', () => {
  expect(withValue({ a: { b: 1 }, c: [1, 2] }, ['a', 'b'], 5)).toEqual({ a: { b: 5 }, c: [1, 2] })
  expect(withValue({ a: 1, b: 2 }, ['a'], undefined)).toEqual({ b: 2 })
  expect(withValue({ c: [1, 2, 3] }, ['c', 1], undefined)).toEqual({ c: [1, 3] })
  expect(withValue(undefined, ['a', 'b'], 1)).toEqual({ a: { b: 1 } })
})

test('a value without a schema is edited field by field, and an emptied text stays an empty text', () => {
  const schema = schemaOfValue({ to: 'ada', body: 'a\nb', count: 2, urgent: true, list: [1], none: null })
  expect(schema['required']).toEqual(['to', 'body', 'count', 'urgent', 'list', 'none'])
  const kinds = Object.values(schema['properties'] as Readonly<Record<string, Schema>>).map(
    (each) => fieldOf(each).kind,
  )
  expect(kinds).toEqual(['text', 'text', 'number', 'yes-no', 'json', 'json'])
  expect(fieldErrorsOf({ to: '', body: '', count: 1, urgent: false, list: [], none: null }, schema)).toEqual([])
})
