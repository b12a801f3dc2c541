/**
 * What a golden file has: conversations in every state, a space, an autonomous agent with a plan, notes and documents. Deadlines
 * are years away, so that a test in years finds the holds open.
 */
import type { Json, Store } from '@holdpoint/core'
import { agent, later, nodePorts, Runtime, tool } from 'holdpoint'
import { scriptedModel } from '@holdpoint/testing'
import { z } from 'zod'

const DECADES = '9000 days'
const common = { input: z.object({}).loose() }

const look = tool({ name: 'look', description: 'Look', ...common, run: () => ({ found: 3 }) })
const send = tool({
  name: 'send',
  description: 'Send',
  ...common,
  approval: () => ({ required: true, approvers: 2, reason: 'It leaves the company.' }),
  approvalTimeout: DECADES,
  run: () => 'sent',
})
const budget = tool({ name: 'budget', description: 'Ask', executor: 'human', ...common, timeout: DECADES })
const print = tool({ name: 'print', description: 'Print', executor: 'external', ...common, timeout: DECADES })
const ship = tool({
  name: 'ship',
  description: 'Ship',
  executor: 'external',
  ...common,
  timeout: DECADES,
  async: true,
})
const poll = tool({
  name: 'poll',
  description: 'Poll',
  ...common,
  run: () => later({ after: DECADES, state: { nth: 1 } }),
})
const tools = [look, send, budget, print, ship, poll]

/** The model calls the tools that the message names. */
const model = scriptedModel(({ prompt }) => {
  const last = prompt.at(-1)
  const said = last?.role === 'user' ? JSON.stringify(last.parts) : ''
  const calls = tools.filter(({ name }) => said.includes(name)).map(({ name }) => ({ name, input: { nth: 1 } }))
  return calls.length > 0 ? { text: 'One moment.', calls } : 'The end. ✓ \u0000 "quoted"'
})

export async function openDesk(store: Store, tenant = ''): Promise<Runtime> {
  const scout = agent({ name: 'scout', model, tools: [] })
  const runtime = await Runtime.open({
    store,
    agents: [agent({ name: 'desk', model, tools }), scout],
    ports: nodePorts,
    leaseMs: 1000,
  })
  return tenant === '' ? runtime : runtime.tenant(tenant)
}

/** An id that needs encoding. */
export const HELD = 'held ä/% ✓'

export async function fill(store: Store): Promise<void> {
  const desk = await openDesk(store)
  const ask = { agent: 'desk', by: { id: 'ada', kind: 'person' } } as const
  await desk.send('done', 'look', ask)
  await desk.send('done', 'look again', { ...ask, key: 'twice' })
  const { holds } = await desk.send(HELD, 'send', ask)
  await desk.approve(HELD, holds[0]!.callId, { by: { id: 'bob', kind: 'person' } })
  await desk.comment(HELD, holds[0]!.callId, 'Looks fine.', { by: { id: 'bob', kind: 'person' } })
  await desk.send('asked', 'budget and print', ask)
  await desk.send('async', 'ship', ask)
  await desk.send('later', 'poll', ask)
  await desk.send('queue', 'budget', ask)
  await desk.submit('queue', 'And then look', { ...ask, whileBusy: 'queue' })
  await desk.send('erased', 'look', ask)
  await desk.erase('erased', { by: 'ada', reason: 'request 12' })
  await desk.changeParticipants('done', { by: { id: 'ada', kind: 'person' }, add: ['eve'] })
  const member = { kind: 'agent', id: 'scout' } as const
  await desk.spaces.create({ id: 'trip', name: 'Trip', by: { kind: 'human', id: 'ada' }, members: [{ member }] })
  await desk.spaces.post('trip', 'Find a hotel', { from: { kind: 'human', id: 'ada' } })
  await desk.agents.setPlan('scout', { id: 'yearly', what: 'Look around', runAfter: DECADES })
  const acme = desk.tenant('acme')
  await acme.send('done', 'look', ask)
  await acme.send(HELD, 'send', ask)
  await rest(store, 'agent:scout')
  await desk.close()
  await store.note({ tenant: '', id: 'done' }, { kind: 'summary-of-test', seq: 2, at: 5, data: { text: 'ä\u0000' } })
  const until = { ttlMs: 9000 * 86_400_000 }
  await store.put({ tenant: '', kind: 'key', id: 'k/1', data: { scopes: ['read'] }, ...until })
  await store.put({ tenant: '', kind: 'key', id: 'k/2', data: 1 })
  await store.put({ tenant: '', kind: 'key', id: 'k/2', data: 2 })
  await store.put({ tenant: 'acme', kind: 'key', id: 'k/1', data: null })
}

async function rest(store: Store, id: string): Promise<void> {
  for (;;) {
    const { items } = await store.list({ tenant: '', agent: 'scout', limit: 10 })
    if (items.find((row) => row.id === id)?.status === 'idle') return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** Everything that the store has and its contract shows. Agents' plans and leases are in events. */
export async function contentsOf(store: Store): Promise<Json> {
  const { items } = await store.walk({ limit: 1000 })
  const rows = items.toSorted((a, b) => (a.tenant + a.id < b.tenant + b.id ? -1 : 1))
  const logs = []
  for (const { tenant, id, ...row } of rows) {
    const address = { tenant, id }
    const loaded = await store.load(address)
    const summaries = await store.notes(address, { kind: 'summary-of-test', limit: 10 })
    logs.push({ tenant, id, ...row, base: loaded?.base, events: await store.read(address, 0), summaries })
  }
  const tenants = []
  for (const tenant of ['', 'acme']) {
    const [pending, documents] = await Promise.all([
      store.pending({ tenant, limit: 100 }),
      store.documents({ tenant, kind: 'key', limit: 100 }),
    ])
    const shown = await store.list({ tenant, labels: ['person:ada'], limit: 100 })
    tenants.push({
      tenant,
      pending: pending.items,
      documents: documents.items,
      shown: shown.items.map(({ id }) => id).toSorted(),
    })
  }
  const erased = await store.read({ tenant: '', id: 'erased' }, 0)
  const key = (await store.findKey({ tenant: '', id: 'done' }, 'twice')) ?? null
  return JSON.parse(JSON.stringify({ logs, tenants, erased, key })) as Json
}
