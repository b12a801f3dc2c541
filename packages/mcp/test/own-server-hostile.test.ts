/** An MCP client may do what its key allows, with its own conversations only. */
import { Client, StreamableHTTPClientTransport, type CallToolResult } from '@modelcontextprotocol/client'
import type { Store, Tool } from '@holdpoint/core'
import { tool } from 'holdpoint'
import { request } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { z } from 'zod'
import { createMcpServer } from '../src/index.ts'
import { ResumeTokens } from '../src/server/resume-tokens.ts'
import { startServer, KEY, OTHER, RESOLVER, type TestServer } from './test-server.ts'
import { eventually, storeInMemory } from './kit.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close()
})
const keep = <T extends { close(): Promise<void> }>(made: T): T => {
  open.push(made)
  return made
}
const there = async (more?: Parameters<typeof startServer>[1], store: Store = storeInMemory()): Promise<TestServer> =>
  keep(await startServer(store, more))
const anything = z.looseObject({})

async function client(url: string, mode: 'legacy' | 'auto', key = KEY, capabilities = {}): Promise<Client> {
  const made = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode }, capabilities, inputRequired: { autoFulfill: false } },
  )
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  await made.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  return keep(made)
}

const textOf = (result: CallToolResult): string =>
  result.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
const call = (name: string, args: object, id = 1): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
})
const post = (url: string, body: unknown): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(body),
  })

/** A tool that runs until `go` is called. */
function slow(): { readonly tool: Tool; readonly go: () => void; readonly began: Promise<void> } {
  const going = Promise.withResolvers<void>()
  const began = Promise.withResolvers<void>()
  const made = tool({
    name: 'slow',
    description: 'Takes its time',
    input: z.object({}),
    run: async ({ signal }) => {
      began.resolve()
      const stopped = new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('no'))))
      await Promise.race([going.promise, stopped])
      return 'done in the end'
    },
  }) as Tool
  return { tool: made, go: going.resolve, began: began.promise }
}

test('a batch of calls does not bypass the rate limit', async () => {
  const { url, runtime } = await there()
  const answer = await post(
    url,
    Array.from({ length: 50 }, (_, n) => call('pay', { amount: n }, n)),
  )
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ error: { code: -32_600 } })
  expect((await runtime.list()).items).toEqual([])
})

test('an internal error is logged for the operator and not shown to the client', async () => {
  const store = storeInMemory()
  const lines: string[] = []
  const { url } = await there({ gateway: { log: ({ message }) => lines.push(message) } }, store)
  const broken = (): Promise<never> => Promise.reject(new Error('no such table at /srv/app'))
  Object.assign(store, { load: broken, append: broken })
  const text = await (await post(url, call('add', { a: 1, b: 2 }))).text()
  expect(text).toContain('Internal error.')
  expect(text).not.toContain('/srv/app')
  expect(lines.join()).toContain('no such table at /srv/app')
})

test('a configured secret is redacted from MCP responses, wherever it occurs in a stream', async () => {
  const secret = 'sesame-open-yourself'
  const tells = tool({ name: 'tell', description: 'Tells', input: z.object({}), run: () => `it is ${secret}` }) as Tool
  const { url } = await there({ tools: [tells], gateway: { secrets: [secret] } })
  const text = await (await post(url, call('tell', {}))).text()
  expect(text).toContain('it is [redacted]')
  expect(text).not.toContain(secret)
})

test('a caller continues only conversations that it started over MCP, not those of others and not the log of an autonomous agent', async () => {
  const other = await there()
  const [mine, theirs] = [await client(other.url, 'auto'), await client(other.url, 'auto', RESOLVER)]
  const said = await mine.callTool({ name: 'ask_helper', arguments: { message: 'Hi' } })
  const { conversation } = said.structuredContent as { conversation: string }
  const [first] = await other.runtime.events(conversation)
  const [item] = first?.type === 'turn.started' ? first.items : []
  const by = item?.kind === 'message' ? (item.message.by ?? '') : ''
  await other.runtime.send('of-another-user', 'Hi', { agent: 'helper' })
  // A conversation that the same key started elsewhere is refused too.
  await other.runtime.send('started-elsewhere', 'Hi', { agent: 'helper', by })
  for (const [who, id] of [
    [theirs, conversation],
    [mine, 'of-another-user'],
    [mine, 'started-elsewhere'],
    [mine, 'agent:helper'],
    [mine, 'mcp-nothing'],
    [mine, 'mcp-\u0000'],
    [mine, ''],
  ] as const) {
    const told = await who.callTool({ name: 'ask_helper', arguments: { message: 'Hi', conversation: id } })
    expect(textOf(told)).toMatch(/no idle conversation/)
  }
  expect((await other.runtime.view(conversation))?.turns).toHaveLength(1)
  expect((await other.runtime.view('of-another-user'))?.turns).toHaveLength(1)
  expect(await other.runtime.view('agent:helper')).toBeUndefined()

  // A direct tool call is a conversation of another agent, which takes no messages.
  await mine.callTool({ name: 'add', arguments: { a: 1, b: 2 } })
  const { items } = await other.runtime.list({ agent: 'mcp' })
  const told = await mine.callTool({ name: 'ask_helper', arguments: { message: 'Hi', conversation: items[0]?.id } })
  expect(textOf(told)).toMatch(/agent "?mcp/)
})

test('a task is one call: later turns of the conversation are not its result and are not cancelled with it', async () => {
  const asks = { calls: [{ name: 'name', input: {} }] }
  const other = await there({ helper: [asks, 'Hello, Ada.', asks, 'Hello, Bob.'] })
  const it = await client(other.url, 'legacy')
  const ask = async (method: string, params: object) =>
    (await it.request({ method, params: params as never }, anything)) as unknown as {
      readonly task: { readonly taskId: string }
      readonly structuredContent: { readonly conversation: string; readonly reply: string }
    }
  const begin = async (more = {}): Promise<string> =>
    (await ask('tools/call', { name: 'ask_helper', arguments: { message: 'Hi', ...more }, task: {} })).task.taskId
  const hold = () => eventually(async () => (await other.runtime.pending()).items[0])

  const first = await begin()
  const { conversationId, callId } = await hold()
  await other.runtime.answer(conversationId, callId, 'Ada')
  const { conversation, reply } = (await ask('tasks/result', { taskId: first })).structuredContent
  expect([conversation, reply]).toEqual([conversationId, 'Hello, Ada.'])
  const second = await begin({ conversation })
  expect((await hold()).callId).not.toBe(callId)

  expect(await ask('tasks/get', { taskId: first })).toMatchObject({ status: 'completed' })
  expect((await ask('tasks/result', { taskId: first })).structuredContent.reply).toBe('Hello, Ada.')
  expect(await ask('tasks/cancel', { taskId: first })).toMatchObject({ status: 'completed' })
  expect(await ask('tasks/get', { taskId: second })).toMatchObject({ status: 'working' })
  expect(await ask('tasks/cancel', { taskId: second })).toMatchObject({ status: 'cancelled' })
})

test('a client that stops waiting for a result does not cancel the call', async () => {
  const { tool: takesLong, go, began } = slow()
  const other = await there({ tools: [takesLong] })
  const it = await client(other.url, 'legacy')
  const params = { name: 'slow', arguments: {}, task: {} }
  const told = (await it.request({ method: 'tools/call', params }, anything)) as unknown as { task: { taskId: string } }
  const { taskId } = told.task
  await began
  // A client may start and stop waiting any number of times.
  const gone = new AbortController()
  const newer = await client(other.url, 'auto')
  const wait = { name: 'wait_for_result', arguments: { resume_token: taskId } }
  for (let n = 0; n < 3; n++) {
    const waiting = newer.callTool(wait, { signal: gone.signal })
    setTimeout(() => gone.abort(), 50)
    await expect(waiting).rejects.toThrow(/abort/i)
    // Another request, so that the gateway has seen the first one end.
    await newer.listTools()
  }
  go()
  const result = (await it.request({ method: 'tasks/result', params: { taskId } }, anything)) as unknown
  expect(textOf(result as CallToolResult)).toBe('done in the end')
  expect(await it.request({ method: 'tasks/cancel', params: { taskId } }, anything)).toMatchObject({
    status: 'completed',
  })
})

test('an answer with an old state does not answer the next question, and the state of another caller is refused', async () => {
  const other = await there()
  const it = await client(other.url, 'auto', KEY, { elicitation: { form: {} } })
  type Required = { inputRequests: Record<string, { params: { message: string } }>; requestState: string }
  const params = { name: 'deploy', arguments: { what: 'x' } }
  const back = (of: Client, requestState: string, content: object, keys: object): Promise<unknown> => {
    const inputResponses = Object.fromEntries(Object.keys(keys).map((key) => [key, { action: 'accept', content }]))
    return of.callTool({ ...params, requestState, inputResponses } as never, { allowInputRequired: true })
  }
  const first = (await it.callTool(params, { allowInputRequired: true })) as unknown as Required
  for (const key of [RESOLVER, OTHER]) {
    const theirs = await client(other.url, 'auto', key, { elicitation: { form: {} } })
    await expect(back(theirs, first.requestState, { where: 'prod' }, first.inputRequests)).rejects.toThrow(
      /You have no such call/,
    )
  }
  const second = (await back(it, first.requestState, { where: 'test' }, first.inputRequests)) as Required
  const again = (await back(it, first.requestState, { where: 'prod' }, first.inputRequests)) as Required
  for (const { inputRequests } of [second, again])
    expect(Object.values(inputRequests)[0]?.params.message).toBe('Really test?')
})

test('an approval is asked over MCP only if the question shows the whole input', async () => {
  const send = tool({
    name: 'send',
    description: 'Sends',
    input: z.object({ text: z.string() }),
    approval: 'required',
    run: () => 'sent',
  }) as Tool
  const other = await there({ tools: [send] })
  const it = await client(other.url, 'auto', RESOLVER, { elicitation: { form: {} } })
  const ask = (text: string) =>
    it.callTool({ name: 'send', arguments: { text } }, { allowInputRequired: true }) as unknown as Promise<{
      readonly inputRequests?: Readonly<Record<string, { readonly params: { readonly message: string } }>>
    }>
  const long = `${'x'.repeat(5000)} to evil.test`
  const [shown] = Object.values((await ask(long)).inputRequests ?? {})
  expect(shown?.params.message).toContain(long)
  const [plain] = Object.values((await ask('a\u202Eb\u{e0041}')).inputRequests ?? {})
  expect(plain?.params.message).toContain('"a\\u{202e}b\\u{e0041}"')
  expect((await ask('x'.repeat(9000))).inputRequests).toBeUndefined()
  expect((await other.runtime.pending()).items).toHaveLength(3)
})

test('a resume token of one tenant is invalid for a credential with the same id in another', async () => {
  const tokens = new ResumeTokens(storeInMemory())
  const place = { conversation: 'c with spaces', turnId: 't' }
  const token = await tokens.sign(place, 7, { tenant: 'one', id: 'ada' })
  expect(await tokens.verify(token, { tenant: 'one', id: 'ada' })).toEqual(place)
  for (const holder of [
    { tenant: 'two', id: 'ada' },
    { tenant: 'one', id: 'bob' },
    { tenant: '', id: 'ada' },
  ])
    expect(await tokens.verify(token, holder)).toBeUndefined()
  // The holder cannot change its content or sign it with another key.
  const [, mac] = token.split('.')
  const other = `${Buffer.from('7 t another').toString('base64url')}.${mac}`
  expect(await tokens.verify(other, { tenant: 'one', id: 'ada' })).toBeUndefined()
  expect(await new ResumeTokens(storeInMemory()).verify(token, { tenant: 'one', id: 'ada' })).toBeUndefined()
})

test('progress that is not a growing number is not sent to the client', async () => {
  const counts = tool({
    name: 'count',
    description: 'Counts',
    input: z.object({}),
    streaming: true,
    run: async ({ progress }) => {
      for (const at of ['x', -1, 2, 1, 3]) progress({ progress: at })
      return 'done'
    },
  }) as Tool
  const it = await client((await there({ tools: [counts] })).url, 'auto')
  const seen: unknown[] = []
  await it.callTool({ name: 'count', arguments: {} }, { onprogress: ({ progress }) => seen.push(progress) })
  expect(seen.every((each, n) => typeof each === 'number' && (n === 0 || each > Number(seen[n - 1])))).toBe(true)
})

test('a request with another host name is refused, so that DNS rebinding fails', async () => {
  const { url } = await there()
  const status = await new Promise((resolve, reject) => {
    const headers = { host: 'evil.test', authorization: `Bearer ${KEY}`, 'content-type': 'application/json' }
    const sent = request(url, { method: 'POST', headers }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
    sent.on('error', reject)
    sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }))
  })
  expect(status).toBe(421)
})

test('a gateway that closes ends all waits with a resume token and cancels no call', async () => {
  const { tool: takesLong, began } = slow()
  const other = await startServer(storeInMemory(), { tools: [takesLong] })
  const it = await client(other.url, 'legacy')
  const waiting = it.callTool({ name: 'slow', arguments: {} })
  await began
  const closing = other.close()
  expect(textOf(await waiting)).toMatch(/^The call is still running\. It is stored\. Call wait_for_result later/)
  const [row] = (await other.runtime.list()).items
  expect((await other.runtime.events(row?.id ?? '')).map(({ type }) => type)).not.toContain('turn.ended')
  await closing
})

test('an agent cannot have the reserved name "mcp"', () => {
  expect(() => createMcpServer({ store: storeInMemory(), agents: [{ name: 'mcp' }] })).toThrow(/"mcp" is reserved/)
})
