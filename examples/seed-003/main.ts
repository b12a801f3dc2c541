/** The tools of seed 003 (C): typed input and output, state, services, a plugin that prepares, approval of both kinds. */
import assert from 'node:assert/strict'
import { scriptedModel } from '@holdpoint/testing'
import { agent, chat, definePlugin, Services, Session, tool } from 'holdpoint'
import { z } from 'zod'
import { reminderPlugin } from './reminders/reminder-plugin.ts'
import { ReminderStore } from './reminders/reminder-store.ts'

console.log('tools of a plugin, with state and a service:')
const store = new ReminderStore()
store.insert({ id: 'r1', title: 'Water the plants', when: { type: 'cron', value: '0 9 * * 1' } })
const services = new Services().set(ReminderStore, store)
const model = scriptedModel([
  { calls: [{ name: 'reminder.search', input: { query: 'plants' } }] },
  { calls: [{ name: 'reminder.open', input: { id: 'r1' } }] },
  { calls: [{ name: 'reminder.current.update', input: { title: 'Water the trees' } }] },
  { calls: [{ name: 'reminder.create', input: { title: 'Dentist', when: { type: 'once', value: '2027-01-08' } } }] },
  { calls: [{ name: 'reminder.delete', input: { id: 'r9' } }] }, // the model reads the error and continues
  'Done.',
])
const desk = agent({ name: 'desk', model, plugins: [reminderPlugin], services })
const { steps, session } = await chat(desk, 'Change the plants to trees, and remind me of the dentist')
for (const { calls } of steps) for (const { name, outcome } of calls) console.log(' ', name, JSON.stringify(outcome))
assert.deepEqual(
  steps.map(({ calls }) => calls[0]?.outcome?.ok),
  [true, true, true, true, false, undefined],
)
assert.deepEqual(
  [...store.rows.values()].map(({ title }) => title),
  ['Water the trees', 'Dentist'],
)
assert.deepEqual(session.state.plugins, { reminder: { current: 'r1' } })

// What the model got: JSON Schema with a description of each field, and the available tools.
const shown = model.requests.map(({ tools }) => tools.map(({ name }) => name))
assert.ok(!shown[1]?.includes('reminder__current__update') && shown[2]?.includes('reminder__current__update'))
const create = model.requests[0]?.tools.find(({ name }) => name === 'reminder__create')
assert.match(JSON.stringify(create), /"description":"An ISO date for once, a cron line for cron"/)

console.log('\napproval, always and by what the call is about:')
class Allowlist {
  readonly hosts = new Set(['docs.example.org'])
}
const allowHost = tool({
  name: 'web.allow',
  description: 'Put a host on the list of those that may be read',
  input: z.object({ host: z.string().toLowerCase() }),
  output: z.object({ host: z.string(), added: z.boolean() }),
  approval: { required: true, reason: 'The host may be read from then on, without a question' },
  run: ({ input: { host }, services }) => {
    const { hosts } = services.get(Allowlist)
    return { host, added: !hosts.has(host) && hosts.add(host).has(host) }
  },
})
const fetched: string[] = []
const readPage = tool({
  name: 'web.read',
  description: 'Read a page',
  input: z.object({ url: z.url() }),
  output: z.object({ text: z.string() }),
  approval: async ({ input, services }) => {
    const { hostname } = new URL(input.url)
    return { required: !services.get(Allowlist).hosts.has(hostname), reason: `${hostname} is not on the list` }
  },
  run: ({ input }) => (fetched.push(input.url), { text: `the words of ${input.url}` }),
})
// A plugin with a fixed set of tools needs only their list.
const web = definePlugin({ id: 'web', tools: [allowHost, readPage] })
const batch = {
  calls: [
    { name: 'web.read', input: { url: 'https://docs.example.org/a' } },
    { name: 'web.read', input: { url: 'https://news.example.org/b' } },
    { name: 'web.allow', input: { host: 'News.example.org' } },
  ],
}
const reader = agent({ name: 'reader', model: scriptedModel([batch, 'Read.']), plugins: [web] })
const reading = Session.begin(reader)
for await (const item of reading.stream('Read both'))
  if (item.type === 'call.held') console.log('  approval requested:', item.hold.reason) // tell a user interface here
assert.deepEqual([reading.status, fetched], ['awaiting_user', ['https://docs.example.org/a']])

const [page, host] = reading.holds
const saved = JSON.parse(JSON.stringify(reading)) as never // the loop is paused, and its state is plain data
const later = await Session.open(reader, { data: saved })
await later.approve(page?.callId ?? '', { by: 'ada' })
assert.equal((await later.continue()).status, 'held') // the other call of the batch still waits
await later.reject(host?.callId ?? '', 'Once was enough', { by: 'ada' })
const read = await later.continue()
for (const { name, outcome } of read.steps[0]?.calls ?? []) console.log(' ', name, JSON.stringify(outcome))
assert.equal(read.text, 'Read.')
assert.equal(fetched.length, 2)
