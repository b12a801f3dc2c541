/** Our tools and agents for MCP clients that are not ours, of both eras, behind the gateway's door. */
import { Client, StreamableHTTPClientTransport, type CallToolResult } from '@modelcontextprotocol/client'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { far, KEY, OTHER, READER, RESOLVER, type Far } from './far.ts'
import { eventually, storeInMemory } from './kit.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close()
})
const keep = <T extends { close(): Promise<void> }>(made: T): T => {
  open.push(made)
  return made
}
const there = async (more?: Parameters<typeof far>[1]): Promise<Far> => keep(await far(storeInMemory(), more))

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

  test('is told what is wrong with its arguments, and with a tool that is not there', async () => {
    const it = await client((await there()).url, mode)
    const wrong = await it.callTool({ name: 'add', arguments: { a: 'two' } })
    expect(wrong.isError).toBe(true)
    expect(textOf(wrong)).toMatch(/a: .*number/i)
    await expect(it.callTool({ name: 'nothing', arguments: {} })).rejects.toThrow(/no tool "nothing"/)
    expect(textOf(await it.callTool({ name: 'ask_helper', arguments: {} }))).toMatch(/Give a "message"/)
  })

  test('that can do nothing else is told that a call waits, and comes back for its result with a ticket', async () => {
    const other = await there()
    const it = await client(other.url, mode)
    const waits = await it.callTool({ name: 'pay', arguments: { amount: 7 } })
    expect(waits.isError).toBe(true)
    const ticket = /"ticket":"([^"]+)"/.exec(textOf(waits))?.[1] ?? ''
    expect(textOf(await it.callTool({ name: 'wait_for_result', arguments: { ticket } }))).toContain(
      'waits for somebody',
    )
    const [hold] = (await other.runtime.pending()).items
    await other.runtime.approve(hold?.conversationId ?? '', hold?.callId ?? '')
    expect(textOf(await it.callTool({ name: 'wait_for_result', arguments: { ticket } }))).toBe('paid 7')
    expect(textOf(await it.callTool({ name: 'wait_for_result', arguments: { ticket } }))).toBe('paid 7')
  })

  test('sees progress', async () => {
    const it = await client((await there()).url, mode)
    const seen: unknown[] = []
    await it.callTool({ name: 'count', arguments: {} }, { onprogress: (value) => seen.push(value) })
    expect(seen).toContainEqual({ progress: 2, total: 3, message: 'at 2' })
  })

  test('sees and uses only what its key may', async () => {
    const other = await there({ may: ({ tenant }, tool) => tenant === 'other' || tool !== 'pay' })
    const it = await client(other.url, mode)
    expect(await names(it)).not.toContain('pay')
    await expect(it.callTool({ name: 'pay', arguments: { amount: 1 } })).rejects.toThrow(/no tool "pay"/)
    expect(await names(await client(other.url, mode, OTHER))).toContain('pay')
  })

  test('without a key, or with one that may not, gets nowhere', async () => {
    const other = await there()
    await expect(client(other.url, mode, 'hp_nobody')).rejects.toThrow(/401|unauthori[sz]ed/i)
    await expect(client(other.url, mode, READER)).rejects.toThrow(/403|scope/i)
  })
})

test('a client of the older protocol that takes tasks gets one for a call that is held', async () => {
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

test('a client that can ask its user is given the question, and what it says is checked like any answer', async () => {
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
  // What does not fit is not taken, and the question stays.
  expect(await answer('the moon')).toMatchObject({ resultType: 'input_required' })
  await expect(answer('prod', `${asked.requestState}x`)).rejects.toThrow(/no such call of yours/)
  const next = (await answer('prod')) as unknown as { inputRequests: Record<string, { params: { message: string } }> }
  expect(Object.values(next.inputRequests)[0]?.params.message).toBe('Really prod?')
})

test('a ticket is of whoever got it: not of another key, not of another tenant', async () => {
  const other = await there()
  const mine = await client(other.url, 'legacy')
  const waits = textOf(await mine.callTool({ name: 'pay', arguments: { amount: 7 } }))
  const ticket = /"ticket":"([^"]+)"/.exec(waits)?.[1] ?? ''
  for (const key of [RESOLVER, OTHER]) {
    const theirs = await client(other.url, 'legacy', key)
    expect(textOf(await theirs.callTool({ name: 'wait_for_result', arguments: { ticket } }))).toMatch(/no such ticket/)
    const call = { method: 'tasks/cancel', params: { taskId: ticket } }
    await expect(theirs.request(call, anything)).rejects.toThrow(/no such call of yours/)
  }
  const forged = Buffer.from('mcp-x').toString('base64url')
  expect(textOf(await mine.callTool({ name: 'wait_for_result', arguments: { ticket: `${forged}.x` } }))).toMatch(
    /no such/,
  )
})

test('asking for the result of a call that was cancelled does not begin it again', async () => {
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

test('a client that goes away while its call is worked on calls it off', async () => {
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

test('what comes from another page or under another name is not let in', async () => {
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
