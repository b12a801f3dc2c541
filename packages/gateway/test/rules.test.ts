/** Rules over HTTP: who may save and end them, and what they do to calls. */
import { expect, test } from 'vitest'
import { personKit, type Ask, type PersonKit } from './person-kit.ts'

/** A call that is held, and the fingerprint of its tool. */
async function heldRefund({ ask }: PersonKit): Promise<{ readonly fingerprint: string }> {
  const { body } = await ask('POST', '/api/conversations/first/messages?wait=5', { body: { content: 'refund 5' } })
  return body.result.holds[0]
}

async function ruleOf(here: PersonKit, more: object = {}): Promise<object> {
  const { fingerprint } = await heldRefund(here)
  return { effect: 'allow', tool: 'refund', fingerprint, when: [{ at: '/euros', range: { max: 10 } }], ...more }
}

test('a resolver saves a rule with its examples, everyone who reads rules sees its uses, and it can be revoked', async () => {
  const here = await personKit()
  const ada = await here.person('ada', 'resolver')
  const rule = await ruleOf(here, { effect: 'ask', reason: 'Small ones', examples: { match: [{ euros: 10 }] } })
  const saved = await ada('POST', '/api/rules', rule)
  expect(saved).toMatchObject({ status: 201, body: { version: 1, author: { id: 'ada' }, may: { change: true } } })
  expect(saved.body.words).toBe('Ask a person about refund when euros is at most 10.')
  await here.ask('POST', '/api/conversations/second/messages?wait=5', { body: { content: 'refund 7' } })
  const path = `/api/rules/${encodeURIComponent(saved.body.id)}`
  expect(await ada('GET', path)).toMatchObject({ body: { used: 1, calls: [{ conversationId: 'second' }] } })
  const found = await ada('GET', '/api/rules?search=small')
  expect(found.body.items).toHaveLength(1)
  expect(await ada('POST', `${path}/revoke`, { reason: 'Too wide' })).toMatchObject({
    status: 200,
    body: { revoked: { by: 'ada', reason: 'Too wide' } },
  })
  const bad = await ada('POST', '/api/rules', { ...rule, examples: { match: [{ euros: 11 }] } })
  expect(bad).toMatchObject({ status: 422, body: { code: 'bad-request' } })
  expect(bad.body.detail).toContain('must match, and does not')
})

test('a rule that asks or denies is ended by its author or an administrator, and only they save a deny', async () => {
  const here = await personKit()
  const [ada, bob] = [await here.person('ada', 'resolver'), await here.person('bob', 'resolver')]
  const [root, reader] = [await here.person('root', 'admin'), await here.person('eve', 'agent reader')]
  const rule = await ruleOf(here)
  const deny = { ...rule, effect: 'deny' }
  expect(await ada('POST', '/api/rules', deny)).toMatchObject({ status: 403, body: { code: 'not-allowed' } })
  expect((await reader('POST', '/api/rules', rule)).status).toBe(403)
  const revoke = async (ask: Ask, { body }: { readonly body: { readonly id: string } }): Promise<number> =>
    (await ask('POST', `/api/rules/${encodeURIComponent(body.id)}/revoke`)).status
  const denied = await root('POST', '/api/rules', deny)
  const asked = await ada('POST', '/api/rules', { ...rule, effect: 'ask' })
  const allowed = await ada('POST', '/api/rules', rule)
  expect([await revoke(bob, denied), await revoke(bob, asked), await revoke(bob, allowed)]).toEqual([403, 403, 200])
  expect([await revoke(root, denied), await revoke(ada, asked)]).toEqual([200, 200])
  expect((await reader('GET', '/api/rules')).body.items).toHaveLength(3)
  const resolver = await here.ask('POST', '/api/rules', { as: 'resolver', body: { ...deny, by: 'ada' } })
  expect(resolver.status).toBe(403)
})

test('a resolver cannot make a rule of another author weaker by changing it', async () => {
  const here = await personKit()
  const [ada, bob] = [await here.person('ada', 'resolver'), await here.person('bob', 'resolver')]
  const rule = await ruleOf(here, { effect: 'ask' })
  const { body } = await ada('POST', '/api/rules', rule)
  const path = `/api/rules/${encodeURIComponent(body.id)}`
  expect((await bob('PUT', path, { ...rule, effect: 'allow', version: 1 })).status).toBe(403)
  expect(await ada('PUT', path, { ...rule, reason: 'Wider', version: 1 })).toMatchObject({
    status: 200,
    body: { version: 2 },
  })
  expect((await ada('PUT', path, { ...rule, version: 1 })).body.code).toBe('version-conflict')
})

test('a backtest reads every conversation, so it needs that right', async () => {
  const here = await personKit()
  const rules = [await ruleOf(here)]
  const [ada, auditor] = [
    await here.person('ada', 'resolver'),
    await here.person('ava', 'reader conversations:read-all'),
  ]
  expect((await ada('POST', '/api/rules/backtest', { rules })).status).toBe(403)
  expect(await auditor('POST', '/api/rules/backtest', { rules })).toMatchObject({
    status: 200,
    body: { calls: 1, would: { ask: 1 }, differ: 0 },
  })
})

test('an application decides with its own rules who may save one', async () => {
  const asked: unknown[] = []
  const here = await personKit({
    authorize: (caller, right, resource) => {
      if (right.startsWith('rule.')) asked.push([caller.id, right, resource.rule])
      return right !== 'rule.save'
    },
  })
  const rule = await ruleOf(here)
  const ada = await here.person('ada', 'resolver')
  expect((await ada('POST', '/api/rules', rule)).status).toBe(403)
  expect(asked).toEqual([['ada', 'rule.save', { tool: 'refund', effect: 'allow' }]])
})

test('a gateway whose runtime does not consult rules refuses to save one', async () => {
  const here = await personKit({ program: { rules: false } })
  const rule = await ruleOf(here)
  expect(await here.ask('POST', '/api/rules', { body: rule })).toMatchObject({
    status: 422,
    body: { code: 'config-invalid' },
  })
  expect(await here.ask('GET', '/api/rules')).toMatchObject({ status: 422 })
})
