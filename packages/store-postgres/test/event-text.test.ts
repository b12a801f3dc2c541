import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readBatch, toEventText } from '../src/event-text.ts'
import { at, draft } from './draft.ts'
import { testSchema, written } from './kit.ts'

const HASH = '47051d2943ad7a55bdf6c5faf10e5b76638d93fc071dfc80486880c67d5620bc'
const HELD = [
  {
    type: 'model.replied',
    turnId: 'ouI73QSzTJu8YObt_4tS9g',
    step: 1,
    reply: {
      parts: [
        { type: 'call', callId: 'ouI73QSzTJu8YObt_4tS9g.1.1', name: 'lookup', input: { query: 'what was asked' } },
      ],
      finish: 'calls',
      usage: { inputTokens: 1000, outputTokens: 100 },
    },
  },
  {
    type: 'call.held',
    callId: 'ouI73QSzTJu8YObt_4tS9g.1.1',
    hold: {
      kind: 'approval',
      cause: 'tool',
      accepts: ['approve', 'reject'],
      input: { query: 'what was asked' },
      inputHash: HASH,
      fingerprint: HASH,
      approvers: 1,
      timeoutMs: 604_800_000,
      expiresAt: 1_795_423_485_255,
      onExpire: 'error',
      late: 'reject',
    },
  },
]

/** A stored row. It must stay readable, so never change this. */
const ROW =
  '\u0002ouI73QSzTJu8YObt_4tS9g\u00031\u0005\u001e \u00011.1\blookup\t{"query":"what was asked"}\n1000\f100}}' +
  '\r\u001e \u00011.1\u000e\u001e"\u000f\u001dRwUdKUOtelW99sX68Q5bdmONk_wHHfyASGiAxn1WILw\u0010\u001dRwUdKUOtelW99sX68Q5bdmONk_wHHfyASGiAxn1WILw' +
  '\u0011604800000\u00121795423485255\u0013]'

const eventsOf = (events: string): unknown =>
  readBatch({ seq: 2, at: 1, events }).map(({ seq: _seq, at: _at, ...body }) => body)

test('a row is a third of its JSON, and rows of earlier versions stay readable', () => {
  const json = JSON.stringify(HELD)
  expect(toEventText(json)).toBe(ROW)
  expect(ROW.length).toBeLessThan(json.length / 2.5)
  expect(eventsOf(ROW)).toEqual(HELD)
})

test('a row of plain JSON is read unchanged', () => {
  expect(eventsOf(JSON.stringify(HELD))).toEqual(HELD)
})

test('any JSON in an event is read back unchanged', () => {
  const words = fc.constantFrom(
    'callId',
    'type',
    'text',
    '","input":',
    '{"type":"',
    'a.1.1',
    HASH,
    '\u0001',
    '\u001e ',
    '"',
    '\\',
  )
  const text = fc.array(fc.oneof(words, fc.string({ unit: 'binary' })), { maxLength: 5 }).map((parts) => parts.join(''))
  const { json } = fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { depthSize: 'small' },
      text,
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.array(tie('json'), { maxLength: 4 }),
      fc.dictionary(text, tie('json'), { maxKeys: 4 }),
    ),
  }))
  fc.assert(
    fc.property(fc.array(fc.tuple(text, json), { minLength: 1, maxLength: 4 }), (values) => {
      const events = values.flatMap(([callId, input]) => [
        {
          type: 'model.replied',
          turnId: HASH,
          step: 1,
          reply: { parts: [{ type: 'call', callId, name: callId, input }] },
        },
        { type: 'call.held', callId, hold: { input, inputHash: HASH, fingerprint: callId } },
      ])
      expect(JSON.stringify(eventsOf(toEventText(JSON.stringify(events))))).toBe(JSON.stringify(events))
    }),
    { numRuns: 40 },
  )
})

test('a row with too many texts to abbreviate, or that is too long, is read back unchanged', () => {
  const many = Array.from({ length: 300 }, (_, n) => ({
    type: 'call.held',
    callId: `a call of its own, ${n % 150}.1.1`,
  }))
  const long = [{ type: 'state.changed', value: HASH.repeat(2000) }]
  for (const events of [many, long]) expect(eventsOf(toEventText(JSON.stringify(events)))).toEqual(events)
})

test('an unreadable row names its events, and other conversations stay readable', async () => {
  const { open, sql, schema } = await testSchema()
  const store = await open()
  await written(store, draft('c', 0))
  await sql(`update ${schema}.batches set events = E'\\x1e~' || events`)
  await written(store, draft('d', 0))
  const [damaged, whole, missing] = await Promise.allSettled(['c', 'd', 'e'].map((id) => store.load(at(id))))
  expect(String(damaged?.status === 'rejected' && damaged.reason)).toContain('The events up to 1 cannot be read')
  expect(whole).toEqual(
    expect.objectContaining({ status: 'fulfilled', value: expect.objectContaining({ seq: 1 }) as unknown }),
  )
  expect(missing).toEqual({ status: 'fulfilled', value: undefined })
})
