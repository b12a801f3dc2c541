/** A gateway with an agent that gives money back, if somebody agrees. */
import { agent, holdpoint, memoryStore, tool } from 'holdpoint'
import { z } from 'zod'
import { connect, type Client } from '@holdpoint/client'
import { serve } from '@holdpoint/gateway'
import { scriptedModel } from '@holdpoint/testing'

export async function openDesk(): Promise<{ readonly client: Client; close(): Promise<void> }> {
  const refund = tool({
    name: 'refund',
    description: 'Give money back',
    approval: ({ input }) => ({ required: true, reason: `${input.euros} euros leave the house.` }),
    input: z.object({ euros: z.number() }),
    run: ({ input }) => `${input.euros} euros`,
  })
  const timeZone = tool({
    name: 'browser.time_zone',
    description: 'Where the customer is',
    executor: 'client',
    timeout: '1 min',
    input: z.object({}),
  })
  const model = scriptedModel([
    { calls: [{ name: 'browser.time_zone' }, { name: 'refund', input: { euros: 50 } }] },
    'You have your money back.',
    { calls: [{ name: 'refund', input: { euros: 7 } }] },
    'And seven more.',
  ])
  const agents = [agent({ name: 'desk', model, tools: [refund, timeZone] })]
  const store = memoryStore({ now: Date.now })
  const runtime = await holdpoint({ store, agents })
  const served = await serve({ runtime, store, agents })
  const { key } = await served.gateway.keys.create('', { name: 'example', scopes: ['admin'] })
  return { client: connect({ url: served.url, key }), close: () => served.close() }
}
