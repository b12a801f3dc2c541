/**
 * What held conversations cost at rest: `npm run held -- --conversations 20000 --store sqlite` (or `postgres`). Prints bytes on disk
 * for each, how long lists and a look for due work take, and how fast a restored store is marked.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { scriptedModel } from '@holdpoint/testing'
import { agent, holdpoint, markRestored, openStore, tool } from 'holdpoint'
import { Client } from 'pg'
import { z } from 'zod'
import { postgresForTests } from '../test/postgres-server.ts'

const { values } = parseArgs({
  options: { conversations: { type: 'string', default: '20000' }, store: { type: 'string', default: 'sqlite' } },
})
const count = Number(values.conversations)
const folder = mkdtempSync(join(tmpdir(), 'holdpoint-held-'))
const server = values.store === 'postgres' ? await postgresForTests() : undefined
const place = server?.url ?? join(folder, 'desk.db')
const store = await openStore(place)
const pay = tool({
  name: 'pay',
  description: 'Pay an invoice',
  input: z.object({ invoice: z.string(), amount: z.number() }),
  approval: 'required',
  run: () => 'paid',
})
const model = scriptedModel(() => ({
  text: 'I will pay this invoice once a person agrees.',
  calls: [{ name: 'pay', input: { invoice: 'INV-2026-0001', amount: 120 } }],
}))
const runtime = await holdpoint({ store, agents: [agent({ name: 'desk', model, tools: [pay] })] })

async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  const since = performance.now()
  await work()
  print(what, `${(performance.now() - since).toFixed(1)} ms`)
}

function print(what: string, value: string): void {
  process.stdout.write(`${what.padEnd(46)} ${value}\n`)
}

async function bytes(): Promise<number> {
  if (!server) return Number(execFileSync('du', ['-sb', folder], { encoding: 'utf8' }).split('\t')[0])
  const client = new Client(server.url)
  await client.connect()
  try {
    const { rows } = await client.query(
      `select sum(pg_total_relation_size(c.oid)) as bytes from pg_class c
        where relkind = 'r' and relnamespace = 'holdpoint'::regnamespace`,
    )
    return Number((rows[0] as { readonly bytes: string }).bytes)
  } finally {
    await client.end()
  }
}

const before = await bytes()
const since = performance.now()
let next = 0
const lane = async (): Promise<void> => {
  while (next < count) {
    const result = await runtime.send(`c${next++}`, 'Please pay the invoice INV-2026-0001 of 120 euros.')
    if (result.status !== 'held') throw new Error(`not held: ${result.status}`)
  }
}
await Promise.all(Array.from({ length: 64 }, lane))
print('held per second', `${Math.round(count / ((performance.now() - since) / 1000))}`)
print('bytes on disk for each', `${Math.round(((await bytes()) - before) / count)}`)
await timed('the first 50 of all holds', () => runtime.pending({ limit: 50 }))
await timed('the newest 50 conversations', () => runtime.list({ limit: 50 }))
await timed('one look for due work', () => store.due({ limit: 100 }))
await runtime.close()
print('memory of the process', `${Math.round(process.memoryUsage().rss / 1e6)} MB`)
const marking = performance.now()
await markRestored(store)
print('marked per second after a restore', `${Math.round(count / ((performance.now() - marking) / 1000))}`)
await store.close()
await server?.stop()
rmSync(folder, { recursive: true, force: true })
