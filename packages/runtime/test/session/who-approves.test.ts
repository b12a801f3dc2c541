import { expect, test } from 'vitest'
import { agent, chat, Session, tool, type Tool } from 'holdpoint'
import { proves, scriptedModel, testPorts } from '@holdpoint/testing'
import { z } from 'zod'

const pays = (euros: number) => [{ calls: [{ name: 'pay', input: { euros } }] }, 'Paid.']

function payer(paid: number[], onLost: 'ask' | 'retry' = 'retry'): Tool {
  return tool({
    name: 'pay',
    description: 'Pay a person',
    input: z.object({ euros: z.number() }),
    approval: ({ input }) => ({ required: true, approvers: input.euros > 1000 ? 2 : 1 }),
    onLost,
    run: ({ input }) => paid.push(input.euros),
  })
}

test(
  proves('call.runs-what-was-approved', 'an edit that needs more people than the proposal waits for them'),
  async () => {
    const paid: number[] = []
    const desk = agent({ name: 'desk', model: scriptedModel(pays(500)), tools: [payer(paid)], ports: testPorts() })
    const { session, holds } = await chat(desk, 'Pay')
    const callId = holds[0]!.callId
    const edit = { input: { euros: 9999 } }

    expect(await session.approve(callId, { ...edit, by: 'ann' })).toMatchObject({ verdict: 'accepted', remaining: 1 })
    expect(await session.approve(callId, { ...edit, by: 'ann' })).toMatchObject({ verdict: 'duplicate', remaining: 1 })
    await session.continue()
    expect(paid).toEqual([])

    expect(await session.approve(callId, { ...edit, by: 'bob' })).toMatchObject({ verdict: 'accepted', remaining: 0 })
    await session.continue()
    expect(paid).toEqual([9999])
  },
)

test('a lost call that needed two people needs two again, whatever they make of it', async () => {
  const paid: number[] = []
  const desk = agent({
    name: 'desk',
    model: scriptedModel(pays(5000)),
    tools: [payer(paid, 'ask')],
    ports: testPorts(),
  })
  const { session, holds } = await chat(desk, 'Pay')
  for (const by of ['ann', 'bob']) await session.approve(holds[0]!.callId, { by })
  await session.continue()
  const { id, version, events } = session.toJSON()
  const died = events.slice(0, events.findIndex((event) => event.type === 'call.started') + 1)

  const next = agent({ name: 'desk', model: scriptedModel(['Paid.']), tools: [payer(paid, 'ask')], ports: testPorts() })
  const reopened = await Session.open(next, { data: { id, version, events: died } })
  expect(await reopened.continue()).toMatchObject({ status: 'held', holds: [{ cause: 'lost', approvers: 2 }] })
  expect(await reopened.approve(holds[0]!.callId, { by: 'eve', input: { euros: 1_000_000 } })).toMatchObject({
    remaining: 1,
  })
  await reopened.continue()
  expect(paid).toEqual([5000])
})
