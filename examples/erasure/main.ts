import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from '@holdpoint/gateway'
import { paths } from '@holdpoint/protocol'
import { scriptedModel } from '@holdpoint/testing'
import { agent, holdpoint, openStore, type HoldpointOptions, type QuotaReached, type Quotas } from 'holdpoint'

const folder = mkdtempSync(join(tmpdir(), 'erasure-'))
const store = await openStore(join(folder, 'desk.db'))
const model = scriptedModel(['Your order is on its way.', 'Hello Ben.'])

// #region retention
const desk = agent({ name: 'desk', model, eraseAfter: '90 days' })
// An option of holdpoint(). Where an agent has a time of its own, the shorter one counts.
const eraseAfter: HoldpointOptions['eraseAfter'] = ({ tenant }) => (tenant === 'clinic' ? '30 days' : undefined)
// #endregion

// #region quotas
const quotas = (tenant: string): Quotas =>
  tenant === 'trial'
    ? { conversations: 100, storedBytes: 50_000_000, modelCallsPerMinute: 20, plans: 5 }
    : { modelCallsPerMinute: 600 }
// #endregion

// #region reached
// Use the counter of your metrics library in place of the map.
const reached = new Map<string, number>()
const onQuotaReached = ({ quota, effect }: QuotaReached): void => {
  const labels = `${quota} ${effect}`
  reached.set(labels, (reached.get(labels) ?? 0) + 1)
}
// #endregion
const runtime = await holdpoint({ store, agents: [desk], eraseAfter, quotas, onQuotaReached })

// #region erase
await runtime.send('order-17', 'Where is my order? I am Ada, of 12 Hill Road.', { by: 'ada' })
const erased = await runtime.erase('order-17', { by: 'operator', reason: 'request 12' })
const [only] = await runtime.events('order-17') // { type: 'conversation.erased', by: 'operator', reason: 'request 12', … }
const refused = await runtime.send('order-17', 'Hello?') // { status: 'refused', reason: 'erased', … }
// #endregion
assert.deepEqual(erased, { ok: true })
assert.equal(only?.type, 'conversation.erased')
assert.equal(refused.reason, 'erased')

let key = ''
const server = await serve({ runtime, store, agents: [desk], port: 0, firstKey: (first) => (key = first) })
await runtime.send('order-18', 'Hello', { by: 'ben' })

// #region export
const response = await fetch(server.url + paths.personExport('ben'), { headers: { authorization: `Bearer ${key}` } })
const lines = (await response.text()).trimEnd().split('\n')
for (const line of lines) console.log(JSON.parse(line).type)
// #endregion
assert.ok(lines.some((line) => line.includes('Hello Ben.')))

await server.close()
await runtime.close()
await store.close()
rmSync(folder, { recursive: true })
