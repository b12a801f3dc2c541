/** Creates one object of each kind in a tenant, for the rows of the contract. */
import type { Kit, Tenant } from './kit.ts'
import { Lines, shipping } from './kit.ts'

export interface Fixtures {
  /** An idle conversation. */
  readonly talk: string
  /** A conversation that waits for an approval, and its call. */
  readonly refund: { readonly id: string; readonly callId: string }
  /** A conversation that waits for a worker; its call is claimed. */
  readonly shipped: { readonly id: string; readonly callId: string; readonly runId: string; readonly claim: string }
  /** An agent created from JSON. */
  readonly agent: string
  /** A rule that allows refunds of 5 euros. */
  readonly rule: { readonly id: string; readonly version: number; readonly fingerprint: string }
  /** The id of an unused key. */
  readonly keyId: string
  /** A person who is listed. */
  readonly person: string
  /** A space owned by Ada, with the agent and a call that asks her. */
  readonly space: { readonly id: string; readonly said: number; readonly callId: string }
  /** A plan of the agent helper. */
  readonly plan: string
  /** A registered browser of the person. */
  readonly device: string
  /** A message to the person that was given up. */
  readonly delivery: string
  /** A webhook with one delivery. */
  readonly webhook: { readonly id: string; readonly delivery: string }
  readonly trigger: string
  /** An uploaded file. */
  readonly file: string
}

export async function createFixtures(kit: Kit, tenant: Tenant): Promise<Fixtures> {
  const { ask } = kit
  const say = (id: string, content: string): ReturnType<Kit['ask']> =>
    ask('POST', `/api/conversations/${id}/messages?wait=5`, { tenant, body: { content } })
  await say('talk', 'hello')
  const held = await say('refunded', 'refund 5')
  const callId = await shipping(kit, 'shipped', tenant)
  const claimed = await ask('POST', '/api/calls/claim', { tenant, as: 'worker', body: { tools: ['ship'] } })
  await ask('POST', '/api/agents', { tenant, body: { name: 'helper', tools: [] } })
  const key = await ask('POST', '/api/keys', { tenant, body: { name: 'spare', scopes: ['reader'] } })
  await ask('PUT', `/api/people/${tenant}-pat`, { tenant, body: { groups: ['finance'] } })
  const { fingerprint } = held.body.result.holds[0]
  const when = [{ at: '/euros', equals: 5 }]
  const rule = await ask('POST', '/api/rules', { tenant, body: { effect: 'allow', tool: 'refund', fingerprint, when } })
  await ask('PUT', `/api/people/${tenant}-pat/channels`, { tenant, body: { addresses: { email: 'pat@acme.test' } } })
  const trigger = await ask('POST', '/api/triggers', { tenant, body: { agent: 'desk', name: 'order' } })
  const file = await ask('POST', '/api/files', { tenant, body: new Lines('{}') })
  const webhook = await webhookOf(kit, tenant)
  const { id: device = '' } =
    (await kit.channels.people.addDevice(tenant, `${tenant}-pat`, {}, { resolver: false })) ?? {}
  const delivery = await deliveryOf(kit, tenant)
  const space = await spaceOf(kit, tenant)
  return {
    talk: 'talk',
    refund: { id: 'refunded', callId: held.body.result.holds[0].callId },
    shipped: { id: 'shipped', callId, runId: callId.split('.')[0] ?? '', claim: claimed.body.items[0].claim },
    agent: 'helper',
    rule: { ...rule.body, fingerprint },
    keyId: key.body.id,
    person: `${tenant}-pat`,
    device,
    delivery,
    space,
    plan: 'stretch',
    webhook,
    trigger: trigger.body.id,
    file: file.body.id,
  }
}

/** With a delivery that is not sent. */
async function deliveryOf({ store }: Kit, tenant: Tenant): Promise<string> {
  const copy = { tenant, conversationId: 'talk', callId: 'c', hold: 1, person: `${tenant}-pat`, channel: 'browser' }
  const id = `copy/${tenant}/talk/c/1/${tenant}-pat/browser`
  const data = {
    id,
    group: 'channel browser',
    what: { copy },
    attempts: 1,
    dueAt: 0,
    claimedUntil: 0,
    error: 'No such user.',
  }
  await store.put({ tenant: '', kind: 'channels.failed-task', id, data })
  return id
}

async function webhookOf({ channels }: Kit, tenant: Tenant): Promise<Fixtures['webhook']> {
  const { id } = await channels.webhooks.create(tenant, { url: 'https://127.0.0.1:9/receiver' })
  const news = { type: 'turn.ended', turnId: 't', reason: 'completed' } as const
  const data = { tenant, conversationId: 'talk', turnId: 't', reason: 'completed' }
  const event = { type: 'turn.ended', timestamp: '2030-01-01T00:00:00Z', data } as const
  await channels.webhooks.tasksFor({ id: '1/talk', tenant, conversationId: 'talk', at: 1, news }, event)
  const { items } = await channels.webhooks.deliveries(tenant, id)
  return { id, delivery: items[0]?.id ?? '' }
}

async function spaceOf({ ask, runtime }: Kit, tenant: Tenant): Promise<Fixtures['space']> {
  const ada = { kind: 'human', id: 'ada' }
  const members = [{ member: { kind: 'agent', id: 'desk' } }]
  await ask('POST', '/api/spaces', { tenant, body: { id: 'room', name: 'Room', by: 'ada', members } })
  const said = await ask('POST', '/api/spaces/room/messages', { tenant, body: { text: 'in room ask size', from: ada } })
  await ask('POST', '/api/agents/desk/plans', { tenant, body: { id: 'stretch', what: 'Stretch', runAfter: '1 day' } })
  const items = runtime.tenant(tenant).subscribe('room')
  for await (const item of items)
    if (item.type === 'tool.started') return { id: 'room', said: said.body.seq, callId: item.toolCallId }
  throw new Error('The agent made no call.')
}
