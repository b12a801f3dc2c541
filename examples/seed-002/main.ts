/**
 * Each JSON file beside this one has the fields of an example of seed 002 (B), no more and no fewer, under our own names.
 * It is accepted unchanged and then run; only the hosts are replaced by one on this machine.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { createMcpServer, mcpServers } from '@holdpoint/mcp'
import { scriptedModel, testPorts } from '@holdpoint/testing'
import { agent, agentFromConfig, chat, holdpoint, memoryStore, tool, toolFromConfig, type JsonObject } from 'holdpoint'

const read = (file: string): JsonObject =>
  JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as JsonObject

// All of them are accepted unchanged.
for (const file of ['all-fields', 'inline-url', 'sync-with-timeout', 'async', 'internal'])
  assert.ok(toolFromConfig(read(`./${file}.json`)).name)

// One server for all requests: two web services, and an MCP server at /mcp.
const listChanges = tool({ name: 'list_changes', description: 'Lists', input: { type: 'object' }, run: () => ['#7'] })
const deleteRepo = tool({ name: 'delete_repo', description: 'Deletes', input: { type: 'object' }, run: () => 'gone' })
const store = memoryStore()
const ownServer = createMcpServer({ store, tools: [listChanges, deleteRepo] })
const runtime = await holdpoint({ store, agents: [ownServer.agent] })
const requests: string[] = []
const server = createServer((request, response) => {
  void readText(request).then(async (body) => {
    const { method = '', url = '' } = request
    if (url.startsWith('/mcp')) {
      const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)])
      const asked = new Request(`http://mcp.local${url}`, { method, headers, ...(body !== '' && { body }) })
      const answer = await ownServer.fetch(asked, { tenant: '', id: 'agent', by: 'agent', runtime, resolves: false })
      return response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text())
    }
    requests.push(`${method} ${url} ${body}`.trim())
    return response.writeHead(200, { 'content-type': 'application/json' }).end('{"degrees":7}')
  })
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
const here = (config: JsonObject, path = ''): JsonObject =>
  JSON.parse(JSON.stringify(config).replace(/https:\/\/[^"/]+/, `http://${host}${path}`)) as JsonObject

/** A conversation with one tool. The model calls it and then repeats the result. */
const ports = testPorts()
async function run(file: string, input: JsonObject) {
  const made = toolFromConfig(here(read(file)), { privateHosts: [host] })
  const model = scriptedModel([{ calls: [{ name: made.name, input }] }, 'I go on.', 'I see.'])
  const result = await chat(agent({ name: 'desk', model, tools: [made], ports }), 'Go')
  return { ...result, callId: result.holds[0]?.callId ?? '', outcome: result.steps[0]?.calls[0]?.outcome }
}

console.log('with a url, whatever the type:')
const full = await run('./all-fields.json', { question: 'Book it?' })
const weather = await run('./inline-url.json', { city: 'Oslo' })
console.log(requests.join('\n'), JSON.stringify(full.outcome), JSON.stringify(weather.outcome))
assert.deepEqual(weather.outcome, { ok: true, value: { status: 200, body: { degrees: 7 } } })

console.log('\nwithout a url, waited for:')
const inTime = await run('./sync-with-timeout.json', { query: 'active projects' })
await ports.clock.advance(3000)
await inTime.session.answer(inTime.callId, { source: 'pm-api', results: 3 })
console.log(JSON.stringify((await inTime.session.continue()).steps[0]?.calls[0]?.outcome))

const tooLate = await run('./sync-with-timeout.json', { query: 'active projects' })
await ports.clock.advance(10_000)
const { outcome } = (await tooLate.session.continue()).steps[0]?.calls[0] ?? {}
console.log(JSON.stringify(outcome))
assert.deepEqual(outcome, { ok: false, error: { code: 'expired', message: 'Tool timed out after 10000ms' } })
console.log((await tooLate.session.answer(tooLate.callId, { results: 3 })).message)
assert.equal((await tooLate.session.continue()).text, 'I see.')

console.log('\nasync:')
const asked = await run('./async.json', { question: 'Confirm booking?' })
console.log(JSON.stringify(asked.outcome), asked.text)
await asked.session.answer(asked.callId, { confirmed: true })
assert.equal((await asked.session.continue()).text, 'I see.')

console.log('\ninternal:')
const chart = await run('./internal.json', { points: [1, 2, 3] })
console.log(JSON.stringify(chart.outcome))
assert.deepEqual(chart.outcome, { ok: true, value: { success: true, args: { points: [1, 2, 3] } } })

console.log('\nMCP:')
const mcp = mcpServers({ store, privateHosts: [host] })
const model = scriptedModel([{ calls: [{ name: 'code-host.list_changes' }] }, 'One is open.'])
const config = { name: 'dev', model: 'small', ...here(read('./mcp.json'), '/mcp') }
const { steps } = await chat(agentFromConfig(config, { models: { small: model }, mcp }), 'What is open?')
console.log(model.requests[0]?.tools.map(({ name }) => name).join(), JSON.stringify(steps[0]?.calls[0]?.outcome))
assert.equal(model.requests[0]?.tools.length, 1) // `delete_repo` is not an allowed tool

await mcp.close()
await runtime.close()
await ownServer.close()
server.closeAllConnections()
server.close()
