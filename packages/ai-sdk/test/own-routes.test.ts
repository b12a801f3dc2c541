/** `toUIMessageStreamResponse` without a server: a Request in, a Response out, as in any framework. */
import { toUIMessageStreamResponse, type UiMessageStreamOptions } from '@holdpoint/ai-sdk'
import { scriptedModel, type Script } from '@holdpoint/testing'
import { agent, holdpoint, memoryStore, tool, type Model, type Runtime } from 'holdpoint'
import { afterEach, expect, test, vi } from 'vitest'
import { z } from 'zod'

const open: Runtime[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

interface Routes {
  readonly runtime: Runtime
  readonly ran: readonly unknown[]
  /** A request of a person; the path is after `/api/chat`. */
  ask(
    method: string,
    path: string,
    options?: Partial<Omit<UiMessageStreamOptions, 'by'>> & {
      readonly as?: string
      readonly body?: unknown
      readonly type?: string
    },
  ): Promise<Response>
}

async function routes(script: readonly Script[] | Model): Promise<Routes> {
  const ran: unknown[] = []
  const model = 'stream' in script ? script : scriptedModel(script)
  const email = tool({
    name: 'email',
    description: 'Send',
    input: z.object({ to: z.string() }),
    approval: 'required',
    run: ({ input }) => {
      ran.push(input)
      return 'sent'
    },
  })
  const runtime = await holdpoint({
    store: memoryStore({ now: Date.now }),
    agents: [agent({ name: 'desk', model, tools: [email] })],
  })
  open.push(runtime)
  return {
    runtime,
    ran,
    ask: (method, path, { as = 'ada', body, type = 'application/json', ...options } = {}) =>
      toUIMessageStreamResponse(
        runtime,
        new Request(`http://localhost/api/chat${path}`, {
          method,
          ...(body !== undefined && {
            body: typeof body === 'string' ? body : JSON.stringify(body),
            headers: { 'content-type': type },
          }),
        }),
        { by: { id: as, kind: 'person' }, ...options },
      ),
  }
}

const email = { calls: [{ name: 'email', input: { to: 'bo' } }] }
const says = (text: string, id = 'c1'): object => ({
  id,
  messages: [{ id: `m-${text}`, role: 'user', parts: [{ type: 'text', text }] }],
})
const detail = async (response: Response): Promise<unknown> => [
  response.status,
  ((await response.json()) as { detail: string }).detail,
]

/** The message as a page shows it after the history was loaded, with every approval given. */
async function approved({ ask }: Routes): Promise<object> {
  const { messages } = (await (await ask('GET', '/c1')).json()) as { messages: { parts: Record<string, unknown>[] }[] }
  const given = messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) =>
      part['state'] === 'approval-requested'
        ? { ...part, state: 'approval-responded', approval: { ...(part['approval'] as object), approved: true } }
        : part,
    ),
  }))
  return { id: 'c1', messages: given }
}

test('a message is streamed with the headers that useChat needs', async () => {
  const { ask } = await routes(['Hello.'])
  const response = await ask('POST', '', { body: says('hi') })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  expect(response.headers.get('x-vercel-ai-ui-message-stream')).toBe('v1')
  const text = await response.text()
  expect(text).toContain('"delta":"Hello."')
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  expect((await ask('GET', '/c1/stream')).status).toBe(200)
  expect((await ask('GET', '/other/stream')).status).toBe(204)
})

test('only the owner and participants use a conversation, unless the application decides', async () => {
  const here = await routes(['Hello.', 'Again.'])
  await (await here.ask('POST', '', { body: says('hi') })).text()
  for (const [method, path, body] of [
    ['GET', '/c1', undefined],
    ['GET', '/c1/stream', undefined],
    ['POST', '/c1/stop', undefined],
    ['POST', '', says('let me in')],
  ] as const) {
    const response = await here.ask(method, path, { as: 'eve', body })
    expect(await detail(response)).toEqual([403, 'You are not a participant of this conversation.'])
  }
  const asked: string[] = []
  const allowed = (id: string): boolean => asked.push(id) > 0
  expect((await here.ask('GET', '/c1', { as: 'eve', allowed })).status).toBe(200)
  expect(await (await here.ask('POST', '', { as: 'eve', body: says('hello'), allowed })).text()).toContain('Again.')
  expect(asked).toEqual(['c1', 'c1'])
})

test('the kinds of hold that a page may answer can be fewer', async () => {
  const here = await routes([email, 'Sent.'])
  await (await here.ask('POST', '', { body: says('write') })).text()
  const refused = await (await here.ask('POST', '', { body: await approved(here), kinds: ['client'] })).text()
  expect(refused).toContain('"verdict":"not-allowed"')
  expect(here.ran).toEqual([])
  const taken = await (await here.ask('POST', '', { body: await approved(here) })).text()
  expect(taken).toContain('"delta":"Sent."')
  expect(here.ran).toEqual([{ to: 'bo' }])
})

test('two people who post a message with the same id have two messages', async () => {
  const here = await routes(['First.', 'Second.'])
  const body = says('hi')
  await (await here.ask('POST', '', { body })).text()
  await here.runtime.changeParticipants('c1', { add: ['ben'], by: { id: 'ada', kind: 'person' } })
  expect(await (await here.ask('POST', '', { as: 'ben', body })).text()).toContain('Second.')
  expect((await here.runtime.view('c1'))?.turns).toHaveLength(2)
})

/** A model that waits in the middle of its reply. */
function halting(): { readonly model: Model; readonly goOn: () => void } {
  const gate = Promise.withResolvers<void>()
  const model: Model = {
    id: 'halting',
    async *stream() {
      yield { type: 'text', id: 't', delta: 'Once ' }
      await gate.promise
      yield { type: 'text', id: 't', delta: 'more' }
      yield { type: 'finish', reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } }
    },
  }
  return { model, goOn: gate.resolve }
}

test('a page that leaves ends only its stream, and a person who is removed sees nothing more', async () => {
  const { model, goOn } = halting()
  const { ask, runtime } = await routes(model)
  const left = await ask('POST', '', { body: says('a story') })
  await left.body?.cancel()
  const by = { id: 'ada', kind: 'person' } as const
  await runtime.changeParticipants('c1', { add: ['ben'], by })
  const watched = (await ask('GET', '/c1/stream', { as: 'ben' })).text().catch((error: Error) => error.message)
  await runtime.changeParticipants('c1', { remove: ['ben'], by })
  expect(await watched).toContain('no longer followed')
  goOn()
  await vi.waitFor(async () => expect((await runtime.view('c1'))?.status).toBe('idle'))
  expect(await (await ask('GET', '/c1')).text()).toContain('Once more')
})

test('the turn is stopped with the stop route', async () => {
  const { model, goOn } = halting()
  const { ask, runtime } = await routes(model)
  const stream = await ask('POST', '', { body: says('a story') })
  expect((await ask('POST', '/c1/stop')).status).toBe(200)
  expect(await stream.text()).toContain('"reason":"cancelled"')
  expect((await ask('POST', '/c1/stop')).status).toBe(409)
  expect((await runtime.view('c1'))?.status).toBe('idle')
  goOn()
})

test.each([
  ['text instead of JSON', 'POST', '', { body: '{}', type: 'text/plain' }, 415],
  ['half of a body', 'POST', '', { body: '{"id":' }, 400],
  [
    'a body that is nested too deeply',
    'POST',
    '',
    { body: `{"id":"c1","messages":${'['.repeat(5000)}${']'.repeat(5000)}}` },
    400,
  ],
  ['a body that is too large', 'POST', '', { body: `"${'x'.repeat(4_000_001)}"` }, 413],
  ['no messages', 'POST', '', { body: { id: 'c1' } }, 422],
  ['an id with a line break', 'POST', '', { body: says('hi', 'a\nb') }, 422],
  ['another method', 'DELETE', '/c1', {}, 405],
] as const)('a request with %s is refused, and nothing is written', async (_what, method, path, options, status) => {
  const { ask, runtime } = await routes([])
  const response = await ask(method, path, options)
  expect(await detail(response)).toEqual([status, expect.any(String)])
  expect((await runtime.list()).items).toEqual([])
})

test('without a person there is no answer', async () => {
  const { runtime } = await routes([])
  const request = new Request('http://localhost/api/chat/c1')
  await expect(toUIMessageStreamResponse(runtime, request, {} as UiMessageStreamOptions)).rejects.toThrow('needs `by`')
})
