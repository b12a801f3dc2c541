/** A server may ask questions, but not endlessly, not with misleading links, and not for other calls. */
import { afterEach, expect, test } from 'vitest'
import { readElicitation } from '../src/client/elicitation.ts'
import { calling, errorOf, eventually, startAgent, over, valueOf, type TestAgent } from './kit.ts'
import { modern, rawServer, said, stream, type Raw, type Rpc } from '../../../test/raw-mcp-server.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close()
})
const keep = <T extends { close(): Promise<void> }>(made: T): T => {
  open.push(made)
  return made
}

async function talksTo(answers: Parameters<typeof rawServer>[0]): Promise<TestAgent & { readonly raw: Raw }> {
  const raw = keep(await rawServer(answers))
  const here = keep(await startAgent(calling('s.echo', { text: 'hi' }), { servers: [{ name: 's', url: raw.url }] }))
  await here.runtime.send('c', 'Go')
  return { ...here, raw }
}

const asks = (params: unknown): object => ({
  result: {
    resultType: 'input_required',
    inputRequests: { k: { method: 'elicitation/create', params } },
    requestState: 's',
  },
})
const visit = (url: string): object => asks({ mode: 'url', url, message: 'Go there' })
const form = (requestedSchema: object): object => asks({ message: 'Fill this in', requestedSchema })

test.each([
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'file:///etc/passwd',
  'ftp://acme.test/',
  'https://accounts.acme.test@evil.test/login',
  'https://user:password@acme.test/',
  '//acme.test/',
  'vscode://install/evil',
])('a link to %s is refused', async (url) => {
  const here = await talksTo({ ...modern, 'tools/call': () => visit(url) })
  expect(errorOf(await here.outcome())).toMatch(/requests an input that is not supported/)
})

const noQuestions: readonly unknown[] = [
  undefined,
  'Who are you?',
  {},
  { message: 7, requestedSchema: { type: 'object', properties: {} } },
  { message: 'x'.repeat(10_001), requestedSchema: { type: 'object', properties: {} } },
  { message: 'No form' },
  { message: 'No form either', requestedSchema: 'a form' },
  { mode: 'telepathy', message: 'Think', requestedSchema: { type: 'object', properties: {} } },
  { mode: 'url', message: 'Nowhere', url: 7 },
  { mode: 'url', message: 'Nowhere' },
]
test.each(noQuestions.map((params, n) => [n, params] as const))(
  'what is no question that a person could be asked is not asked: no. %i',
  async (_n, params) => {
    const now = await talksTo({ ...modern, 'tools/call': () => asks(params) })
    expect(errorOf(await now.outcome())).toMatch(/requests an input that is not supported/)
    // A legacy server continues without an answer.
    const old = await talksTo({
      'tools/call': (rpc: Rpc) =>
        stream({ id: 9, method: 'elicitation/create', params }, { id: rpc.id, ...said('went on without') }),
    })
    expect(valueOf(await old.outcome())).toBe('went on without')
  },
)

test('a server that requires input without questions is called again with its state, if it has one', async () => {
  const wants = (more: object): object => ({ result: { resultType: 'input_required', ...more } })
  const nothing = await talksTo({ ...modern, 'tools/call': () => wants({}) })
  expect(errorOf(await nothing.outcome())).toMatch(/asks no question|failed/)
  const again = await talksTo({
    ...modern,
    'tools/call': ({ params }: Rpc) =>
      params?.requestState === 'half'
        ? { result: { resultType: 'complete', content: [{ type: 'text', text: 'all of it' }] } }
        : wants({ requestState: 'half' }),
  })
  await over(again)
  expect(valueOf(await again.outcome())).toBe('all of it')
})

test('a page without encryption is allowed only for servers without encryption', async () => {
  const page = { mode: 'url', message: 'Go there', url: 'http://tools.internal/sign' }
  expect(readElicitation(page, false)).toBeUndefined()
  const here = await talksTo({ ...modern, 'tools/call': () => asks(page) })
  expect((await here.held()).url).toBe(page.url)
})

test('an address that is too long is refused', async () => {
  const here = await talksTo({ ...modern, 'tools/call': () => visit(`https://acme.test/${'x'.repeat(3000)}`) })
  expect(errorOf(await here.outcome())).toMatch(/requests an input that is not supported/)
})

test.each([
  ['https://аpple.com/pay', 'https://xn--pple-43d.com/pay'],
  ['https://acme.test\\@evil.test/', 'https://acme.test/@evil.test/'],
  ['ht\ntps://acme.test/a\tb', 'https://acme.test/ab'],
  ['https://acme.test/\u202egpj.exe', 'https://acme.test/%E2%80%AEgpj.exe'],
])('an address is shown as a browser reads it: %j', async (url, shown) => {
  const here = await talksTo({ ...modern, 'tools/call': () => visit(url) })
  expect((await here.held()).url).toBe(shown)
})

test('an unusable or harmful form fails its call', async () => {
  let deep: object = { type: 'string' }
  for (let level = 0; level < 60; level++) deep = { type: 'object', properties: { deeper: deep } }
  for (const schema of [
    deep,
    { type: 'object', properties: { a: { $ref: 'https://evil.test/schema' } } },
    { type: 'object', properties: { a: { $ref: '#/properties/a' } } },
    { type: 'object', properties: { a: { type: 'string', pattern: '(' } } },
    { type: 'object', description: 'x'.repeat(200_000) },
    { type: 'nothing' },
  ]) {
    const here = await talksTo({ ...modern, 'tools/call': () => form(schema) })
    const view = await here.runtime.view('c')
    expect([view?.status, JSON.stringify(schema).slice(0, 100)]).toEqual(['idle', JSON.stringify(schema).slice(0, 100)])
    expect((await here.outcome()).ok).toBe(false)
  }
})

test('only requested fields are sent, whatever the form allows', async () => {
  const here = await talksTo({
    ...modern,
    'tools/call': ({ params }: Rpc) =>
      params?.inputResponses
        ? said(JSON.stringify(params.inputResponses))
        : form({ type: 'object', properties: { name: { type: 'string' } }, additionalProperties: true }),
  })
  const { callId } = await here.held()
  expect(await here.runtime.answer('c', callId, { name: 'Ada', token: 'x' })).toMatchObject({ verdict: 'invalid' })
})

test('sampling and roots are not supported in either era', async () => {
  for (const method of ['sampling/createMessage', 'roots/list']) {
    const now = await talksTo({
      ...modern,
      'tools/call': () => ({
        result: { resultType: 'input_required', inputRequests: { k: { method, params: { messages: [] } } } },
      }),
    })
    expect(errorOf(await now.outcome())).toContain(`requests an input that is not supported: "${method}"`)
    const old = await talksTo({
      'tools/call': (rpc: Rpc) =>
        stream({ id: 9, method, params: { messages: [], maxTokens: 1 } }, { id: rpc.id, ...said('went on without') }),
    })
    expect(valueOf(await old.outcome())).toBe('went on without')
    const { error } = await eventually(
      () => old.raw.asked.find(({ rpc }) => rpc.id === 9)?.rpc as { error?: { code: number } } | undefined,
    )
    expect(error?.code).toBe(-32_601)
  }
})

test('a call with too many questions fails', async () => {
  const here = await talksTo({
    'tools/call': () =>
      stream(
        ...Array.from({ length: 300 }, (_, n) => ({
          id: `q${n}`,
          method: 'elicitation/create',
          params: { message: `${n}?`, requestedSchema: { type: 'object', properties: {} } },
        })),
      ),
  })
  await here.held()
  const refused = await eventually(() => {
    const told = here.raw.asked.flatMap(({ rpc }) => ('result' in rpc ? [rpc.result as { action: string }] : []))
    return told.length >= 250 ? told : undefined
  })
  expect(refused.every(({ action }) => action === 'cancel')).toBe(true)
})

test('a task has the same limit of questions as a call, and no question is asked twice', async () => {
  let round = 0
  const ask = {
    method: 'elicitation/create',
    params: { message: 'Again?', requestedSchema: { type: 'object', properties: {} } },
  }
  const here = await talksTo({
    ...modern,
    'tools/call': () => ({ result: { resultType: 'task', taskId: 't', status: 'working', pollIntervalMs: 250 } }),
    'tasks/get': () => ({
      result: {
        resultType: 'complete',
        taskId: 't',
        status: 'input_required',
        pollIntervalMs: 250,
        inputRequests: { first: ask, [`k${round}`]: ask },
      },
    }),
    'tasks/update': () => {
      round++
      return { result: { resultType: 'complete' } }
    },
  })
  const asked = new Set<number>()
  for (;;) {
    const next = await eventually(async () => {
      if ((await here.runtime.view('c'))?.status === 'idle') return 'over' as const
      return (await here.runtime.pending()).items.find(({ kind, nth }) => kind === 'elicitation' && !asked.has(nth))
    })
    if (next === 'over' || asked.size > 60) break
    asked.add(next.nth)
    await here.runtime.answer('c', next.callId, {}, { hold: next.nth })
  }
  expect(errorOf(await here.outcome())).toMatch(/asks too many questions/)
  expect(here.raw.asked.filter(({ rpc }) => 'first' in (rpc.params?.inputResponses ?? {}))).toHaveLength(1)
}, 240_000)
