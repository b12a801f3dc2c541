/**
 * `npm start`: the gateway with the console on a SQLite store, two demo agents, a space with you and both agents, and a
 * worker for external calls. Environment variables override these settings.
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
if (isDemo) console.log(`To see that a waiting call survives a kill: kill -9 ${process.pid}`)
// The gateway refuses unknown settings, so remove those of the demo and of the tests.
const settings = Object.entries(process.env).filter(([name]) => !/^HOLDPOINT_(?:MODEL$|TEST_)/.test(name))
const { served, stop } = await startGatewayCommand(
  {
    PORT: '4040',
    HOLDPOINT_APP: join(root, 'examples/start/app.ts'),
    HOLDPOINT_STORE: join(root, '.cache/holdpoint.db'),
    // Without HOST and HOLDPOINT_HOSTS only this machine can connect, so the printed address signs the console in without a key.
    ...(!process.env['HOST'] && !process.env['HOLDPOINT_HOSTS'] && { HOLDPOINT_CONSOLE: 'open' }),
    ...Object.fromEntries(settings),
  },
  { tour: isDemo },
)
const { keys } = served.gateway
// Revoke the key of the worker of an earlier start: that worker has ended.
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
