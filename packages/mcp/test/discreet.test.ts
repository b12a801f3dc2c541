/** A secret that is sent to a server is never heard again, whatever the server does with it. */
import type { ServerResponse } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { calling, errorOf, eventually, near, type Near } from './kit.ts'
import { ECHO, modern, rawServer, said, stream, type Raw, type Rpc } from '../../../test/raw-mcp-server.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close()
})
const keep = <T extends { close(): Promise<void> }>(made: T): T => {
  open.push(made)
  return made
}

const SECRET = 'very-secret-indeed'
type Answers = Parameters<typeof rawServer>[0]

async function talksTo(answers: Answers, tools?: object[]): Promise<Near> {
  const raw: Raw = keep(await rawServer(answers))
  if (tools) raw.tools = tools
  const here = keep(
    await near([...calling('s.echo', { text: 'hi' }), ...calling('s.echo', { text: 'ho' })], {
      servers: [{ name: 's', url: raw.url, headers: { authorization: { $secret: 'TOKEN' } } }],
      secrets: () => `Bearer ${SECRET}`,
    }),
  )
  await here.runtime.send('c', 'Go')
  return here
}

async function everythingKept(here: Near): Promise<string> {
  const kept = await Promise.all(
    ['mcp-tool', 'mcp-task'].map((kind) => here.store.documents({ tenant: '', kind, limit: 100 })),
  )
  const events = [await here.runtime.events('c'), await here.runtime.events('d')]
  return JSON.stringify([events, kept, await here.mcp.status(), here.model.requests])
}

const says = (response: ServerResponse): void => void response.writeHead(400).end(`You sent ${SECRET}`)

test('in the text of a refusal to connect, also where that is cut short', async () => {
  for (const before of ['', 'x'.repeat(200), 'x'.repeat(215), 'x'.repeat(230), 'x'.repeat(245)]) {
    const here = await talksTo(
      {
        initialize: () => (response: ServerResponse) => void response.writeHead(400).end(`${before} ${SECRET}`),
      },
      [ECHO],
    )
    expect(await everythingKept(here)).not.toContain(SECRET.slice(0, 8))
  }
})

test('in the text of a refusal of a call, and of a call while it is away', async () => {
  let refuses = false
  const here = await talksTo({
    'tools/call': () => says,
    initialize: () => (refuses ? says : undefined),
  })
  expect(errorOf(await here.outcome())).toMatch(/MCP server "s" failed/)
  refuses = true
  await here.runtime.send('d', 'Go')
  expect(errorOf(await here.outcome('d'))).toMatch(/MCP server "s" cannot be reached/)
  expect(await everythingKept(here)).not.toContain(SECRET)
})

test('in what it says of its tools', async () => {
  const here = await talksTo({}, [{ ...ECHO, description: `Says it again, like ${SECRET}` }])
  expect(await everythingKept(here)).not.toContain(SECRET)
})

test('in its progress and its questions, of either era', async () => {
  const params = { message: `Is it ${SECRET}?`, requestedSchema: { type: 'object', properties: {} } }
  const old = await talksTo({
    'tools/call': (rpc: Rpc) =>
      stream(
        {
          method: 'notifications/progress',
          params: { progressToken: rpc.params?._meta?.['progressToken'], progress: 1, message: SECRET },
        },
        { id: 77, method: 'elicitation/create', params },
      ),
  })
  expect(await old.held()).toMatchObject({ reason: 'Is it [secret TOKEN]?' })
  const now = await talksTo({
    ...modern,
    'tools/call': () => ({
      result: { resultType: 'input_required', inputRequests: { k: { method: 'elicitation/create', params } } },
    }),
  })
  expect(await now.held()).toMatchObject({ reason: 'Is it [secret TOKEN]?' })
  for (const here of [old, now]) expect(await everythingKept(here)).not.toContain(SECRET)
})

test('in what it says of a task', async () => {
  const here = await talksTo({
    ...modern,
    'tools/call': () => ({
      result: { resultType: 'task', taskId: 't', status: 'working', statusMessage: SECRET, pollIntervalMs: 250 },
    }),
    'tasks/get': () => ({
      result: { resultType: 'complete', taskId: 't', status: 'failed', error: { message: SECRET } },
    }),
  })
  await eventually(async () => ((await here.runtime.view('c'))?.status === 'idle' ? true : undefined))
  expect(errorOf(await here.outcome())).toContain('[secret TOKEN]')
  expect(await everythingKept(here)).not.toContain(SECRET)
})

test('and a server that gives its result after all is read without it', async () => {
  const here = await talksTo({ 'tools/call': () => said(`You sent ${SECRET}`) })
  expect(await here.outcome()).toEqual({ ok: true, value: 'You sent [secret TOKEN]' })
})
