/** Whether a client is there that can run a tool, as far as those who are connected here say so. */
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

let doors: Gateway[]
let clock: ManualClock
let end: () => Promise<void>
beforeEach(async () => {
  clock = manualClock()
  const store = memoryStore({ now: clock.now })
  const agents = [agent({ name: 'desk', model: obedient, tools: [refund] })]
  const nodes = await Promise.all(
    [1, 2].map((n) => Runtime.open({ store, agents, ports: testPorts({ clock, prefix: `n${n}` }) })),
  )
  doors = nodes.map((runtime) => gateway({ runtime, store, agents, auth: { keys: KEYS } }))
  end = async () => {
    await Promise.all(doors.map((door) => door.close()))
    const closing = Promise.all(nodes.map((node) => node.close()))
    await pass(1000)
    await closing
  }
})
afterEach(() => end())

const ask = (door: number, method: string, path: string, { as = 'admin', body, accept }: Ask = {}): Promise<Response> =>
  doors[door]!.fetch(
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
const stream = (door: number, tools: string, as = 'admin'): Promise<Response> =>
  ask(door, 'GET', `conversations/c1/events?tools=${tools}`, { as, accept: 'text/event-stream' })
const send = (): Promise<Response> =>
  ask(0, 'POST', 'conversations/c1/messages?wait=5', { body: { content: 'refund 5' } })
const outcome = async (): Promise<unknown> => {
  const view = (await (await ask(0, 'GET', 'conversations/c1')).json()) as {
    turns: { steps: { calls: { outcome?: unknown }[] }[] }[]
  }
  return view.turns[0]?.steps[0]?.calls[0]?.outcome
}
/** Time passes, and everybody does what there is to do. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 100) {
    await clock.advance(100)
    for (let n = 0; n < 5; n++) await new Promise((resolve) => setImmediate(resolve))
  }
}

test('a reader of any node who can run the tool keeps its call waiting, and one who leaves does not', async () => {
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

test('a reader who says nothing of the tool is none', async () => {
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

test('only who may answer says so, on a stream, with names of tools', async () => {
  await ask(0, 'POST', 'conversations', { body: { id: 'c1' } })
  const told = async (response: Response): Promise<readonly [number, unknown]> => {
    const { status } = response
    return [status, status < 400 ? await response.body?.cancel() : ((await response.json()) as { code: string }).code]
  }
  for (const as of ['reader', 'worker'])
    expect(await told(await stream(0, 'refund', as))).toEqual([403, 'scope-missing'])
  expect(await told(await ask(0, 'GET', 'conversations/c1/events?tools=refund'))).toEqual([422, 'bad-request'])
  const many = Array.from({ length: 101 }, (_, nth) => `t${nth}`).join(',')
  for (const bad of ['', ',', 'a,', 'a%20b', '%0d%0a', '%00', many, 'a'.repeat(129)])
    expect(await told(await stream(0, bad))).toEqual([422, 'bad-request'])
  expect((await told(await stream(0, 'refund')))[0]).toBe(200)
})

test('whoever may talk answers for the tools of their page, and approves nothing', async () => {
  await ask(0, 'POST', 'conversations', { body: { id: 'c1' } })
  const response = await stream(0, 'refund', 'agent')
  const sent = (await (await send()).json()) as { result: { holds: { callId: string }[] } }
  const callId = sent.result.holds[0]!.callId
  const resolve = async (body: object): Promise<readonly [number, string]> => {
    const told = await ask(0, 'POST', `holds/c1/${callId}/resolve`, { as: 'agent', body })
    const { code, verdict } = (await told.json()) as { code?: string; verdict: string }
    return [told.status, code ?? verdict]
  }
  expect(await resolve({ kind: 'approve' })).toEqual([403, 'scope-missing'])
  expect(await resolve({ kind: 'reject' })).toEqual([403, 'scope-missing'])
  expect(await resolve({ kind: 'answer', value: 1 })).toEqual([200, 'accepted'])
  await response.body?.cancel()
})

test('what a tool may be called may be said, and nothing else', () => {
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
