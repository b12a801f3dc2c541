/** The borders of JSON: text from strangers, values of unknown origin, and the one text that hashes are taken of. */
import { canonical, parseJson, toJson, type Json } from '@holdpoint/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

/**
 * Any JSON, with keys that mean something to objects. No backslash in a key: once V8 has parsed one, it misreads other
 * escaped keys (nodejs/node#63785), and what is compared here is read back with `JSON.parse`.
 */
const key = fc
  .oneof(fc.constantFrom('__proto__', 'constructor', 'toString', 'length', '', '0', '"'), fc.string({ unit: 'binary' }))
  .map((text) => text.replaceAll('\\', '/'))
const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(
      fc.constant(null),
      fc.boolean(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      fc.string({ unit: 'binary' }),
    ),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(key, tie('json'), { maxKeys: 5, noNullPrototype: true }),
  ),
}))

function nested(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels)
}

describe('parseJson', () => {
  test('gives a value or a reason, and never throws, whatever the text', () => {
    let parsed = 0
    let refused = 0
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          json.map((value) => JSON.stringify(value)),
          fc.constantFrom('', '{', '{"a":', 'undefined', 'NaN', "{'a':1}"),
        ),
        (text) => {
          const result = parseJson(text)
          if (result.ok) parsed++
          else refused++
          if (!result.ok) expect(result.why).not.toBe('')
        },
      ),
    )
    expect(parsed).toBeGreaterThan(0)
    expect(refused).toBeGreaterThan(0)
  })

  test('reads 128 levels and refuses the 129th, in lists and in objects', () => {
    expect(parseJson(nested(128)).ok).toBe(true)
    expect(parseJson(nested(129))).toEqual({ ok: false, why: 'nested deeper than 128 levels' })
    expect(parseJson('{"a":'.repeat(129) + '1' + '}'.repeat(129)).ok).toBe(false)
  })

  test('refuses a million brackets without overflowing the stack', () => {
    expect(parseJson(nested(1_000_000)).ok).toBe(false)
    expect(parseJson('['.repeat(1_000_000)).ok).toBe(false)
  })

  test('does not count brackets inside strings, escaped quotes included', () => {
    const text = '{["\\'.repeat(500)
    expect(parseJson(JSON.stringify({ text }))).toEqual({ ok: true, value: { text } })
  })

  test('keeps __proto__ as an ordinary key, and nothing inherits from it', () => {
    const parsed = parseJson('{"__proto__":{"admin":true},"constructor":1}')

    expect(parsed.ok && Object.keys(parsed.value as object)).toEqual(['__proto__', 'constructor'])
    expect(parsed.ok && Object.getPrototypeOf(parsed.value)).toBe(Object.prototype)
    expect({}).not.toHaveProperty('admin')
  })

  test.each([
    ['1e999', '1e999'],
    ['-1e999', '-1e999'],
    ['1E+400 inside', '{"a":[1E+400]}'],
    ['12345678901e0299', '12345678901e0299'],
    ['a whole number of 400 digits', '9'.repeat(400)],
  ])('refuses %s: a number that could not be written back', (_what, text) => {
    expect(parseJson(text)).toEqual({ ok: false, why: 'a number is too large' })
  })

  test.each([
    ['1e308', '1e308'],
    ['1e-999', '1e-999'],
    ['0e99999', '0e99999'],
    ['a text "1e999"', '"1e999"'],
    ['a key "1e999"', '{"1e999":1}'],
    ['a text of 400 digits', `"${'9'.repeat(400)}"`],
  ])('reads %s, which only looks too large', (_what, text) => {
    expect(parseJson(text)).toEqual({ ok: true, value: JSON.parse(text) })
  })

  test('what it reads can always be written and read again as the same value', () => {
    fc.assert(
      fc.property(json, (value) => {
        const text = JSON.stringify(value)
        const parsed = parseJson(text)
        expect(parsed.ok && JSON.stringify(parsed.value)).toBe(text)
      }),
    )
  })
})

describe('toJson', () => {
  test.each<[what: string, value: unknown, json: Json]>([
    ['undefined as null', undefined, null],
    ['a date as its ISO text', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['an object without its undefined members', { a: 1, b: undefined }, { a: 1 }],
    ['a list with its holes as null', [undefined, 1], [null, 1]],
    ['a number that JSON lacks as null', { a: Number.NaN }, { a: null }],
    ['an object that says how it is written', { toJSON: () => ({ said: true }) }, { said: true }],
    ['an object without a prototype', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
  ])('writes %s', (_what, value, expected) => {
    expect(toJson(value)).toEqual({ ok: true, value: expected })
  })

  const circular: Record<string, unknown> = {}
  circular['self'] = circular
  const throwing = {
    toJSON: () => {
      throw new Error('not today')
    },
  }
  test.each<[what: string, value: unknown, why: RegExp]>([
    ['a function', () => 1, /a function is not JSON/],
    ['a symbol', Symbol('s'), /a symbol is not JSON/],
    ['a BigInt', { amount: 1n }, /BigInt/],
    ['a value that contains itself', circular, /circular/i],
    ['a value that refuses to be written', throwing, /not today/],
    ['129 levels', JSON.parse(nested(129)), /nested deeper than 128/],
    ['a value too deep for the stack', JSON.parse(nested(100_000)), /./],
  ])('refuses %s and says why', (_what, value, why) => {
    expect(toJson(value)).toEqual({ ok: false, why: expect.stringMatching(why) })
  })

  test('makes of any value what writing and reading it would, whether or not that changes it', () => {
    const anything = fc.anything({
      key,
      withBigInt: false,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withSparseArray: true,
      withTypedArray: true,
    })
    fc.assert(
      fc.property(fc.oneof(json, anything), (value) => {
        const text = JSON.stringify(value) as string | undefined
        const read = toJson(value)
        expect(read.ok && JSON.stringify(read.value)).toBe(text ?? (value === undefined ? 'null' : false))
        expect(read.ok && Object.is(read.value, -0)).toBe(false)
      }),
    )
  })

  test('keeps __proto__ as an ordinary key when it copies', () => {
    const read = toJson(JSON.parse('{"__proto__":{"admin":true}}'))
    expect(read.ok && Object.getPrototypeOf(read.value)).toBe(Object.prototype)
    expect(JSON.stringify(read)).toBe('{"ok":true,"value":{"__proto__":{"admin":true}}}')
  })

  test('gives a copy, so that what was stored does not change with what it came from', () => {
    const given = { items: ['a'] }
    const stored = toJson(given)
    given.items.push('b')
    expect(stored).toEqual({ ok: true, value: { items: ['a'] } })
  })
})

describe('canonical', () => {
  test('does not depend on the order in which keys were written', () => {
    let shuffled = 0
    fc.assert(
      fc.property(json, (value) => {
        const other = reversed(value)
        if (JSON.stringify(other) !== JSON.stringify(value)) shuffled++
        expect(canonical(other)).toBe(canonical(value))
      }),
    )
    expect(shuffled).toBeGreaterThan(0)
  })

  test('is JSON of the same value, so two different values never share a text', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(reversed(JSON.parse(canonical(value)) as Json)).toEqual(
          reversed(JSON.parse(JSON.stringify(value)) as Json),
        )
      }),
    )
  })

  test.each<[Json, Json]>([
    [{ a: 1 }, { a: '1' }],
    [{ a: null }, {}],
    [[], {}],
    [['a', 'b'], ['a,b']],
    [
      ['a', 'b'],
      ['b', 'a'],
    ],
    ['\ud800', '\\ud800'],
    [{ 'a":1,"b': 2 }, { a: 1, b: 2 }],
    [{ '\\': 1 }, { '"': 1 }],
    [{ '\\n': 1 }, { '\n': 1 }],
    [JSON.parse('{"__proto__":1}') as Json, {}],
  ])('tells %j from %j', (a, b) => {
    expect(canonical(a)).not.toBe(canonical(b))
  })

  test('takes a member that is undefined for absent, as storing it would', () => {
    const value = { kind: 'reject', reason: undefined, list: [undefined] } as unknown as Json
    expect(canonical(value)).toBe('{"kind":"reject","list":[null]}')
  })
})

/** The same value with the keys of every object in reverse. */
function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toReversed()
  return Object.fromEntries(entries.map(([name, member]) => [name, reversed(member)]))
}
