/** One test for each way in which approval rules of other products failed. */
import { tool } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { heldId, World } from '../../../../test/kit/runtime-kit.ts'
import { about, desk, judged, mailer, mayRelax, saved, sends } from './rules-kit.ts'

test('a rule that is accepted and never consulted: a runtime that does not consult rules saves none', async () => {
  const world = new World()
  const a = await world.process('a', { ...desk([]), rules: false })
  expect(a.runtime.rules.consulted).toBe(false)
  await expect(a.runtime.rules.save(about(), { by: 'grace' })).rejects.toThrow('does not consult rules')
})

test('a rule that is accepted and never consulted: one that cannot match its own example is refused', async () => {
  const world = new World()
  const a = await world.process('a', desk([]))
  const never = about({
    when: [{ at: '/recipient', equals: 'ada@acme.test' }],
    examples: { match: [{ to: 'ada@acme.test' }] },
  })
  expect(await a.runtime.rules.save(never, { by: 'grace' })).toMatchObject({ ok: false, refusal: 'rule-invalid' })
})

test('a deny skipped on a long input: the call of a thousand recipients is denied for its last one', async () => {
  const [world, ran] = [new World(), [] as number[]]
  const many = tool({
    name: 'email.many',
    description: 'Mail many',
    input: z.object({ to: z.array(z.string()) }),
    run: ({ input }) => ran.push(input.to.length),
  })
  const to = Array.from({ length: 1000 }, (_, index) => (index === 999 ? 'eve@evil.test' : `p${index}@acme.test`))
  const says = [{ calls: [{ name: 'email.many', input: { to } }] }, 'Done.']
  const a = await world.process('a', { says, tools: [many], rules: true })
  const when = [{ at: '/to/*', equals: 'eve@evil.test' }]
  const rule = { effect: 'deny', tool: 'email.many', fingerprint: many.fingerprint, when } as const
  await a.runtime.rules.save(rule, { by: 'grace' })
  await a.runtime.send('c', 'Mail them')
  expect(judged(await world.log())).toMatchObject([{ decision: { effect: 'deny' } }])
  expect(ran).toEqual([])
})

test('an input that is too deep to compare fits no allow and escapes no deny: the call is held', async () => {
  for (const effect of ['allow', 'deny'] as const) {
    const [world, ran] = [new World(), [] as string[]]
    // What the tool's code gets is deeper than any text that the model could send.
    const deep = tool({
      name: 'email.deep',
      description: 'Mail',
      input: z.object({ to: z.string() }).transform(({ to }) => {
        let nested: unknown = to
        for (let depth = 0; depth < 100_000; depth++) nested = [nested]
        return { to, nested }
      }),
      approval: { required: effect === 'allow', rules: 'may-relax' },
      run: ({ input }) => ran.push(input.to),
    })
    const says = [{ calls: [{ name: 'email.deep', input: { to: 'ada@acme.test' } }] }, 'Done.']
    const a = await world.process('a', { says, tools: [deep], rules: true })
    const when = [{ at: '/to', equals: 'ada@acme.test' }]
    const rule = { effect, tool: 'email.deep', fingerprint: deep.fingerprint, when } as const
    expect(await a.runtime.rules.save(rule, { by: 'grace' })).toMatchObject({ ok: true })
    expect(await a.runtime.send('c', 'Mail Ada')).toMatchObject({ status: 'held' })
    expect(ran).toEqual([])
  }
})

test('an evaluator that throws while it compares holds the call, also one without a gate', async () => {
  const [world, ran] = [new World(), [] as string[]]
  const judge = (): never => {
    throw new RangeError('Maximum call stack size exceeded')
  }
  const a = await world.process('a', { ...desk(ran, {}, { approval: 'auto' }), rules: { judge } })
  await saved(a)
  expect(await a.runtime.send('c', 'Mail Ada')).toMatchObject({ status: 'held' })
  const reason = 'The rules could not be consulted: Maximum call stack size exceeded'
  expect((await a.runtime.pending()).items).toMatchObject([{ reason }])
  expect(ran).toEqual([])
})

test('a time-out that means yes: rules that cannot be read hold the call', async () => {
  const [world, ran] = [new World(), [] as string[]]
  const before = (question: string): undefined => {
    if (question === 'documents') throw new Error('The store is slow.')
    return undefined
  }
  const a = await world.process('a', { ...desk(ran, {}, { approval: 'auto' }), before })
  expect(await a.runtime.send('c', 'Mail Ada')).toMatchObject({ status: 'held' })
  const [hold] = (await a.runtime.pending()).items
  expect(hold?.reason).toBe('The rules could not be consulted: The store is slow.')
  expect(a.problems.map(({ error }) => String(error))).toContain('Error: The store is slow.')
  expect(ran).toEqual([])
})

test('a time-out that means yes: a hold of a rule that no person answers expires without a run', async () => {
  const [world, ran] = [new World(), [] as string[]]
  const a = await world.process('a', desk(ran, {}, { approval: 'auto', approvalTimeout: '1 minute' }))
  await saved(a, { effect: 'ask' })
  await a.runtime.send('c', 'Mail Ada')
  await world.pass(61_000)
  expect((await a.runtime.pending()).items).toEqual([])
  expect(ran).toEqual([])
})

test('a rule outliving a changed tool: the new definition is asked about, for the allow and for the deny', async () => {
  for (const effect of ['allow', 'deny'] as const) {
    const [world, ran] = [new World(), [] as string[]]
    const a = await world.process('a', desk(ran))
    await saved(a, { effect })
    const b = await world.process('b', desk(ran, {}, { description: 'Send an e-mail to the whole company' }))
    expect(await b.runtime.send(`c-${effect}`, 'Mail Ada')).toMatchObject({ status: 'held' })
    expect(ran).toEqual([])
  }
})

test('a pattern that matches more than it shows: a prefix that ends in a host is refused', async () => {
  const world = new World()
  const a = await world.process('a', desk([]))
  const wide = about({ when: [{ at: '/to', prefix: 'https://acme.test' }] })
  expect(await a.runtime.rules.save(wide, { by: 'grace' })).toMatchObject({
    ok: false,
    message: expect.stringContaining('would also fit "https://acme.test.example"'),
  })
})

test('arbitrary calls under an empty list: a rule without conditions says so in words, and covers one tool', async () => {
  const [world, ran] = [new World(), [] as string[]]
  const other = mailer(ran, { name: 'email.forward' })
  const says = [{ calls: [{ name: 'email.forward', input: { to: 'eve@evil.test' } }] }, 'Done.']
  const a = await world.process('a', { ...desk(ran), says, tools: [mailer(ran), other] })
  await saved(a, { when: [] })
  expect(await a.runtime.send('c', 'Forward it')).toMatchObject({ status: 'held' })
})

test('settings that run before trust: the input of a call cannot add or change a rule', async () => {
  const [world, ran] = [new World(), [] as string[]]
  const input = { to: 'eve@evil.test', rules: 'may-relax', approval: 'auto', when: [] }
  const a = await world.process('a', desk(ran, { says: [{ calls: [{ name: 'email.send', input }] }, 'Done.'] }))
  expect(await a.runtime.send('c', 'Mail Eve')).toMatchObject({ status: 'held' })
  expect((await a.runtime.rules.list()).items).toEqual([])
})

test('a policy that fails open without an error: a gate that throws is not relaxed by a rule', async () => {
  const [world, ran] = [new World(), [] as string[]]
  const approval = (): never => {
    throw new Error('No price list.')
  }
  const a = await world.process('a', desk(ran, {}, { approval }))
  await saved(a)
  expect(await a.runtime.send('c', 'Mail Ada')).toMatchObject({ status: 'held' })
  expect(ran).toEqual([])
})

test('a deny that does not bind an approver: what a rule denies by now, a person cannot approve', async () => {
  const [world, ran] = [new World(), [] as string[]]
  const a = await world.process('a', desk(ran))
  await a.runtime.send('c', 'Mail Ada')
  const callId = await heldId(a, 'email.send')
  const id = await saved(a, { effect: 'deny' })
  expect(await a.runtime.approve('c', callId, { by: 'bob' })).toMatchObject({ verdict: 'not-allowed' })
  const edited = { to: 'bob@acme.test' }
  await a.runtime.rules.revoke(id, { by: 'grace' })
  await saved(a, { effect: 'deny', when: [{ at: '/to', equals: 'bob@acme.test' }] })
  expect(await a.runtime.approve('c', callId, { by: 'bob', input: edited })).toMatchObject({ verdict: 'not-allowed' })
  expect(await a.runtime.approve('c', callId, { by: 'bob' })).toMatchObject({ verdict: 'accepted' })
  await world.until(() => ran.length === 1)
})

test('a function gate may let rules relax one call and not another', async () => {
  const [world, ran] = [new World(), [] as string[]]
  const approval = ({ input }: { readonly input: { readonly amount?: number } }): object =>
    (input.amount ?? 0) > 100 ? { required: true } : mayRelax
  for (const [amount, status] of [
    [5, 'done'],
    [500, 'held'],
  ] as const) {
    const says = [sends('ada@acme.test', { amount }), 'Done.']
    const a = await world.process(`p${amount}`, desk(ran, { says }, { approval }))
    if (amount === 5) await saved(a)
    expect(await a.runtime.send(`c${amount}`, 'Mail Ada')).toMatchObject({ status })
  }
})
