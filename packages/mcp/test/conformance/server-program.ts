/** Our own MCP server with the tools that the conformance package expects, behind a gateway. A proxy in front adds the key. */
import { serve } from '@hono/node-server'
import { gateway } from '@holdpoint/gateway'
import { holdpoint } from 'holdpoint'
import { createMcpServer } from '../../src/index.ts'
import { storeInMemory } from '../kit.ts'
import { fixtures } from './fixtures.ts'

const KEY = 'hp_for_conformance_0123456789abcdefghijklmnop'
const store = storeInMemory()
const ownServer = createMcpServer({ store, tools: fixtures, name: 'conformance', patienceMs: 2000, taskAfterMs: 500 })
const runtime = await holdpoint({ store, agents: [ownServer.agent] })
const door = gateway({
  runtime,
  store,
  mcp: { ownServer },
  auth: { keys: [{ key: KEY, scopes: ['agent', 'resolver'] }] },
})
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
