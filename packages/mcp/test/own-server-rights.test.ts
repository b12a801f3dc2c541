/** A tool that `may` refuses over MCP cannot be run in any other way, and a credential is identified by its id, not its name. */
import { agent, holdpoint } from 'holdpoint'
import { scriptedModel } from '@holdpoint/testing'
import { Client, StreamableHTTPClientTransport, type CallToolResult } from '@modelcontextprotocol/client'
import { SignJWT } from 'jose'
import { afterEach, expect, test } from 'vitest'
import { createMcpServer, type McpCaller } from '../src/index.ts'
import { startServer, KEY, type TestServer } from './test-server.ts'
import { storeInMemory } from './kit.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close()
})
const keep = <T extends { close(): Promise<void> }>(made: T): T => {
  open.push(made)
  return made
}

async function client(url: string, key: string): Promise<Client> {
  const made = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'legacy' } })
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  await made.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  return keep(made)
}

const textOf = (result: CallToolResult): string =>
  result.content.map((part) => (part.type === 'text' ? part.text : '')).join('')

async function rest(
  there: TestServer,
  path: string,
  body: unknown,
  key = KEY,
): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${there.served.url}/api/${path}`, {
    method: path.includes('members') ? 'PUT' : 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { status: answer.status, text: await answer.text() }
}

const DIRECT_CALL = JSON.stringify({ tool: 'add', input: { a: 1, b: 2 } })

test('a tool that `may` refuses cannot be run in any other way: conversations, agent logs and spaces refuse the agent "mcp"', async () => {
  const there = keep(await startServer(storeInMemory(), { may: (_caller, tool) => tool !== 'add' }))
  const mine = await client(there.url, KEY)
  await expect(mine.callTool({ name: 'add', arguments: { a: 1, b: 2 } })).rejects.toThrow(/no tool "add"/)

  const said = { content: DIRECT_CALL, agent: 'mcp' }
  expect(await rest(there, 'conversations/c1/messages?wait=5', said)).toMatchObject({
    status: 422,
    text: expect.stringContaining('only the code that made it may send to it'),
  })
  expect((await rest(there, 'conversations', { id: 'c2', agent: 'mcp' })).status).toBe(422)
  // A conversation that was started over MCP continues only over MCP.
  await mine.callTool({ name: 'pay', arguments: { amount: 1 } })
  const [begun] = (await there.runtime.list({ agent: 'mcp' })).items
  const path = `conversations/${begun?.id}`
  expect((await rest(there, `${path}/messages`, { content: DIRECT_CALL, whileBusy: 'supersede' })).status).toBe(422)
  expect((await rest(there, `${path}/continue?wait=5`, {})).status).toBe(422)

  await rest(there, 'agents/mcp/triggers', { name: 'x', data: DIRECT_CALL })
  await there.runtime.spaces.create({ id: 'room', name: 'Room', by: { kind: 'human', id: 'eve' } })
  await there.runtime.spaces.join('room', { kind: 'agent', id: 'mcp' })
  await there.runtime.spaces.post('room', DIRECT_CALL, { from: { kind: 'human', id: 'eve' } })
  await expect(there.runtime.send('agent:mcp', DIRECT_CALL)).rejects.toThrow(/cannot be autonomous/)
  const { items } = await there.runtime.list({ agent: 'mcp' })
  for (const { id } of items) {
    const types = (await there.runtime.events(id)).map(({ type }) => type)
    expect(types.filter((type) => type === 'call.started')).toEqual([])
  }
})

test('as the only agent, it is not the default agent of a message without an agent name', async () => {
  const store = storeInMemory()
  const ownServer = createMcpServer({ store })
  const runtime = await holdpoint({ store, agents: [ownServer.agent] })
  open.push(runtime, ownServer)
  await expect(runtime.send('c', DIRECT_CALL)).rejects.toThrow('Say which agent conversation "c" is for')
  expect(await runtime.events('c')).toEqual([])
})

test('an agent without a sender takes all messages, and an agent with a sender refuses any other sender', async () => {
  const sender = Symbol('mine')
  const closed = agent({ name: 'closed', model: scriptedModel(['Hello.']), sender })
  const opened = agent({ name: 'opened', model: scriptedModel(['Hello.']) })
  const runtime = keep(await holdpoint({ store: storeInMemory(), agents: [closed, opened] }))
  await expect(runtime.submit('a', 'Hi', { agent: 'closed', sender: Symbol('mine') })).rejects.toThrow(
    /accepts no messages/,
  )
  expect(await runtime.send('b', 'Hi', { agent: 'closed', sender })).toMatchObject({ status: 'done' })
  expect(await runtime.send('c', 'Hi', { agent: 'opened' })).toMatchObject({ status: 'done' })
})

test('two keys with the same name are two callers: neither can use the resume token or the conversation of the other', async () => {
  const callers: McpCaller[] = []
  const there = keep(await startServer(storeInMemory(), { may: (caller) => callers.push(caller) > 0 }))
  const { keys } = there.served.gateway
  const make = async () => (await keys.create('', { name: 'trusted', scopes: ['agent'] })).key
  const [first, second] = [await client(there.url, await make()), await client(there.url, await make())]

  const held = textOf(await first.callTool({ name: 'pay', arguments: { amount: 1 } }))
  const token = /"resume_token":"([^"]+)"/.exec(held)?.[1]
  const come = async (who: Client) =>
    textOf(await who.callTool({ name: 'wait_for_result', arguments: { resume_token: token } }))
  expect(await come(second)).toMatch(/resume token is not valid/)
  expect(await come(first)).toMatch(/The call is held/)

  const said = await first.callTool({ name: 'ask_helper', arguments: { message: 'Hi' } })
  const { conversation } = said.structuredContent as { conversation: string }
  const goOn = { name: 'ask_helper', arguments: { message: 'And?', conversation } }
  expect(textOf(await second.callTool(goOn))).toMatch(/no idle conversation/)
  expect(textOf(await first.callTool(goOn))).not.toMatch(/no idle conversation/)

  expect(new Set(callers.map(({ by }) => by))).toEqual(new Set(['key:trusted']))
  expect(new Set(callers.map(({ id }) => id)).size).toBe(2)
})

test('a person who was removed from a conversation gets no result of a call that they started there', async () => {
  const secret = 's'.repeat(40)
  const auth = { tokens: { secret }, keys: [{ key: KEY, scopes: ['admin'] }] } as const
  const there = keep(await startServer(storeInMemory(), { gateway: { auth } }))
  const token = await new SignJWT({ sub: 'ada', tenant: '', scope: 'agent' })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('1m')
    .sign(new TextEncoder().encode(secret))
  const ada = await client(there.url, token)
  const held = textOf(await ada.callTool({ name: 'pay', arguments: { amount: 1 } }))
  const resume = { name: 'wait_for_result', arguments: { resume_token: /"resume_token":"([^"]+)"/.exec(held)?.[1] } }
  expect(textOf(await ada.callTool(resume))).toMatch(/The call is held/)
  const [{ id } = { id: '' }] = (await there.runtime.list({ agent: 'mcp' })).items
  expect((await rest(there, `conversations/${id}/participants`, { owner: 'zoe', remove: ['ada'] })).status).toBe(200)
  expect(textOf(await ada.callTool(resume))).toMatch(/resume token is not valid/)
})
