import { proves } from '@holdpoint/testing'
import { chat, Session, tool, type Verdict } from 'holdpoint'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { call, desk, expectSound, idOf, saved } from '../../../../test/kit/session-kit.ts'

const input = z.object({})
const description = 'For a test'
const tools = [
  tool({ name: 'gated', description, input, approval: 'required', run: () => 'ran' }),
  tool({ name: 'person', description, input, executor: 'human' }),
]
const verdicts: readonly Verdict[] = [
  'accepted',
  'duplicate',
  'conflict',
  'expired',
  'stale',
  'unknown',
  'invalid',
  'wrong-kind',
]

async function both(): Promise<{ session: Session; gated: string; person: string }> {
  const { session } = await chat(desk([{ calls: [call('gated'), call('person')] }, 'ok'], { tools }).agent, 'Go')
  return { session, gated: idOf(session, 'gated'), person: idOf(session, 'person') }
}

const circle: { me?: unknown } = {}
circle.me = circle
const trap = Object.defineProperty({}, 'kind', {
  get: () => {
    throw new Error('gotcha')
  },
})

test.each<[string, unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['text', 'approve'],
  ['a list', [{ kind: 'approve' }]],
  ['no kind', {}],
  ['an unknown kind', { kind: 'allow' }],
  ['a kind out of the prototype', { kind: 'toString' }],
  ['a kind that is no text', { kind: { toString: () => 'approve' } }],
  ['a kind that cannot be printed', { kind: 10n }],
  ['a kind that throws', trap],
  ['a reason that is no text', { kind: 'reject', reason: { html: '<b>' } }],
  ['an answer with neither value nor error', { kind: 'answer' }],
  ['an answer with both', { kind: 'answer', value: 1, error: 'x' }],
  ['an error that is no text', { kind: 'answer', error: 7 }],
  ['an error that is null', { kind: 'answer', error: null }],
  ['a value that is a circle', { kind: 'answer', value: circle }],
  ['a value that is no JSON', { kind: 'answer', value: 10n }],
  ['a value that is a function', { kind: 'answer', value: () => {} }],
  ['an edit that is a circle', { kind: 'approve', input: circle }],
])(
  proves('bad-input.nothing-half-written', 'a resolution that is %s is invalid, and nothing changes'),
  async (_what, resolution) => {
    const { session, gated, person } = await both()
    const before = JSON.stringify(session)

    for (const callId of [gated, person]) {
      const { verdict, message } = await session.resolve(callId, resolution as never)
      expect(['invalid', 'wrong-kind']).toContain(verdict)
      expect(message).not.toBe('')
    }

    expect(JSON.stringify(session)).toBe(before)
  },
)

test.each<[string, unknown]>([
  ['that is a circle', circle],
  ['that is no JSON', 10n],
  ['that is too deep', JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`)],
])('an answer %s is told no after the call was answered, too', async (_what, value) => {
  const { session, person } = await both()
  await session.answer(person, 'said')

  expect(['invalid', 'conflict']).toContain((await session.answer(person, value as never)).verdict)
})

test.each<[string, unknown]>([
  ['something that is no JSON', { kind: 'reject', extra: 10n }],
  ['a circle', { kind: 'reject', reason: 'no', extra: circle }],
  ['a function', { kind: 'reject', then: () => {} }],
  ['an input for an answer', { kind: 'answer', value: 'said', input: 10n }],
])('what does not belong to a resolution (%s) is not stored with it', async (_what, resolution) => {
  const { session, person } = await both()

  expect(await session.resolve(person, resolution as never)).toMatchObject({ verdict: 'accepted' })

  expect(JSON.stringify(session)).not.toContain('extra')
  expectSound(session)
  await Session.open(session.agent, saved(session))
})

test.each<[string, unknown]>([
  ['a number', 7],
  ['an object', { name: 'eve' }],
  ['no JSON at all', 10n],
])('an answer from a caller who is %s is invalid', async (_what, by) => {
  const { session, person } = await both()

  expect(await session.resolve(person, { kind: 'reject' }, { by: by as string })).toMatchObject({ verdict: 'invalid' })
})

test('the one who answers cannot change the answer afterwards by holding on to it', async () => {
  const { session, person } = await both()
  const value = { amount: 1 }

  await session.answer(person, value)
  value.amount = 1000

  expect(JSON.stringify(session)).not.toContain('1000')
})

test('whatever is sent as a resolution gets a verdict, and the session can still be saved', async () => {
  const kind = fc.constantFrom('approve', 'reject', 'answer', 'other', undefined, 7)
  const thing = fc.oneof(
    fc.anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true, withNullPrototype: true }),
    fc.jsonValue(),
  )
  const proper = fc.constantFrom(
    { kind: 'approve' },
    { kind: 'reject', reason: 'no' },
    { kind: 'answer', value: 1 },
    { kind: 'answer', error: 'no' },
  )
  const resolution = fc.oneof(
    thing,
    proper,
    fc.record({ kind, value: thing, error: thing, input: thing, reason: thing }, { requiredKeys: ['kind'] }),
  )
  const seen = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(fc.array(resolution, { maxLength: 5 }), fc.boolean(), async (resolutions, first) => {
      const { session, gated, person } = await both()
      for (const each of resolutions) {
        const { verdict } = await session.resolve(first ? gated : person, each as never)
        expect(verdicts).toContain(verdict)
        seen.set(verdict, (seen.get(verdict) ?? 0) + 1)
      }
      expectSound(session)
      await Session.open(session.agent, saved(session))
    }),
    { numRuns: 400 },
  )
  expect([...seen.keys()]).toEqual(expect.arrayContaining(['accepted', 'invalid', 'wrong-kind', 'conflict']))
})
