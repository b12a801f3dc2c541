/** The right to answer is checked on the hold that the answer is written to, not on one that was read before. */
import { manualClock, scriptedModel, testPorts, type ManualClock } from '@holdpoint/testing'
import { agent, ask as question, later, memoryStore, Runtime, tool, type LogEvent, type Store } from 'holdpoint'
import { gateway, type Gateway } from '@holdpoint/gateway'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { SCOPES } from './kit.ts'

const keyOf = (scope: string): string => `hp_${scope}`.padEnd(40, '0')
const KEYS = SCOPES.map((scope) => ({ key: keyOf(scope), tenant: 'acme', scopes: [scope] }))
const input = z.object({})

let clock: ManualClock
let runtime: Runtime
let api: Gateway
let store: Store
/** Lets the tool `decide` ask its question. */
let ready: PromiseWithResolvers<void>

beforeEach(async () => {
  clock = manualClock()
  ready = Promise.withResolvers()
  store = { ...memoryStore({ now: clock.now }) }
  const tools = [
    tool({
      name: 'decide',
      description: 'Work something out, then ask a person',
      input,
      run: async ({ resumed }) => {
        if (resumed) return resumed.answer
        await ready.promise
        return question({ prompt: 'Pay 5,000 euros?' })
      },
    }),
    tool({
      name: 'fetch',
      description: 'Wait for a file; when none came in time, ask a person',
      input,
      run: ({ resumed }) => {
        if (!resumed) return later({ after: '10 s' })
        return resumed.answer ?? question({ prompt: 'Where is the file?' })
      },
    }),
  ]
  const model = scriptedModel(({ prompt }) => {
    const last = prompt.at(-1)
    const [name] = last?.role === 'user' ? (/decide|fetch/.exec(JSON.stringify(last.parts)) ?? []) : []
    return name === undefined ? 'Done.' : { calls: [{ name }] }
  })
  const agents = [agent({ name: 'desk', model, tools })]
  runtime = await Runtime.open({ store, agents, ports: testPorts({ clock }) })
  api = gateway({ runtime, store, agents, auth: { keys: KEYS }, now: clock.now })
})
afterEach(async () => {
  ready.resolve()
  await api.close()
  await runtime.close()
})

interface KitResponse {
  readonly status: number
  readonly code: string
}

async function post(
  as: string,
  path: string,
  sent: object,
): Promise<KitResponse & { readonly items?: { claim: string }[] }> {
  const headers = { authorization: `Bearer ${keyOf(as)}`, 'content-type': 'application/json' }
  const request = new Request(`http://localhost/api/${path}`, { method: 'POST', headers, body: JSON.stringify(sent) })
  const response = await api.fetch(request)
  const body = (await response.json()) as { code?: string; verdict?: string; items?: { claim: string }[] }
  return { status: response.status, code: body.code ?? body.verdict ?? '', ...(body.items && { items: body.items }) }
}

const events = (): Promise<readonly LogEvent[]> => runtime.tenant('acme').events('c1')
const kindNow = async (): Promise<string | undefined> =>
  (await runtime.tenant('acme').pending({ conversationId: 'c1' })).items[0]?.kind
const answered = async (): Promise<boolean> => (await events()).some((event) => 'resolution' in event)

/** Sends the message and waits for the call. */
async function callOf(content: string): Promise<string> {
  await runtime.tenant('acme').submit('c1', content)
  return vi.waitFor(async () => {
    const started = (await events()).find((event) => event.type === 'call.started')
    if (!started) throw new Error('not yet')
    return started.callId
  })
}

/** Makes every separate read of the call stale: the hold changes before the read returns. */
function changeHoldDuringRead(): void {
  const { readCall } = store
  store.readCall = async (...asked) => {
    const before = await readCall(...asked)
    ready.resolve()
    await vi.waitFor(async () => expect(await kindNow()).toBe('elicitation'))
    return before
  }
}

test.each([
  ['agent', (callId: string) => `holds/c1/${callId}/resolve`, () => ({ kind: 'answer', value: 'yes' })],
  [
    'worker',
    (callId: string) => `runs/${callId.split('.')[0]}/tool-results`,
    (callId: string) => ({ callId, conversationId: 'c1', result: 'yes' }),
  ],
])('an answer with the scope %s cannot settle a question that is asked during its check', async (as, path, body) => {
  const callId = await callOf('decide')
  changeHoldDuringRead()
  const early = await post(as, path(callId), body(callId))
  expect(early.status).toBeGreaterThanOrEqual(400)
  ready.resolve()
  await vi.waitFor(async () => expect(await kindNow()).toBe('elicitation'))
  expect(await post(as, path(callId), body(callId))).toEqual({ status: 403, code: 'not-allowed' })
  expect(await answered()).toBe(false)
  expect(await post('resolver', `holds/c1/${callId}/resolve`, { kind: 'answer', value: 'no' })).toMatchObject({
    status: 200,
  })
})

test('a claim is for one hold: the worker cannot answer a later question to a person', async () => {
  const callId = await callOf('fetch')
  await vi.waitFor(async () => expect(await kindNow()).toBe('external'))
  const { items } = await post('worker', 'calls/claim', { tools: ['fetch'], ttlMs: 60_000 })
  const claim = items?.[0]?.claim ?? ''
  await clock.advance(11_000)
  await vi.waitFor(async () => expect(await kindNow()).toBe('elicitation'))
  const late = await post('worker', `calls/${callId}/result`, { claim, result: 'I say so' })
  expect(late).toMatchObject({ status: 410, code: 'expired' })
  expect(await answered()).toBe(false)
  expect(await kindNow()).toBe('elicitation')
})
