/** Whether a connected client can run a tool, as declared on its stream. */
import { manualClock, testPorts, type ManualClock } from '@holdpoint/testing'
import { agent, memoryStore, Runtime, tool } from 'holdpoint'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { decodeClientTools, encodeClientTools } from '@holdpoint/protocol'
import { gateway, type Gateway } from '@holdpoint/gateway'
import { obedient, SCOPES } from './kit.ts'

const KEYS = SCOPES.map((scope) => ({ key: `hp_${scope}`.padEnd(40, '0'), tenant: 'acme', scopes: [scope] }))
const keyOf = (scope: string): string => `hp_${scope}`.padEnd(40, '0')
const refundOptions = {
  name: 'refund',
  description: 'In the browser',
  executor: 'client',
  timeout: '1 h',
  grace: '1 s',
  input: z.looseObject({}),
} as const
const refund = tool(refundOptions)

let gateways: Gateway[]
let clock: ManualClock
let end: () => Promise<void>
beforeEach(async () => {
  clock = manualClock()
  const store = memoryStore({ now: clock.now })
  const agents = [agent({ name: 'desk', model: obedient, tools: [refund] })]
  const nodes = await Promise.all(
    [1, 2].map((n) => Runtime.open({ store, agents, ports: testPorts({ clock, prefix: `n${n}` }) })),
  )
  gateways = nodes.map((runtime) => gateway({ runtime, store, agents, auth: { keys: KEYS } }))
  end = async () => {
    await Promise.all(gateways.map((api) => api.close()))
    const closing = Promise.all(nodes.map((node) => node.close()))
    await pass(1000)
    await closing
  }
})
afterEach(() => end())

const ask = (api: number, method: string, path: string, { as = 'admin', body, accept }: Ask = {}): Promise<Response> =>
  gateways[api]!.fetch(
    new Request(`http://localhost/api/${path}`, {
      method,
      headers: {
        authorization: `Bearer ${keyOf(as)}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(accept !== undefined && { accept }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  )
interface Ask {
  readonly as?: string
  readonly body?: object
  readonly accept?: string
}
const stream = (api: number, tools: string, as = 'admin'): Promise<Response> =>
  ask(api, 'GET', `conversations/c1/events?tools=${tools}`, { as, accept: 'text/event-stream' })
const send = (): Promise<Response> =>
  ask(0, 'POST', 'conversations/c1/messages?wait=5', { body: { content: 'refund 5' } })
const outcome = async (): Promise<unknown> => {
  const view = (await (await ask(0, 'GET', 'conversations/c1')).json()) as {
    turns: { steps: { calls: { outcome?: unknown }[] }[] }[]
  }
  return view.turns[0]?.steps[0]?.calls[0]?.outcome
}
/** Advances the clock and lets all pending work run. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 100) {
    await clock.advance(100)
    for (let n = 0; n < 5; n++) await new Promise((resolve) => setImmediate(resolve))
  }
}

test('a connected reader on any node that can run the tool keeps its call waiting, until it disconnects', async () => {
  await ask(0, 'POST', 'conversations', { body: { id: 'c1' } })
  const response = await stream(1, 'print,refund')
  expect(response.status).toBe(200)
  await send()
  await pass(60_000)
  expect(await outcome()).toBeUndefined()
  await response.body?.cancel()
  await pass(1000)
  expect(await outcome()).toMatchObject({ error: { code: 'no-client' } })
})

test('a reader that does not declare the tool does not count', async () => {
  await ask(0, 'POST', 'conversations', { body: { id: 'c1' } })
  const readers = [
    await stream(1, 'print'),
    await ask(0, 'GET', 'conversations/c1/events', { accept: 'text/event-stream' }),
  ]
  await send()
  await pass(1000)
  expect(await outcome()).toMatchObject({ error: { code: 'no-client' } })
  for (const { body } of readers) await body?.cancel()
})

test('declaring tools needs the right scope, a stream and valid tool names', async () => {
  await ask(0, 'POST', 'conversations', { body: { id: 'c1' } })
  const response = async (response: Response): Promise<readonly [number, unknown]> => {
    const { status } = response
    return [status, status < 400 ? await response.body?.cancel() : ((await response.json()) as { code: string }).code]
  }
  for (const as of ['reader', 'worker'])
    expect(await response(await stream(0, 'refund', as))).toEqual([403, 'scope-missing'])
  expect(await response(await ask(0, 'GET', 'conversations/c1/events?tools=refund'))).toEqual([422, 'bad-request'])
  const many = Array.from({ length: 101 }, (_, nth) => `t${nth}`).join(',')
  for (const bad of ['', ',', 'a,', 'a%20b', '%0d%0a', '%00', many, 'a'.repeat(129)])
    expect(await response(await stream(0, bad))).toEqual([422, 'bad-request'])
  expect((await response(await stream(0, 'refund')))[0]).toBe(200)
})

test('the scope agent answers calls of client tools, and approves nothing', async () => {
  await ask(0, 'POST', 'conversations', { body: { id: 'c1' } })
  const response = await stream(0, 'refund', 'agent')
  const sent = (await (await send()).json()) as { result: { holds: { callId: string }[] } }
  const callId = sent.result.holds[0]!.callId
  const resolve = async (body: object): Promise<readonly [number, string]> => {
    const response = await ask(0, 'POST', `holds/c1/${callId}/resolve`, { as: 'agent', body })
    const { code, verdict } = (await response.json()) as { code?: string; verdict: string }
    return [response.status, code ?? verdict]
  }
  expect(await resolve({ kind: 'approve' })).toEqual([422, 'wrong-kind'])
  expect(await resolve({ kind: 'reject' })).toEqual([422, 'wrong-kind'])
  expect(await resolve({ kind: 'answer', value: 1 })).toEqual([200, 'accepted'])
  await response.body?.cancel()
})

test('every valid tool name can be declared, and nothing else', () => {
  const named = (name: string): boolean => {
    try {
      return tool({ ...refundOptions, name }).name === name
    } catch {
      return false
    }
  }
  const odd = ['.', '', 'a b', 'a,b', 'é', '-a', '_a', 'a\n', 'a'.repeat(129)]
  for (const name of ['a', '1', 'notes.search', 'a:b/c-d_e', 'a'.repeat(128), ...odd]) {
    const fits = named(name)
    expect(fits, name).toBe(!odd.includes(name))
    if (fits) expect(decodeClientTools(encodeClientTools([name]))).toEqual([name])
    else expect(() => encodeClientTools([name]), name).toThrow(TypeError)
  }
})
