import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { scriptedModel } from '@holdpoint/testing'
import { agent, chat, HoldpointError, httpTool } from 'holdpoint'
import { z } from 'zod'

// A service on this machine that knows one customer.
const seen: string[] = []
const server = createServer((request, response) => {
  const { method, url, headers } = request
  const known = url?.startsWith('/customers/7')
  const keyed = headers['idempotency-key'] !== undefined
  void text(request).then((body) => {
    seen.push(`${method} ${url} ${body} (${headers.authorization ?? 'no key'})`)
    response.writeHead(known ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(known ? { name: 'Ada', keyed } : { why: 'no such customer' }))
  })
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const service = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

// #region tools
const findCustomer = httpTool({
  name: 'customer.find',
  description: 'Look up a customer',
  input: z.object({ id: z.string(), fields: z.string().optional() }),
  url: `${service}/customers/{id}`, // the other fields go into the query
  allowPrivate: true, // this service is in a private network
})
const addNote = httpTool({
  name: 'customer.note',
  description: 'Add a note to a customer',
  method: 'POST', // the other fields go into a JSON body
  input: z.object({ id: z.string(), text: z.string() }),
  url: `${service}/customers/{id}/notes`,
  headers: ({ scope }) => ({ authorization: `Bearer ${String(scope['token'])}` }),
  approval: 'required',
  allowPrivate: true,
})
// #endregion

// #region run
const model = scriptedModel([
  { calls: [{ name: 'customer.find', input: { id: '8' } }] },
  { calls: [{ name: 'customer.find', input: { id: '7', fields: 'name' } }] },
  { calls: [{ name: 'customer.note', input: { id: '7', text: 'Called' } }] },
  'Noted.',
])
const desk = agent({ name: 'desk', model, tools: [findCustomer, addNote] })
const { session, holds } = await chat(desk, 'Note that Ada called')
for (const { callId } of holds) await session.approve(callId, { by: 'grace' })
const result = await session.continue({ scope: { token: 'secret' } }) // the scope of this call, never stored
for (const { calls } of result.steps)
  for (const { name, outcome } of calls)
    console.log(name, JSON.stringify(outcome?.ok ? outcome.value : outcome?.error.details))
for (const line of seen) console.log(line)
// #endregion
assert.equal(result.text, 'Noted.')

// #region refused
assert.throws(
  () => httpTool({ name: 'inside', description: 'Ask', input: z.object({}), url: 'https://169.254.169.254/' }),
  (error) => HoldpointError.is(error) && (console.log(error.message), true),
)
// #endregion
server.closeAllConnections()
server.close()
