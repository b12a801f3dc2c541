/** Our face with the tools that the conformance package asks for, behind a gateway whose key a small door in front brings. */
import { serve } from '@hono/node-server'
import { gateway } from '@holdpoint/gateway'
import { holdpoint } from 'holdpoint'
import { mcpFace } from '../../src/index.ts'
import { storeInMemory } from '../kit.ts'
import { fixtures } from './fixtures.ts'

const KEY = 'hp_for_conformance_0123456789abcdefghijklmnop'
const store = storeInMemory()
const face = mcpFace({ store, tools: fixtures, name: 'conformance', patienceMs: 2000, taskAfterMs: 500 })
const runtime = await holdpoint({ store, agents: [face.agent] })
const door = gateway({ runtime, store, mcp: { face }, auth: { keys: [{ key: KEY, scopes: ['agent', 'resolver'] }] } })
const server = serve(
  {
    port: 0,
    hostname: '127.0.0.1',
    fetch: (request) => {
      const headers = new Headers(request.headers)
      headers.set('authorization', `Bearer ${KEY}`)
      return door.fetch(new Request(request, { headers }))
    },
  },
  ({ port }) => process.stdout.write(`http://localhost:${port}/mcp\n`),
)
process.once('SIGTERM', () => {
  server.close()
  process.exit(0)
})
