/** A person who asks one agent, which asks another, is the requester of what the second agent wants to do. */
import type { Member, Principal } from '@holdpoint/core'
import { proves } from '@holdpoint/testing'
import { tool, type Tool } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { World, type Process, type Setup } from '../../../test/kit/runtime-kit.ts'

const finance = (id: string): Principal => ({ id, kind: 'person', groups: ['finance'] })
const human = (id: string): Member => ({ kind: 'human', id })
const relay: Member = { kind: 'agent', id: 'relay' }
const payer: Member = { kind: 'agent', id: 'payer' }

const pay = tool({
  name: 'pay',
  description: 'Pays.',
  visible: false,
  input: z.object({}),
  approval: { required: true, approvers: { anyOf: ['group:finance'], count: 2 } },
  run: () => 'paid',
})

const SKIP = { calls: [{ name: 'skip' }] }
const PAY = { calls: [{ name: 'pay' }] }
const RELAYS = {
  calls: [
    { name: 'enter_space', input: { space: 'till' } },
    { name: 'send_message', input: { text: 'Pay it now' } },
  ],
}

/** `relay` says "Pay it now" in the space whenever it wakes; `payer` asks to pay when it reads that. */
async function till(world: World, setup: Setup = {}, tools: readonly Tool[] = []): Promise<Process> {
  const one = await world.process('one', {
    agents: ['relay', 'payer'],
    tools: [pay, ...tools],
    says: [({ prompt }) => step(JSON.stringify(prompt))],
    agent: { instructions: '' },
    ...setup,
  })
  await one.runtime.spaces.create({
    id: 'till',
    name: 'Till',
    by: human('ada'),
    members: [relay, payer].map((member) => ({ member })),
  })
  return one
}

function step(prompt: string): object {
  if (prompt.includes('You are the agent \\"relay\\"')) return prompt.includes('Please') ? RELAYS : SKIP
  return prompt.includes('Pay it now') ? PAY : SKIP
}

async function heldPayment(world: World, { runtime }: Process) {
  await world.until(async () => (await runtime.pending({ tool: 'pay' })).items.length > 0)
  const [hold] = (await runtime.pending({ tool: 'pay' })).items
  const approve = async (id: string) =>
    (await runtime.approve('agent:payer', hold?.callId ?? '', { by: finance(id) })).verdict
  return { hold, approve }
}

test(
  proves('approval.distinct-people', 'a person cannot approve what they asked for through another agent'),
  async () => {
    const world = new World()
    const one = await till(world)
    await one.runtime.submit('agent:relay', 'Please pay me', { by: 'cleo' })
    const { hold, approve } = await heldPayment(world, one)

    expect(hold?.askedBy).toEqual([{ via: 'space', by: 'relay', kind: 'agent', space: 'till', requesters: ['cleo'] }])
    expect(await approve('cleo')).toBe('not-allowed')
    expect(await approve('ann')).toBe('accepted')
    expect(await approve('bob')).toBe('accepted')
  },
)

test('a person who asks through a plan or a trigger of an agent is the requester too', async () => {
  const world = new World()
  const later = tool({
    name: 'later',
    description: 'Tells payer later.',
    input: z.object({}),
    visible: false,
    run: async ({ askedBy, call }) => {
      await one.runtime.agents.trigger('payer', { id: call.id, name: 'Pay it now', askedBy })
      return 'told'
    },
  })
  const says = [
    ({ prompt }: { prompt: unknown }) => {
      const text = JSON.stringify(prompt)
      if (!text.includes('You are the agent \\"relay\\"')) return step(text)
      if (text.includes('the plan')) return { calls: [{ name: 'later' }] }
      const plan = { name: 'set_plans', input: { plans: [{ what: 'the plan', runAfter: 1000 }] } }
      return text.includes('Please') ? { calls: [plan] } : SKIP
    },
    SKIP,
  ]
  const one: Process = await till(world, { says }, [later])
  await one.runtime.submit('agent:relay', 'Please pay me', { by: 'cleo' })
  await world.calm()
  await world.pass(2000)
  const { hold, approve } = await heldPayment(world, one)

  expect(hold?.askedBy).toEqual([{ via: 'trigger', requesters: ['cleo'] }])
  expect(await approve('cleo')).toBe('not-allowed')
  expect(await approve('ann')).toBe('accepted')
})

test('what arrives while the agent works is shown to it, so its author is a requester of the call', async () => {
  const world = new World()
  const slow = Promise.withResolvers<string>()
  const wait = tool({ name: 'wait', description: 'w', input: z.object({}), visible: false, run: () => slow.promise })
  let asked = false
  const says = [
    ({ prompt }: { prompt: unknown }) => {
      if (asked) return JSON.stringify(prompt).includes('Meanwhile this arrived') ? PAY : SKIP
      asked = true
      return { calls: [{ name: 'wait' }] }
    },
  ]
  const one = await till(world, { says: [...says, ...says] }, [wait])
  await one.runtime.submit('agent:payer', 'Look around', { by: 'ann' })
  await world.until(() => asked)
  await one.runtime.agents.trigger('payer', { name: 'Pay it now', by: 'cleo' })
  slow.resolve('done')
  const { hold, approve } = await heldPayment(world, one)

  expect(hold?.askedBy).toEqual([
    { via: 'message', by: 'ann' },
    { via: 'inbox', requesters: ['cleo'] },
  ])
  expect([await approve('cleo'), await approve('ann')]).toEqual(['not-allowed', 'not-allowed'])
  expect([await approve('bob'), await approve('eve')]).toEqual(['accepted', 'accepted'])
})

test('when more people asked than an event names, no one may approve', async () => {
  const world = new World()
  const one = await till(world)
  const askedBy = Array.from({ length: 33 }, (_, n) => ({ via: 'message', by: `p${n}` }) as const)
  await one.runtime.agents.trigger('payer', { name: 'Pay it now', askedBy })
  const { hold, approve } = await heldPayment(world, one)

  expect(hold?.askedBy).toEqual([{ via: 'trigger', requesters: 'many' }])
  expect(await approve('ann')).toBe('not-allowed')
  await expect(one.runtime.agents.trigger('payer', { name: 'x', askedBy: ['cleo'] as never })).rejects.toThrow(
    'askedBy',
  )
})
