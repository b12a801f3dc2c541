import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from '@hono/node-server'
import { checkIsolation } from '../../test/kit/check-isolation.ts'

const folder = mkdtempSync(join(tmpdir(), 'embed-hono-'))
process.env['STORE'] = join(folder, 'assistant.db')
const { app, close } = await import('./app.ts')

const server = serve({ fetch: app.fetch, port: 0, hostname: 'localhost' })
await once(server, 'listening')
const origin = `http://localhost:${(server.address() as AddressInfo).port}`
await checkIsolation({ origin, prefix: '/assistant', call: (path, init) => fetch(origin + path, init) })

await close()
server.close()
rmSync(folder, { recursive: true })
