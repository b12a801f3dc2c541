/**
 * The flows of seed 002 (B), over HTTP, with the tools of examples/seed-002: a result through the inbox, a result that
 * the agent waits for, one that is late, and a visible tool outside a space.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { connect, holdsOf } from '@holdpoint/client'
import type { SpaceView } from '@holdpoint/spaces/view'
import { serve } from '@holdpoint/gateway'
import { paths } from '@holdpoint/protocol'
import { scriptedModel, type Script } from '@holdpoint/testing'
import {
  agent,
  holdpoint,
  memoryStore,
  tool,
  toolFromConfig,
  type Json,
  type JsonObject,
  type LogEvent,
} from 'holdpoint'
import { z } from 'zod'

const read = (file: string): JsonObject =>
  JSON.parse(readFileSync(new URL(`../seed-002/${file}.json`, import.meta.url), 'utf8')) as JsonObject
const booked: string[] = []
const book = tool({
  name: 'book',
  description: 'Book a room',
  input: z.object({ city: z.string() }),
  run: ({ input }) => (booked.push(input.city), 'a room'),
})
const tools = [
  toolFromConfig(read('async')),
  toolFromConfig(read('internal')),
  toolFromConfig(read('sync-with-timeout')),
  toolFromConfig({ ...read('sync-with-timeout'), name: 'findSlowly', timeout: 300 }),
  book,
]

/** A scripted model: the first calls of a cycle, by the inbox item that woke the agent. Then it ends the cycle. */
const cycles: Readonly<Record<string, readonly { name: string; input: JsonObject }[]>> = {
  'Book a room': [
    { name: 'confirmBooking', input: { question: 'A room for 90?' } },
    { name: 'showChart', input: { prices: [90, 120] } },
  ],
  agreed: [{ name: 'book', input: { city: 'Tokyo' } }],
  'Which projects': [{ name: 'findProjects', input: { state: 'active' } }],
  'Look slowly': [{ name: 'findSlowly', input: {} }],
  nowhere: [{ name: 'showChart', input: {} }],
}
const model = scriptedModel(({ prompt }): Script => {
  const last = prompt.at(-1)
  const woken = last?.role === 'user' ? JSON.stringify(last.parts) : ''
  const key = Object.keys(cycles).find((each) => woken.includes(each))
  return key === undefined ? 'Done.' : { calls: cycles[key] ?? [] }
})

const agents = [agent({ name: 'concierge', model, tools })]
const store = memoryStore()
const runtime = await holdpoint({ store, agents })
const server = await serve({ runtime, store, agents })
const { key } = await server.gateway.keys.create('', { name: 'example', scopes: ['admin'], mayActFor: true })
const client = connect({ url: server.url, key })
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
const from = { kind: 'human', id: 'ada' } as const
await client.spaces.create({
  id: 'trip',
  name: 'Trip',
  by: 'ada',
  members: [{ member: { kind: 'agent', id: 'concierge' } }],
})
await client.agents.trigger('concierge', { name: 'hello' })
const agentLog = client.conversation('agent:concierge') // followed by SSE, as a worker does
const space = client.space('trip')
space.subscribe(() => {})

/** Posts a result as the seed does: by the id of the run and the id of the call. */
async function submit(callId: string, result: Json): Promise<string> {
  const [runId = ''] = callId.split('.')
  const body = JSON.stringify({ callId, result })
  const told = await fetch(server.url + paths.toolResults(runId), { method: 'POST', headers, body })
  return ((await told.json()) as { verdict: string }).verdict
}
/** `waiting`, `pending` or `resolved`. */
async function statusOf(callId: string): Promise<string> {
  const told = await fetch(server.url + paths.call(callId), { headers })
  return ((await told.json()) as { status: string }).status
}
const events = (): Promise<readonly LogEvent[]> => runtime.events('agent:concierge')
const settled = async (callId: string) =>
  (await events()).find((event) => event.type === 'call.settled' && event.callId === callId)
const arrivals = async () => (await events()).filter(({ type }) => type === 'answer.arrived').length
const held = async (name: string): Promise<string> =>
  (await until(agentLog, (view) => holdsOf(view).find((hold) => hold.name === name))).callId
const resting = (turns: number) => until(agentLog, (view) => view.status === 'idle' && view.turns.length === turns)

interface Live<V> {
  readonly view: V
  subscribe(listen: (view: V) => void): () => void
}
function until<V, T>(live: Live<V>, look: (view: V) => T | undefined | false): Promise<T> {
  return new Promise((resolve) => {
    const check = (view: V): void => {
      const found = look(view)
      if (found === undefined || found === false) return
      leave()
      resolve(found)
    }
    const leave = live.subscribe(check)
    check(live.view)
  })
}
/** Waits until the space shows this many calls, and returns them. */
async function shown(...expected: readonly string[]): Promise<void> {
  const calls = ({ messages }: SpaceView) =>
    messages.flatMap((each) => (each.kind === 'tool' ? [`${each.name} ${each.status}`] : []))
  await until(space, (view) => calls(view).join() === expected.join())
}

await resting(1)
console.log('isAsync: the agent goes on, and the result wakes it')
await space.post('Book a room', { from })
await resting(2)
const confirm = holdsOf(agentLog.view)[0]?.callId ?? ''
console.log(' ', JSON.stringify(agentLog.view.turns[1]?.steps[0]?.calls[0]?.outcome), await statusOf(confirm))
await shown('confirmBooking requires_action', 'showChart complete')
console.log('  submitted:', await submit(confirm, { agreed: true }))
await resting(3)
assert.deepEqual([booked, await arrivals(), await statusOf(confirm)], [['Tokyo'], 1, 'resolved'])
await shown('confirmBooking complete', 'showChart complete', 'book complete')

console.log('waited for: the result is there inline')
await space.post('Which projects?', { from })
const find = await held('findProjects')
console.log(' ', await statusOf(find), await submit(find, { from: 'the tracker', results: ['a', 'b', 'c'] }))
await resting(4)
console.log(' ', JSON.stringify(await settled(find).then((event) => event?.type === 'call.settled' && event.outcome)))
assert.equal(await arrivals(), 1) // it did not go through the inbox

console.log('too late: an error first, and then the inbox')
await space.post('Look slowly', { from })
const slow = await held('findSlowly')
await resting(5)
console.log(' ', JSON.stringify(await settled(slow).then((event) => event?.type === 'call.settled' && event.outcome)))
assert.equal(await statusOf(slow), 'pending')
console.log(' ', await submit(slow, { results: [] }), await submit(slow, { results: [] }))
await resting(6)
assert.deepEqual([await arrivals(), await statusOf(slow)], [2, 'resolved'])

console.log('a visible tool outside a space:')
await client.agents.trigger('concierge', { name: 'nowhere' })
await resting(7)
const { outcome } = agentLog.view.turns[6]?.steps[0]?.calls[0] ?? {}
console.log(' ', outcome?.ok === false && outcome.error.message)
assert.match(JSON.stringify(outcome), /is visible but you are not in a space\. Call enter_space first\./)

agentLog.close()
space.close()
await server.close()
