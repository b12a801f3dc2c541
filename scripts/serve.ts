/**
 * `npm start`: the gateway with the console on the embedded store, two agents to try it with, a space they share with
 * you, and a worker for their external calls. Settings of the environment come first.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '@holdpoint/client'
import { openFrontDesk } from '../examples/start/space.ts'
import { parcelWorker } from '../examples/start/worker.ts'
import { runCommand } from '../packages/gateway/src/run.ts'
import { buildConsole } from './lib/console.ts'
import { root } from './lib/workspace.ts'

mkdirSync(join(root, '.cache'), { recursive: true })
await buildConsole()
// For the last stop of the tour.
if (!process.env['HOLDPOINT_APP']) console.log(`To see that a call which waits survives: kill -9 ${process.pid}`)
const { served, stop } = await runCommand({
  PORT: '4040',
  HOLDPOINT_APP: join(root, 'examples/start/app.ts'),
  HOLDPOINT_STORE: join(root, '.cache/holdpoint.db'),
  // On this machine a page of the console is let in. With HOST or HOLDPOINT_HOSTS set, others may come: they need a key.
  ...(!process.env['HOST'] && !process.env['HOLDPOINT_HOSTS'] && { HOLDPOINT_CONSOLE: 'open' }),
  ...process.env,
})
const { keys } = served.gateway
// The worker of an earlier start went with it.
for (const { id, name } of (await keys.list('', undefined, 1000)).items)
  if (name === 'parcels') await keys.revoke('', id)
const { key } = await keys.create('', { name: 'parcels', scopes: ['worker'], ttlMs: 30 * 86_400_000 })
if (!process.env['HOLDPOINT_APP']) {
  const ours = await keys.create('', { name: 'front desk', scopes: ['agent'], ttlMs: 60_000 })
  await openFrontDesk(connect({ url: served.url, key: ours.key }))
}
const parcels = parcelWorker(served.url, key)

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, () => void Promise.allSettled([parcels.stop(), stop()]))
