import assert from 'node:assert/strict'
import { connect } from '@holdpoint/client'
import { authorize, gateway, type ApplicationSession } from '@holdpoint/gateway'
import { scriptedModel } from '@holdpoint/testing'
import { agent, holdpoint, memoryStore, tool } from 'holdpoint'
import { z } from 'zod'

const external = { executor: 'external', timeout: '1 day', input: z.object({}) } as const
const ship = tool({ name: 'ship', description: 'Ship a parcel', ...external })
const pay = tool({ name: 'pay', description: 'Pay an invoice', ...external })
const model = scriptedModel(({ prompt }) => {
  const last = prompt.at(-1)
  if (last?.role === 'tool') return 'Done.'
  return JSON.stringify(last).includes('parcel') ? { calls: [{ name: 'ship' }, { name: 'pay' }] } : 'Hello.'
})
const agents = [agent({ name: 'desk', model, tools: [ship, pay] })]
const store = memoryStore()
const runtime = await holdpoint({ store, agents })

const sessions: Readonly<Record<string, ApplicationSession>> = {
  ada: { id: 'ada', tenant: 'acme' },
  ben: { id: 'ben', tenant: 'acme' },
  lea: { id: 'lea', tenant: 'acme', groups: ['leads'] },
  ana: { id: 'ana', tenant: 'acme', scopes: ['reader', 'conversations:read-all'] },
  grace: { id: 'grace', tenants: ['staff', 'acme', 'umbrella'], scopes: ['resolver', 'reader'] },
}

// #region authorize
const api = gateway({
  runtime,
  store,
  agents,
  auth: { authenticate: ({ headers }) => sessions[headers.get('x-session') ?? ''] }, // your own login
  authorize: (caller, action, resource) =>
    authorize(caller, action, resource) || // the default rules
    (action === 'conversation.read' && caller.groups.includes('leads')),
})
// #endregion

const url = 'http://localhost'
const program = (key: string) => connect({ url, key, fetch: (to, init) => api.fetch(new Request(to, init)) })
const person = (name: string) =>
  connect({
    url,
    session: true,
    fetch: (to, init) => {
      const headers = new Headers(init.headers)
      headers.set('x-session', name)
      return api.fetch(new Request(to, { ...init, headers }))
    },
  })
const [ada, ben, lea, ana, grace] = ['ada', 'ben', 'lea', 'ana', 'grace'].map(person) as [
  ReturnType<typeof person>,
  ReturnType<typeof person>,
  ReturnType<typeof person>,
  ReturnType<typeof person>,
  ReturnType<typeof person>,
]
const status = (asked: Promise<unknown>) =>
  asked.then(
    () => 'allowed',
    ({ status: code }: { readonly status: number }) => code,
  )

// #region owner
await ada.conversations.send('c1', 'Hello', { wait: 10 }) // ada is the owner
console.log('ben:', await status(ben.conversations.view('c1')))
await ada.conversations.changeParticipants('c1', { add: ['ben'] })
console.log('ben, a participant:', await status(ben.conversations.view('c1')))
console.log('lea, a lead:', await status(lea.conversations.view('c1')))
console.log('ana, who reads all:', await status(ana.conversations.view('c1')))
console.log('ana writes:', await status(ana.conversations.send('c1', 'Hi')))
// #endregion

// #region keys
const crm = await api.keys.create('acme', { name: 'crm', scopes: ['agent'], mayActFor: ['ada', 'ben'] })
const shipper = await api.keys.create('acme', { name: 'shipper', scopes: ['worker'], tools: ['ship'] })
// #endregion

// #region act-for
await program(crm.key).conversations.send('c2', 'Where is my parcel?', { by: 'ada' })
const [first] = await runtime.tenant('acme').events('c2')
console.log(first?.type === 'turn.started' && JSON.stringify(first.items[0]))
console.log('for lea:', await status(program(crm.key).conversations.send('c3', 'Hello', { by: 'lea' })))
// #endregion

const held = async (): Promise<readonly string[]> =>
  (await ada.holds.list({ conversationId: 'c2' })).items.map(({ name }) => name)
while ((await held()).length < 2) await new Promise((resolve) => setImmediate(resolve))

// #region worker
console.log('the shipper sees:', (await program(shipper.key).holds.list()).items.map(({ name }) => name).join())
console.log('and claims a payment:', await status(program(shipper.key).calls.claim({ tools: ['pay'] })))
// #endregion

// #region tenants
const inbox = await grace.holds.list({ tenants: 'all', limit: 20 })
for (const { tenant, name } of inbox.items) console.log(tenant, name)
const [call] = inbox.items
if (call?.tenant !== undefined) {
  const { conversationId, callId, tenant } = call
  console.log((await grace.holds.answer(conversationId, callId, 'sent', { tenant })).verdict)
}
console.log('not hers:', await status(grace.holds.list({}, { tenant: 'initech' })))
// #endregion

assert.deepEqual(await held(), ['pay'])
await api.close()
await runtime.close()
