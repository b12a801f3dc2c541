/**
 * `npm start`: the gateway with the console on the embedded store, two agents to try it with, a space they share with
 * you, and a worker for their external calls. Settings of the environment come first.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { connect } from '@holdpoint/client'
import { openFrontDesk } from '../examples/start/space.ts'
import { parcelWorker } from '../examples/start/worker.ts'
import { startGatewayCommand } from '../packages/gateway/src/start-gateway.ts'
import { buildConsole } from './lib/console.ts'
import { root } from './lib/workspace.ts'

mkdirSync(join(root, '.cache'), { recursive: true, mode: 0o700 })
await buildConsole()
// For the last stop of the tour.
const isDemo = !process.env['HOLDPOINT_APP']
if (isDemo) console.log(`To see that a call which waits survives: kill -9 ${process.pid}`)
// Those of the demo and of the tests are no settings of a gateway.
const settings = Object.entries(process.env).filter(([name]) => !/^HOLDPOINT_(?:MODEL$|TEST_)/.test(name))
const { served, stop } = await startGatewayCommand(
  {
    PORT: '4040',
    HOLDPOINT_APP: join(root, 'examples/start/app.ts'),
    HOLDPOINT_STORE: join(root, '.cache/holdpoint.db'),
    // On this machine the address that is printed lets the console in. With HOST or HOLDPOINT_HOSTS others may come: they need a key.
    ...(!process.env['HOST'] && !process.env['HOLDPOINT_HOSTS'] && { HOLDPOINT_CONSOLE: 'open' }),
    ...Object.fromEntries(settings),
  },
  { tour: isDemo },
)
const { keys } = served.gateway
// The worker of an earlier start went with it.
for (const { id, name } of (await keys.list('', undefined, 1000)).items)
  if (name === 'parcels') await keys.revoke('', id)
const { key } = await keys.create('', { name: 'parcels', scopes: ['worker'], ttlMs: 30 * 86_400_000 })
if (isDemo) {
  const ours = await keys.create('', { name: 'front desk', scopes: ['agent'], ttlMs: 60_000, mayActFor: ['you'] })
  await openFrontDesk(connect({ url: served.url, key: ours.key }))
}
const parcels = parcelWorker(served.url, key)

for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, () => void Promise.allSettled([parcels.stop(), stop()]))
