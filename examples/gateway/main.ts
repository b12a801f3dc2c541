import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from '@holdpoint/gateway'
import { decodeStream, paths, SseDecoder } from '@holdpoint/protocol'
import type { ClaimedCall, ListOf, Resolved, Sent } from '@holdpoint/protocol'
import { scriptedModel } from '@holdpoint/testing'
import { agent, holdpoint, openStore, tool } from 'holdpoint'
import { z } from 'zod'

const folder = mkdtempSync(join(tmpdir(), 'gateway-'))

// #region agent
const ship = tool({
  name: 'ship',
  streaming: true,
  description: 'Send a parcel',
  executor: 'external', // a worker runs it
  approval: 'required', // after a person has approved it
  timeout: '1 h',
  input: z.object({ to: z.string() }),
  output: z.object({ parcel: z.string() }),
})
const model = scriptedModel([{ calls: [{ name: 'ship', input: { to: 'Ada' } }] }, 'Your parcel is on its way.'])
const agents = [agent({ name: 'desk', model, tools: [ship] })]
// #endregion

// #region serve
const store = await openStore(join(folder, 'desk.db')) // or postgres://…, for any number of gateways
const runtime = await holdpoint({ store, agents })
let key = ''
const server = await serve({
  runtime,
  store,
  agents,
  firstKey: (first) => (key = first), // printed once, by the command
})
// #endregion

// #region use
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
const post = async <T>(path: string, body: object, more: object = {}): Promise<T> => {
  const request = { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(body) }
  return (await (await fetch(server.url + path, request)).json()) as T
}
const { result } = await post<Sent>(
  `${paths.messages('order-17')}?wait=10`,
  { content: 'Where is my parcel?', by: 'ada' },
  { 'idempotency-key': 'mail-4711' },
)
const [hold] = result?.holds ?? []
const callId = hold?.callId ?? ''
console.log(result?.status, hold?.kind)
console.log((await post<Resolved>(paths.resolve('order-17', callId), { kind: 'approve', by: 'grace' })).verdict)
// #endregion

// #region worker
const { items } = await post<ListOf<ClaimedCall>>(paths.claim(), { tools: ['ship'], wait: 10 })
for (const { callId: id, claim, name } of items) {
  await post(paths.callProgress(id), { claim, value: 'packing' }) // renews the claim and sends progress to subscribers
  console.log((await post<Resolved>(paths.callResult(id), { claim, result: { parcel: `${name}-1` } })).verdict)
}
// #endregion

// #region follow
const decoder = new SseDecoder()
const stream = await fetch(server.url + paths.events('order-17'), {
  headers: { ...headers, accept: 'text/event-stream', 'last-event-id': '1' }, // the last event that was received
})
const seen: string[] = []
reading: for await (const bytes of stream.body ?? []) {
  for (const message of decoder.push(new TextDecoder().decode(bytes))) {
    const item = decodeStream(message)
    if (item?.kind !== 'event') continue // otherwise a frame: a piece of text, progress
    seen.push(`${item.event.seq} ${item.event.type}`)
    if (item.event.type === 'model.replied' && item.event.step === 2) break reading
  }
}
console.log(seen.join('\n'))
// #endregion

await server.close()
await store.close()
rmSync(folder, { recursive: true })
assert.deepEqual(seen.slice(-2), ['6 call.settled', '7 model.replied'])
