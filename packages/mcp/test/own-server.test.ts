/** Our tools and agents for third-party MCP clients of both eras, behind the gateway. */
import { Client, StreamableHTTPClientTransport, type CallToolResult } from '@modelcontextprotocol/client'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { startServer, KEY, OTHER, READER, RESOLVER, type TestServer } from './test-server.ts'
import { eventually, storeInMemory } from './kit.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close()
})
const keep = <T extends { close(): Promise<void> }>(made: T): T => {
  open.push(made)
  return made
}
const there = async (more?: Parameters<typeof startServer>[1]): Promise<TestServer> =>
  keep(await startServer(storeInMemory(), more))

async function client(url: string, mode: 'legacy' | 'auto', key = KEY, capabilities = {}): Promise<Client> {
  const made = new Client(
    { name: 'test', version: '1' },
    { versionNegotiation: { mode }, capabilities, inputRequired: { autoFulfill: false } },
  )
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  await made.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }))
  return keep(made)
}

function textOf(result: CallToolResult): string {
  return result.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

const anything = z.looseObject({})
const names = async (of: Client): Promise<readonly string[]> =>
  (await of.listTools()).tools.map(({ name }) => name).toSorted()

describe.each([
  ['legacy', 'legacy'],
  ['auto', 'modern'],
] as const)('a client of the %s kind', (mode, era) => {
  test('lists and calls tools, and talks to agents', async () => {
    const other = await there()
    const it = await client(other.url, mode)
    expect(it.getProtocolEra()).toBe(era)
    expect(await names(it)).toEqual(['add', 'ask_helper', 'count', 'deploy', 'name', 'pay', 'sign', 'wait_for_result'])
    const sum = await it.callTool({ name: 'add', arguments: { a: 2, b: 3 } })
    expect(sum).toMatchObject({ structuredContent: { sum: 5 }, content: [{ type: 'text', text: '{"sum":5}' }] })
    expect(textOf(await it.callTool({ name: 'ask_helper', arguments: { message: 'Hi' } }))).toBe('I am here to help.')
  })

  test('gets an error for invalid arguments and for an unknown tool', async () => {
    const it = await client((await there()).url, mode)
    const wrong = await it.callTool({ name: 'add', arguments: { a: 'two' } })
    expect(wrong.isError).toBe(true)
    expect(textOf(wrong)).toMatch(/a: .*number/i)
    await expect(it.callTool({ name: 'nothing', arguments: {} })).rejects.toThrow(/no tool "nothing"/)
    expect(textOf(await it.callTool({ name: 'ask_helper', arguments: {} }))).toMatch(/needs a "message"/)
  })

  test('that supports neither questions nor tasks gets a resume token for a held call and fetches the result with it', async () => {
    const other = await there()
    const it = await client(other.url, mode)
    const waits = await it.callTool({ name: 'pay', arguments: { amount: 7 } })
    expect(waits.isError).toBe(true)
    const token = /"resume_token":"([^"]+)"/.exec(textOf(waits))?.[1] ?? ''
    expect(textOf(await it.callTool({ name: 'wait_for_result', arguments: { resume_token: token } }))).toContain(
      'The call is held',
    )
    const [hold] = (await other.runtime.pending()).items
    await other.runtime.approve(hold?.conversationId ?? '', hold?.callId ?? '')
    expect(textOf(await it.callTool({ name: 'wait_for_result', arguments: { resume_token: token } }))).toBe('paid 7')
    expect(textOf(await it.callTool({ name: 'wait_for_result', arguments: { resume_token: token } }))).toBe('paid 7')
  })

  test('receives progress', async () => {
    const it = await client((await there()).url, mode)
    const seen: unknown[] = []
    await it.callTool({ name: 'count', arguments: {} }, { onprogress: (value) => seen.push(value) })
    expect(seen).toContainEqual({ progress: 2, total: 3, message: 'at 2' })
  })

  test('lists and calls only the tools that its key may use', async () => {
    const other = await there({ may: ({ tenant }, tool) => tenant === 'other' || tool !== 'pay' })
    const it = await client(other.url, mode)
    expect(await names(it)).not.toContain('pay')
    await expect(it.callTool({ name: 'pay', arguments: { amount: 1 } })).rejects.toThrow(/no tool "pay"/)
    expect(await names(await client(other.url, mode, OTHER))).toContain('pay')
  })

  test('without a key, or with a key that lacks the scope, is refused', async () => {
    const other = await there()
    await expect(client(other.url, mode, 'hp_unknown')).rejects.toThrow(/401|unauthori[sz]ed/i)
    await expect(client(other.url, mode, READER)).rejects.toThrow(/403|scope/i)
  })
})

test('a legacy client that asks for a task gets one for a held call', async () => {
  const other = await there()
  const it = await client(other.url, 'legacy')
  const call = { method: 'tools/call', params: { name: 'pay', arguments: { amount: 9 }, task: { ttl: 60_000 } } }
  const { task } = (await it.request(call, anything)) as unknown as { task: { taskId: string; status: string } }
  expect(task).toMatchObject({ status: 'working', pollInterval: expect.any(Number) as number })
  const [hold] = (await other.runtime.pending()).items
  const result = it.request({ method: 'tasks/result', params: { taskId: task.taskId } }, anything)
  await other.runtime.approve(hold?.conversationId ?? '', hold?.callId ?? '')
  expect(textOf((await result) as unknown as CallToolResult)).toBe('paid 9')
  expect(await it.request({ method: 'tasks/get', params: { taskId: task.taskId } }, anything)).toMatchObject({
    status: 'completed',
  })
})

test('a client that supports elicitation gets the question, and its answer is validated like any other', async () => {
  const other = await there()
  const it = await client(other.url, 'auto', KEY, { elicitation: { form: {} } })
  const asked = (await it.callTool(
    { name: 'deploy', arguments: { what: 'x' } },
    { allowInputRequired: true },
  )) as unknown as {
    inputRequests: Record<string, { params: { message: string } }>
    requestState: string
  }
  const [[key, request] = ['', undefined]] = Object.entries(asked.inputRequests)
  expect(request?.params.message).toBe('Where to deploy x?')
  const answer = (where: string, requestState = asked.requestState) =>
    it.callTool(
      {
        name: 'deploy',
        arguments: { what: 'x' },
        inputResponses: { [key]: { action: 'accept', content: { where } } },
        requestState,
      } as never,
      { allowInputRequired: true },
    )
  // An invalid answer is refused, and the question stays open.
  expect(await answer('the moon')).toMatchObject({ resultType: 'input_required' })
  await expect(answer('prod', `${asked.requestState}x`)).rejects.toThrow(/You have no such call/)
  const next = (await answer('prod')) as unknown as { inputRequests: Record<string, { params: { message: string } }> }
  expect(Object.values(next.inputRequests)[0]?.params.message).toBe('Really prod?')
})

test('a resume token is valid only for the credential that received it', async () => {
  const other = await there()
  const mine = await client(other.url, 'legacy')
  const waits = textOf(await mine.callTool({ name: 'pay', arguments: { amount: 7 } }))
  const token = /"resume_token":"([^"]+)"/.exec(waits)?.[1] ?? ''
  for (const key of [RESOLVER, OTHER]) {
    const theirs = await client(other.url, 'legacy', key)
    expect(textOf(await theirs.callTool({ name: 'wait_for_result', arguments: { resume_token: token } }))).toMatch(
      /resume token is not valid/,
    )
    const call = { method: 'tasks/cancel', params: { taskId: token } }
    await expect(theirs.request(call, anything)).rejects.toThrow(/You have no such call/)
  }
  const forged = Buffer.from('mcp-x').toString('base64url')
  expect(textOf(await mine.callTool({ name: 'wait_for_result', arguments: { resume_token: `${forged}.x` } }))).toMatch(
    /not valid/,
  )
})

test('asking for the result of a cancelled call does not restart it', async () => {
  const other = await there()
  const it = await client(other.url, 'legacy')
  const call = { method: 'tools/call', params: { name: 'pay', arguments: { amount: 9 }, task: { ttl: 60_000 } } }
  const { task } = (await it.request(call, anything)) as unknown as { task: { taskId: string } }
  await it.request({ method: 'tasks/cancel', params: { taskId: task.taskId } }, anything)
  for (let n = 0; n < 2; n++)
    expect(await it.request({ method: 'tasks/get', params: { taskId: task.taskId } }, anything)).toMatchObject({
      status: 'cancelled',
    })
  const { items } = await other.runtime.list()
  expect(items).toMatchObject([{ status: 'idle' }])
  expect((await other.runtime.view(items[0]?.id ?? ''))?.turns).toHaveLength(1)
})

test('a client that disconnects while its call is running cancels the call', async () => {
  const other = await there()
  const it = await client(other.url, 'auto')
  const gone = new AbortController()
  const call = it.callTool({ name: 'count', arguments: {} }, { signal: gone.signal })
  await eventually(async () => ((await other.runtime.list()).items.length > 0 ? true : undefined))
  gone.abort()
  await expect(call).rejects.toThrow(/abort/i)
  await eventually(async () => {
    const [row] = (await other.runtime.list()).items
    const [turn] = (await other.runtime.view(row?.id ?? ''))?.turns ?? []
    return turn?.ended?.reason === 'cancelled' ? true : undefined
  })
})

test('a request from another origin or with another content type is refused', async () => {
  const { url } = await there()
  const ask = (headers: Record<string, string>): Promise<Response> =>
    fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
  expect((await ask({ origin: 'https://evil.test' })).status).toBe(403)
  expect((await ask({ 'content-type': 'text/plain' })).status).toBe(415)
})

test('a trace of the client goes on in the turn, by the call itself or by its HTTP request', async () => {
  const seen: (string | undefined)[] = []
  const store = storeInMemory()
  const other = keep(await startServer(store))
  const [fromHeader, fromCall] = ['a', 'b'].map((digit) => `00-${digit.repeat(32)}-b7ad6b7169203331-01`)
  const it = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  const headers = { authorization: `Bearer ${KEY}`, traceparent: fromHeader! }
  await it.connect(new StreamableHTTPClientTransport(new URL(other.url), { requestInit: { headers } }))
  keep(it)
  const traceOfNewest = async (): Promise<string | undefined> => {
    const [row] = (await other.runtime.list()).items
    const [first] = await other.runtime.events(row?.id ?? '')
    const [item] = first?.type === 'turn.started' ? first.items : []
    return item?.kind === 'message' ? item.message.trace : undefined
  }
  for (const traceparent of [fromCall, undefined, 'no trace', `00-${'0'.repeat(32)}-b7ad6b7169203331-01`, 7]) {
    const _meta = { traceparent } as Record<string, unknown>
    const said = await it.callTool({ name: 'ask_helper', arguments: { message: 'Hi' }, _meta })
    expect(textOf(said)).toBe('I am here to help.')
    seen.push(await traceOfNewest())
  }
  expect(seen).toEqual([fromCall, fromHeader, fromHeader, fromHeader, fromHeader])
})
