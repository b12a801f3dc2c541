import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scriptedModel } from '@holdpoint/testing'
import {
  agentFromConfig,
  checkAgentConfig,
  holdpoint,
  HoldpointError,
  schemaChecks,
  type Agent,
  type ConfigEnv,
} from 'holdpoint'

// A service on this machine that repeats the key it was sent, as some services do in their errors.
const keys: (string | undefined)[] = []
const server = createServer(({ headers }, response) => {
  keys.push(headers.authorization)
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ state: 'shipped', debug: `key was ${headers.authorization}` }))
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const port = (server.address() as AddressInfo).port
const folder = mkdtempSync(join(tmpdir(), 'holdpoint-'))

// #region config
const config = `{
  "name": "desk",
  "model": "small",
  "instructions": "You look after orders. Ask before you cancel one.",
  "maxSteps": 5,
  "tools": [
    {
      "name": "order.find",
      "description": "Look up an order",
      "inputSchema": { "type": "object", "properties": { "id": { "type": "string" } }, "required": ["id"] },
      "executionType": "gateway",
      "execution": {
        "url": "http://127.0.0.1:${port}/orders/{id}",
        "headers": { "Authorization": { "$secret": "ORDERS_KEY" } }
      }
    },
    {
      "name": "order.cancel",
      "description": "Ask the user whether to cancel an order",
      "inputSchema": { "type": "object", "properties": { "id": { "type": "string" } }, "required": ["id"] },
      "outputSchema": { "type": "object", "properties": { "confirmed": { "type": "boolean" } } },
      "executionType": "space",
      "timeout": 600000,
      "grace": 10000
    }
  ]
}`
// #endregion

const vault = new Map([['acme/ORDERS_KEY', 'Bearer 3f9a-acme']])
const says = [
  { calls: [{ name: 'order.find', input: { id: 'A-17' } }] },
  { calls: [{ name: 'order.cancel', input: { id: 'A-17' } }] },
  'It is cancelled.',
]
const smallModel = scriptedModel([...says, 'I do nothing but greet.'])

// #region env
const schemas = schemaChecks() // untrusted schemas are compiled and checked on separate threads
const offer = (tenant: string): ConfigEnv => ({
  tenant,
  schemas,
  models: { small: smallModel }, // by the names that configurations use
  secrets: async (whose, name) => vault.get(`${whose}/${name}`), // called for each call
  privateHosts: [`127.0.0.1:${port}`], // a private host that is allowed; all others are refused
})
// #endregion

// #region runtime
// A table of definitions, as an admin page would fill it. The agent is made once per version of its text.
const table = new Map<string, string>()
const made = new Map<string, { text: string; agent: Agent }>()
const runtime = await holdpoint({
  store: join(folder, 'conversations.db'),
  agentFor: async (tenant, name) => {
    const key = `${tenant}/${name}`
    const text = table.get(key)
    if (text === undefined) return undefined
    const known = made.get(key)
    if (known?.text === text) return known.agent
    const agent = agentFromConfig(JSON.parse(text), offer(tenant))
    made.set(key, { text, agent })
    return agent
  },
})
const acme = runtime.tenant('acme')
// #endregion

// #region missing
await acme.send('c-1', 'Cancel order A-17', { agent: 'desk' }).catch((error: Error) => console.log(error.message))
// #endregion

// #region run
table.set('acme/desk', config)
const first = await acme.send('c-1', 'Cancel order A-17', { agent: 'desk' })
const [hold] = first.holds
console.log(first.status, hold?.name, hold?.kind, hold?.graceMs)
console.log('sent:', keys[0])
console.log('told:', JSON.stringify(first.steps[0]?.calls[0]?.outcome))

await acme.answer('c-1', hold!.callId, { confirmed: true })
console.log((await acme.continue('c-1')).text)
// #endregion

// #region change
table.set('acme/desk', '{ "name": "desk", "model": "small", "instructions": "Greet people." }')
console.log((await acme.send('c-1', 'Cancel another')).text)
// #endregion

// #region refused
for (const wrong of [
  { name: 'x', description: 'x', inputSchema: { type: 'object' }, executionType: 'gateway', aproval: 'required' },
  { name: 'x', description: 'x', inputSchema: { type: 'object', required: 'id' }, executionType: 'internal' },
  {
    name: 'x',
    description: 'x',
    inputSchema: { type: 'object' },
    executionType: 'gateway',
    execution: { url: 'https://169.254.169.254/' },
  },
])
  await assert.rejects(
    checkAgentConfig({ name: 'desk', model: 'small', tools: [wrong] }, offer('acme')),
    (error) => HoldpointError.is(error) && (console.log(error.message), true),
  )
// #endregion

assert.equal(keys[0], 'Bearer 3f9a-acme')
assert.ok(!JSON.stringify(await acme.events('c-1')).includes('3f9a'))
await runtime.close()
server.closeAllConnections()
server.close()
rmSync(folder, { recursive: true })
