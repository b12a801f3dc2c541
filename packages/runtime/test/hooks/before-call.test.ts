/** Hooks before a call is made: as it is, otherwise, or not at all. */
import { tool, type CallHook, type Tool } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { heldId, outcomes, types, World, type Setup } from '../../../../test/kit/runtime-kit.ts'

function setup(
  ran: unknown[],
  beforeCall: readonly CallHook[],
  more: object = {},
  input: unknown = { amount: 250 },
): Setup {
  const pay = tool({
    name: 'pay',
    description: 'Pays',
    input: z.object({ amount: z.number() }),
    run: (context: { input: { amount: number } }) => (ran.push(context.input.amount), 'paid'),
    ...more,
  } as never) as Tool
  return { says: [{ calls: [{ name: 'pay', input: input as never }] }, 'Well.'], tools: [pay], agent: { hooks: { beforeCall } } } // prettier-ignore
}

const limit: CallHook = { name: 'limit', run: () => ({ input: { amount: 100 } }) }

test('a veto settles the call, the model reads why, and nothing ran', async () => {
  const world = new World()
  const ran: unknown[] = []
  const a = await world.process('a', setup(ran, [{ name: 'no', run: () => ({ veto: 'Too much.' }) }]))
  expect(await a.runtime.send('c', 'Pay')).toMatchObject({ status: 'done' })
  expect(ran).toEqual([])
  expect(Object.values(outcomes(await world.log()))).toEqual([
    { ok: false, error: { code: 'vetoed', message: 'no: Too much.' } },
  ])
  expect(JSON.stringify(a.model.requests[1]!.prompt)).toContain('Too much.')
})

test('another input is what runs, is in the log, and is told to the model', async () => {
  const world = new World()
  const ran: unknown[] = []
  const a = await world.process('a', setup(ran, [limit]))
  await a.runtime.send('c', 'Pay')
  expect(ran).toEqual([100])
  expect((await world.log())[2]).toMatchObject({ type: 'call.rewritten', input: { amount: 100 }, hooks: ['limit'] })
  expect(JSON.stringify(a.model.requests[1]!.prompt)).toContain('"inputWasEditedTo":{"amount":100}')
})

test('hooks see what the ones before made of it, and a call that none changes leaves no trace of them', async () => {
  const world = new World()
  const seen: unknown[] = []
  const look: CallHook = {
    name: 'look',
    run: ({ input, call, executor }) => void seen.push([input, call.name, executor]),
  }
  const a = await world.process('a', setup([], [look, limit, look]))
  await a.runtime.send('c', 'Pay')
  expect(seen).toEqual([
    [{ amount: 250 }, 'pay', 'server'],
    [{ amount: 100 }, 'pay', 'server'],
  ])
  const b = await new World().process('b', setup([], [look]))
  await b.runtime.send('c', 'Pay')
  expect(types(await b.runtime.events('c'))).not.toContain('call.rewritten')
})

test('an approver is shown, and binds, the input that will run', async () => {
  const world = new World()
  const ran: unknown[] = []
  const a = await world.process('a', setup(ran, [limit], { approval: 'required' }))
  const held = await a.runtime.send('c', 'Pay')
  expect(held.holds).toMatchObject([{ input: { amount: 100 }, proposed: { amount: 250 } }])
  await a.runtime.approve('c', await heldId(a, 'pay'))
  await a.runtime.continue('c')
  expect(ran).toEqual([100])
})

test('what others carry out is looked at too', async () => {
  const a = await new World().process('a', setup([], [limit], { executor: 'external', run: undefined }))
  expect((await a.runtime.send('c', 'Pay')).holds).toMatchObject([{ kind: 'external', input: { amount: 100 } }])
})

test.each([
  ['throws', () => Promise.reject(new Error('down')), 'failed: down'],
  ['never answers', () => new Promise<never>(() => {}), 'took longer than'],
  ['gives no object', () => ({ input: 5 }), 'not a JSON object'],
])('a hook that %s is a no', async (_, run, why) => {
  const world = new World()
  const ran: unknown[] = []
  const a = await world.process('a', setup(ran, [{ name: 'check', run: run }]))
  await world.soon(a.runtime.send('c', 'Pay'))
  expect(ran).toEqual([])
  expect(JSON.stringify(outcomes(await world.log()))).toContain(why)
})

test('an input that hooks made and that does not fit the tool is an error that names them', async () => {
  const world = new World()
  const a = await world.process('a', setup([], [{ name: 'odd', run: () => ({ input: { amount: 'much' } }) }]))
  await a.runtime.send('c', 'Pay')
  expect(JSON.stringify(outcomes(await world.log()))).toMatch(/invalid-input.*What odd made of the arguments/)
})

test('what was decided is not decided again by a process that takes over', async () => {
  const world = new World()
  const ran: unknown[] = []
  let asked = 0
  const counting: CallHook = { name: 'count', run: () => (asked++, { input: { amount: asked } }) }
  const a = await world.process('a', setup(ran, [counting], { approval: 'required' }))
  await a.runtime.send('c', 'Pay')
  a.kill()
  const b = await world.process('b', setup(ran, [counting], { approval: 'required' }))
  await b.runtime.approve('c', await heldId(b, 'pay'))
  await world.soon(b.runtime.continue('c'))
  expect([asked, ran]).toEqual([1, [1]])
})

test('an input that an approver edited goes through the hooks too', async () => {
  const ran: unknown[] = []
  const most: CallHook = {
    name: 'most',
    run: ({ input }) => ((input as { amount: number }).amount > 1000 ? { veto: 'Too much.' } : undefined),
  }
  const a = await new World().process('a', setup(ran, [most], { approval: 'required' }))
  await a.runtime.send('c', 'Pay')
  const id = await heldId(a, 'pay')
  const refused = await a.runtime.approve('c', id, { input: { amount: 5000 } })
  expect(refused).toMatchObject({ verdict: 'invalid', message: expect.stringContaining('Too much.') })
  expect(await a.runtime.approve('c', id, { input: { amount: 50 } })).toMatchObject({ verdict: 'accepted' })
  await a.runtime.continue('c')
  expect(ran).toEqual([50])
})
