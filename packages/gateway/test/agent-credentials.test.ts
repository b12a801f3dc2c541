/** Only an admin sees the credentials in the definition of an agent. */
import { afterEach, expect, test } from 'vitest'
import { withoutCredentials } from '../src/without-credentials.ts'
import { kit, type Kit } from './kit.ts'

const open: Kit[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const request = {
  url: 'https://ada:pass-word@api.acme.test/hooks/T0KEN-OF-THE-HOOK/{order}?token=t0ken&order={order}',
  headers: { Authorization: 'Bearer plain-value', 'X-Key': { $secret: 'ORDERS_KEY' } },
}
const inputSchema = { type: 'object', properties: { headers: { type: 'string' } } }
const config = {
  name: 'clerk',
  tools: [{ name: 'orders.get', description: 'Get', inputSchema, executionType: 'gateway', execution: request }],
  mcpServers: [{ name: 'tracker', ...request }],
  mcp: { servers: [{ name: 'tracker', ...request }] },
}

test('a reader sees the header names and origins of an agent, but no values and no names of secrets', async () => {
  const here = await kit()
  open.push(here)
  expect((await here.ask('POST', '/api/agents', { body: config })).status).toBe(201)
  for (const as of ['reader', 'agent'] as const) {
    const one = (await here.ask('GET', '/api/agents/clerk', { as })).body
    const [, listed] = (await here.ask('GET', '/api/agents', { as })).body.items
    for (const { config: shown } of [one, listed]) {
      expect(JSON.stringify(shown)).not.toMatch(/plain-value|t0ken|pass-word|ORDERS_KEY/i)
      const hidden = {
        url: 'https://api.acme.test/[hidden]',
        headers: { Authorization: '[hidden]', 'X-Key': { $secret: '[hidden]' } },
      }
      expect(shown).toEqual({
        name: 'clerk',
        tools: [{ ...config.tools[0], execution: hidden }],
        mcpServers: [{ name: 'tracker', ...hidden }],
        mcp: { servers: [{ name: 'tracker', ...hidden }] },
      })
    }
  }
  expect((await here.ask('GET', '/api/agents/clerk')).body.config, 'an admin can change what it reads').toEqual(config)
})

test.each([
  ['https://api.acme.test', 'https://api.acme.test'],
  ['https://api.acme.test:8443/', 'https://api.acme.test:8443'],
  ['https://{host}/x', 'https://{host}/[hidden]'],
  ['no address', '[hidden]'],
  ['file:///etc/passwd', '[hidden]'],
  ['https://api.acme.test/?key=1', 'https://api.acme.test/[hidden]'],
])('of the address %s a reader sees %s', (url, shown) => {
  const tools = [{ name: 't', execution: { url } }]
  expect(withoutCredentials({ tools })).toEqual({ tools: [{ name: 't', execution: { url: shown } }] })
})
