/** What rules do to calls: the stricter of rule and gate decides, and the log says which rule it was. */
import { expect, test } from 'vitest'
import { expectSound, heldId, outcomes, types, World } from '../../../../test/kit/runtime-kit.ts'
import { about, desk, judged, mayRelax, saved, sends } from './rules-kit.ts'

test('a rule allows a call in place of an approval, and the log has the rule with its version', async () => {
  const [world, ran] = [new World(), [] as string[]]
  const a = await world.process('a', desk(ran))
  const id = await saved(a, { reason: 'Ada asked for it' })
  expect(await a.runtime.send('c', 'Mail Ada', { by: 'ada' })).toMatchObject({ status: 'done' })
  expect(ran).toEqual(['ada@acme.test'])
  const why = 'Allow email.send when to is "ada@acme.test".'
  const events = await world.log()
  expect(judged(events)).toMatchObject([{ decision: { effect: 'allow', rule: { id, version: 1 }, why } }])
  expect(types(events)).toContain('call.cleared')
  const [call] = (await a.runtime.view('c'))!.turns[0]!.steps[0]!.calls
  expect(call).toMatchObject({ rule: { rule: { id } } })
  expect(await a.runtime.rules.find(id)).toMatchObject({ used: 1, calls: [{ conversationId: 'c' }] })
  expectSound(events, a)
})

test('an input that does not fit is held, as the gate says', async () => {
  const [world, ran] = [new World(), [] as string[]]
  const a = await world.process('a', desk(ran, { says: [sends('eve@evil.test'), 'Sent.'] }))
  await saved(a)
  expect(await a.runtime.send('c', 'Mail Eve')).toMatchObject({ status: 'held' })
  expect(judged(await world.log())).toEqual([])
  expect(ran).toEqual([])
})

test('a rule makes no gate weaker that does not say so, and the log says why', async () => {
  const [world, ran] = [new World(), [] as string[]]
  const a = await world.process('a', desk(ran, {}, { approval: 'required' }))
  await saved(a)
  expect(await a.runtime.send('c', 'Mail Ada')).toMatchObject({ status: 'held' })
  const ignored = 'The tool does not let rules take the place of an approval.'
  expect(judged(await world.log())).toMatchObject([{ decision: { effect: 'allow', ignored } }])
})

test.each([
  ['two approvers', { approvers: 2 }, 'needs 2 approvers'],
  ['named approvers', { approvers: { anyOf: ['group:finance'] } }, 'is for group:finance'],
  ['the requester excluded', { approvers: { notRequester: true } }, 'who may not approve it'],
])('a rule stands for its author alone: %s', async (_, approval, ignored) => {
  const [world, ran] = [new World(), [] as string[]]
  const a = await world.process('a', desk(ran, {}, { approval: { ...mayRelax, ...approval } }))
  await saved(a, {}, 'ada')
  expect(await a.runtime.send('c', 'Mail Ada', { by: 'ada' })).toMatchObject({ status: 'held' })
  expect(judged(await world.log())).toMatchObject([{ decision: { ignored: expect.stringContaining(ignored) } }])
})

test('a rule of a named approver stands for them, with the groups that they had when they saved it', async () => {
  const [world, ran] = [new World(), [] as string[]]
  const approval = { ...mayRelax, approvers: { anyOf: ['group:finance'], notRequester: true } }
  const a = await world.process('a', desk(ran, {}, { approval }))
  const grace = { id: 'grace', kind: 'person', groups: ['finance'] } as const
  await saved(a, {}, 'ada')
  await a.runtime.rules.save(about(), { by: grace })
  expect(await a.runtime.send('c', 'Mail Ada', { by: 'ada' })).toMatchObject({ status: 'done' })
})

test('a rule of a program stands for that program, and the list says that its author is one', async () => {
  const [world, ran] = [new World(), [] as string[]]
  const approval = { ...mayRelax, approvers: { anyOf: ['group:finance'] } }
  const a = await world.process('a', desk(ran, {}, { approval }))
  await a.runtime.rules.save(about(), { by: { id: 'key:bot', kind: 'program' } })
  expect(await a.runtime.send('c', 'Mail Ada', { by: 'ada' })).toMatchObject({ status: 'held' })
  await a.runtime.rules.save(about(), { by: { id: 'key:desk', kind: 'program', groups: ['finance'] } })
  expect(await a.runtime.send('d', 'Mail Ada', { by: 'ada' })).toMatchObject({ status: 'done' })
  const authors = (await a.runtime.rules.list()).items.map(({ author }) => `${author.kind} ${author.id}`)
  expect(authors.toSorted()).toEqual(['program key:bot', 'program key:desk'])
})

test('a deny ends the call before its gate is asked, and the model reads which rule it was', async () => {
  const [world, ran, asked] = [new World(), [] as string[], [] as string[]]
  const approval = (): boolean => (asked.push('gate'), false)
  const a = await world.process('a', desk(ran, {}, { approval }))
  await saved(a, { effect: 'deny' })
  expect(await a.runtime.send('c', 'Mail Ada')).toMatchObject({ status: 'done' })
  const message = 'A rule denies this call. Deny email.send when to is "ada@acme.test".'
  expect(Object.values(outcomes(await world.log()))).toEqual([{ ok: false, error: { code: 'denied', message } }])
  expect([ran, asked]).toEqual([[], []])
})

test('a rule can ask about a tool without a gate, and keeps the approvers of one with a gate', async () => {
  const [world, ran] = [new World(), [] as string[]]
  const free = await world.process('a', desk(ran, {}, { approval: 'auto' }))
  await saved(free, { effect: 'ask' })
  expect(await free.runtime.send('c', 'Mail Ada', { by: 'ada' })).toMatchObject({ status: 'held' })
  await free.runtime.approve('c', await heldId(free, 'email.send'), { by: 'grace' })
  await world.until(() => ran.length === 1)
  const strict = await world.process('b', desk(ran, {}, { approval: { required: true, approvers: 2 } }))
  await strict.runtime.send('d', 'Mail Ada', { by: 'ada' })
  const [hold] = (await strict.runtime.pending({ conversationId: 'd' })).items
  expect(hold).toMatchObject({ missing: 2, reason: 'Ask a person about email.send when to is "ada@acme.test".' })
})

test('a rule in shadow mode decides nothing, and the log has what it would have decided', async () => {
  const [world, ran] = [new World(), [] as string[]]
  const a = await world.process('a', desk(ran))
  const id = await saved(a, { shadow: true })
  expect(await a.runtime.send('c', 'Mail Ada')).toMatchObject({ status: 'held' })
  expect(judged(await world.log())).toEqual([
    expect.objectContaining({ shadow: expect.objectContaining({ effect: 'allow', rule: { id, version: 1 } }) }),
  ])
  expect(await a.runtime.rules.find(id)).toMatchObject({ used: 1 })
})

test('a rule is for one tenant', async () => {
  const [world, ran] = [new World(), [] as string[]]
  const a = await world.process('a', desk(ran))
  await a.runtime.tenant('acme').rules.save(about(), { by: 'grace' })
  expect(await a.runtime.send('c', 'Mail Ada')).toMatchObject({ status: 'held' })
  expect(await a.runtime.tenant('acme').send('c', 'Mail Ada')).toMatchObject({ status: 'done' })
  expect((await a.runtime.rules.list()).items).toEqual([])
})

test('a change needs the version that its author saw, and adds one', async () => {
  const world = new World()
  const a = await world.process('a', desk([]))
  const id = await saved(a, { uses: 2 })
  const change = about({ uses: 5 })
  expect(await a.runtime.rules.save(change, { by: 'bob', id, version: 1 })).toMatchObject({
    ok: true,
    rule: { version: 2 },
  })
  expect(await a.runtime.rules.save(change, { by: 'eve', id, version: 1 })).toMatchObject({ refusal: 'rule-changed' })
  expect(await a.runtime.rules.save({ ...change, tool: 'other' }, { by: 'bob', id })).toMatchObject({
    refusal: 'rule-invalid',
  })
  expect(await a.runtime.rules.save(change, { by: 'bob', id: 'email.send~none' })).toMatchObject({
    refusal: 'rule-missing',
  })
  expect((await a.runtime.rules.list({ search: 'GRACE' })).items).toEqual([])
  expect((await a.runtime.rules.list({ search: 'bob' })).items).toMatchObject([
    { id, version: 2, author: { id: 'bob' } },
  ])
})

test('explain says which rule or gate decided each call, and why', async () => {
  const [world, ran] = [new World(), [] as string[]]
  const says = [
    { calls: [...sends('ada@acme.test').calls, ...sends('bob@acme.test').calls, { name: 'email.send', input: {} }] },
    'Done.',
  ]
  const a = await world.process('a', desk(ran, { says }))
  const id = await saved(a)
  await saved(a, { when: [{ at: '/to', prefix: 'bob@' }], shadow: true })
  expect(await a.runtime.send('c', 'Mail them')).toMatchObject({ status: 'held' })
  expect((await a.runtime.explain('c'))?.steps[0]?.calls).toMatchObject([
    { decidedBy: 'rule', decision: 'run', why: 'Allow email.send when to is "ada@acme.test".', rule: { rule: { id } } },
    { decidedBy: 'gate', decision: 'ask', why: 'The tool requires an approval.', shadow: { effect: 'allow' } },
    { decidedBy: 'check', decision: 'deny', why: expect.stringContaining('to') },
  ])
})
