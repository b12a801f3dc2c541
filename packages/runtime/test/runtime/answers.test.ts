import { proves } from '@holdpoint/testing'
import { tool, type ResolveResult } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  asking,
  calls,
  count,
  expectSound,
  gated,
  heldId,
  noting,
  outcomes,
  types,
  World,
  writesOf,
} from '../../../../test/kit/runtime-kit.ts'
import { onWrite } from '../../../../test/kit/mortal.ts'

const says = [calls('pay'), 'Paid.']

test(
  proves(
    'hold.answer-durable-first',
    'the verdict comes once the answer is written, and before anything follows from it',
  ),
  async () => {
    const world = new World()
    const order: string[] = []
    const a = await world.process('a', {
      says,
      tools: [tool({ name: 'pay', description: 'Pays', input: z.object({}), ...gated, run: () => order.push('ran') })],
      ...onWrite('after', 'call.approved', 1, () => void order.push('written')),
    })
    await a.runtime.send('c', 'Pay')

    const { verdict } = await a.runtime.approve('c', await heldId(a, 'pay'))
    order.push(verdict)

    expect(order).toEqual(['written', 'accepted'])
    expect(types(await world.log())).toContain('call.approved')
    await world.calm()
    expect(order).toEqual(['written', 'accepted', 'ran'])
    expect(types(await world.log()).at(-1)).toBe('model.replied')
  },
)

test('an answer given in a process that never saw the conversation revives it, and that process drives it on', async () => {
  const world = new World()
  const ran: string[] = []
  const a = await world.process('a', { says, tools: [noting(ran, 'pay', gated)] })
  await a.runtime.send('c', 'Pay')
  a.kill()
  const b = await world.process('b', { says, tools: [noting(ran, 'pay', gated)] })

  expect(await b.runtime.approve('c', 'a-2.1.1', { by: 'boss' })).toMatchObject({ verdict: 'accepted' })
  await world.calm()

  expect(ran).toEqual(['pay a-2.1.1'])
  expect(await b.runtime.continue('c')).toMatchObject({ status: 'done', text: 'Paid.' })
  expectSound(await world.log(), a, b)
})

test('a caller that waits for a turn driven here asks nothing more of the store', async () => {
  const world = new World()
  const a = await world.process('a', { says, tools: [noting([], 'pay', gated)] })
  await a.runtime.send('c', 'Pay')
  await a.runtime.approve('c', await heldId(a, 'pay'))
  const before = a.asked.length

  expect(await a.runtime.continue('c')).toMatchObject({ status: 'done', text: 'Paid.' })
  expect(new Set(a.asked.slice(before).map(({ question }) => question))).toEqual(new Set(['append']))
})

test('approve, reject, answer and fail each bring their result to the model', async () => {
  const world = new World()
  const a = await world.process('a', {
    says: [calls('pay', 'wire', 'ask', 'fetch')],
    tools: [noting([], 'pay', gated), noting([], 'wire', gated), asking('ask', 'human'), asking('fetch', 'external')],
  })
  await a.runtime.send('c', 'Go')
  const id = (name: string): Promise<string> => heldId(a, name)

  await a.runtime.approve('c', await id('pay'))
  await a.runtime.reject('c', await id('wire'), 'too much')
  await a.runtime.answer('c', await id('ask'), { size: 'L' })
  await a.runtime.fail('c', await id('fetch'), 'no network')

  expect(await a.runtime.continue('c')).toMatchObject({ status: 'done' })
  expect(outcomes(await world.log())).toMatchObject({
    'a-2.1.1': { ok: true, value: 'pay done' },
    'a-2.1.2': { ok: false, error: { code: 'rejected', message: 'Rejected: too much' } },
    'a-2.1.3': { ok: true, value: { size: 'L' } },
    'a-2.1.4': { ok: false, error: { code: 'failed', message: 'no network' } },
  })
  expectSound(await world.log(), a)
})

test('an approval with another input is checked, and what runs is that', async () => {
  const world = new World()
  const paid: unknown[] = []
  const pay = tool({
    name: 'pay',
    description: 'Pays',
    input: z.object({ amount: z.number() }),
    ...gated,
    run: ({ input }) => void paid.push(input.amount),
  })
  const a = await world.process('a', { says: [{ calls: [{ name: 'pay', input: { amount: 500 } }] }], tools: [pay] })
  await a.runtime.send('c', 'Pay')
  const id = await heldId(a, 'pay')

  expect(await a.runtime.approve('c', id, { input: { amount: 'much' } })).toMatchObject({ verdict: 'invalid' })
  expect(await a.runtime.approve('c', id, { input: { amount: 50 }, by: 'boss' })).toMatchObject({ verdict: 'accepted' })
  await world.calm()

  expect(paid).toEqual([50])
})

test(
  proves('hold.resolves-once', 'of answers from several processes at once one is taken, and the others are told which'),
  async () => {
    const world = new World()
    const ran: string[] = []
    const setup = { says, tools: [noting(ran, 'pay', gated)] }
    const [a, b, c] = [
      await world.process('a', setup),
      await world.process('b', setup),
      await world.process('c', setup),
    ]
    await a.runtime.send('c', 'Pay')

    const told: ResolveResult[] = await Promise.all([
      a.runtime.approve('c', 'a-2.1.1', { by: 'ann' }),
      b.runtime.reject('c', 'a-2.1.1', 'no', { by: 'bob' }),
      c.runtime.approve('c', 'a-2.1.1', { by: 'ann' }),
    ])
    await world.calm()

    expect(told.filter(({ verdict }) => verdict === 'accepted')).toHaveLength(1)
    const [first] = (await world.log()).filter(({ type }) => type === 'call.approved' || type === 'call.settled')
    const by = first && 'by' in first ? first.by : undefined
    for (const { verdict, first: taken } of told) if (verdict !== 'accepted') expect(taken).toMatchObject({ by })
    expect(ran).toHaveLength(by === 'ann' ? 1 : 0)
    expectSound(await world.log(), a, b, c)
  },
)

test('a process that heard nothing of what others wrote answers by what is in the store, and not by what it remembers', async () => {
  const world = new World()
  const tools = [noting([], 'pay', gated)]
  const b = await world.process('b', { says, tools, deaf: true })
  const a = await world.process('a', { says, tools })
  expect(await b.runtime.approve('c', 'a-2.1.1')).toMatchObject({ verdict: 'unknown' })
  expect(await b.runtime.continue('c')).toMatchObject({ reason: 'nothing-to-continue' })

  await a.runtime.send('c', 'Pay')
  expect(await b.runtime.approve('c', 'a-2.1.1')).toMatchObject({ verdict: 'accepted' })
  await world.soon(a.runtime.continue('c'))
  await a.runtime.send('c', 'Pay again')
  expect(await b.runtime.reject('c', 'a-2.1.1')).toMatchObject({ verdict: 'conflict' })
  expect(await b.runtime.reject('c', await heldId(a, 'pay'))).toMatchObject({ verdict: 'accepted' })
})

test('a yes to a call that waits for its browser too leaves it waiting, and the answer of the browser ends it', async () => {
  const world = new World()
  const a = await world.process('a', { says: [calls('sign'), 'Signed.'], tools: [asking('sign', 'client', gated)] })
  await a.runtime.send('c', 'Sign')
  const b = await world.process('b', { says: [calls('sign'), 'Signed.'], tools: [asking('sign', 'client', gated)] })

  expect(await b.runtime.answer('c', 'a-2.1.1', 'x')).toMatchObject({ verdict: 'wrong-kind' })
  expect(await b.runtime.approve('c', 'a-2.1.1')).toMatchObject({ verdict: 'accepted' })
  expect((await a.runtime.pending()).items).toMatchObject([{ kind: 'client', nth: 2 }])
  expect(await a.runtime.answer('c', 'a-2.1.1', 'signature')).toMatchObject({ verdict: 'accepted' })
  await world.calm()

  expect(outcomes(await world.log())).toEqual({ 'a-2.1.1': { ok: true, value: 'signature' } })
})

test('an answer that does not fit what the tool says it gives is refused, and may be given again', async () => {
  const world = new World()
  const size = asking('size', 'human', { output: z.object({ size: z.enum(['S', 'L']) }) })
  const a = await world.process('a', { says: [calls('size')], tools: [size] })
  await a.runtime.send('c', 'Size?')
  const before = await world.log()

  expect(await a.runtime.answer('c', 'a-2.1.1', { size: 'XXL' })).toMatchObject({ verdict: 'invalid' })
  expect(await world.log()).toEqual(before)
  expect(await a.runtime.answer('c', 'a-2.1.1', { size: 'L' })).toMatchObject({ verdict: 'accepted' })
})

test('an answer to a conversation that another process owns is written by the process that received it, and acted on by the owner', async () => {
  const world = new World()
  const ran: string[] = []
  const work = Promise.withResolvers<string>()
  const tools = [
    tool({ name: 'work', description: 'Works', input: z.object({}), run: () => work.promise }),
    noting(ran, 'pay', gated),
  ]
  const a = await world.process('a', { says: [calls('work', 'pay')], tools })
  const b = await world.process('b', { says: [calls('work', 'pay')], tools })
  const sending = a.runtime.send('c', 'Go')
  await world.calm()

  await b.runtime.approve('c', await heldId(b, 'pay'))
  await world.calm()

  expect(ran).toHaveLength(1)
  expect(writesOf(b).flatMap(({ events }) => types(events))).toEqual(['call.approved'])
  work.resolve('worked')
  expect(await sending).toMatchObject({ status: 'done' })
  expect(count(await world.log(), 'model.replied')).toBe(2)
})
