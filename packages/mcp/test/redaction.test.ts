/** A secret that is sent to a server never appears in its output, wherever the server repeats it. */
import type { ServerResponse } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { credentialsIn } from '../src/client/server-identity.ts'
import { calling, errorOf, eventually, startAgent, type TestAgent } from './kit.ts'
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

async function talksTo(answers: Answers, tools?: object[]): Promise<TestAgent> {
  const raw: Raw = keep(await rawServer(answers))
  if (tools) raw.tools = tools
  const here = keep(
    await startAgent([...calling('s.echo', { text: 'hi' }), ...calling('s.echo', { text: 'ho' })], {
      servers: [{ name: 's', url: raw.url, headers: { authorization: { $secret: 'TOKEN' } } }],
      secrets: () => `Bearer ${SECRET}`,
    }),
  )
  await here.runtime.send('c', 'Go')
  return here
}

async function everythingKept(here: TestAgent): Promise<string> {
  const kept = await Promise.all(
    ['mcp-tool', 'mcp-task'].map((kind) => here.store.documents({ tenant: '', kind, limit: 100 })),
  )
  const events = [await here.runtime.events('c'), await here.runtime.events('d')]
  return JSON.stringify([events, kept, await here.mcp.status(), here.model.requests])
}

const says = (response: ServerResponse): void => void response.writeHead(400).end(`You sent ${SECRET}`)

test('in the error of a refused connection, also where the text is cut', async () => {
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

test('in the error of a refused call, and of a call while the server is unavailable', async () => {
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

test('in the definitions of its tools', async () => {
  const here = await talksTo({}, [{ ...ECHO, description: `Says it again, like ${SECRET}` }])
  expect(await everythingKept(here)).not.toContain(SECRET)
})

test('in its progress and its questions, in either era', async () => {
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

test('in the status of a task', async () => {
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

test('in the result of a call', async () => {
  const here = await talksTo({ 'tools/call': () => said(`You sent ${SECRET}`) })
  expect(await here.outcome()).toEqual({ ok: true, value: 'You sent [secret TOKEN]' })
})

test('the path, query and arguments of a server are not shown: only its origin or the name of its command', async () => {
  // As web servers do for an unknown path.
  const repeats = (response: ServerResponse): void =>
    void response.writeHead(404).end(`Cannot POST ${response.req.url ?? ''} ${SECRET}`)
  const raw = keep(await rawServer({ initialize: () => repeats, 'server/discover': () => repeats }))
  const inPath = 'a1b2c3d4e5f6a7b8c9d0'
  const servers = [
    { name: 's', url: `${raw.url}/private/${inPath}?access_token=${SECRET}` },
    { name: 'p', transport: 'stdio', command: '/no/such/dir/mail-server', args: ['--password', SECRET] },
  ] as const
  const here = keep(await startAgent(['Hello.'], { servers }))
  await here.runtime.send('c', 'Go')
  const status = await here.mcp.status()
  expect(status).toMatchObject([
    { name: 's', at: new URL(raw.url).origin, health: 'away', lastError: expect.stringContaining('Cannot POST') },
    { name: 'p', at: 'mail-server', health: 'away' },
  ])
  expect(JSON.stringify(status)).not.toContain(SECRET)
  expect(JSON.stringify(status)).not.toContain(inPath)
})

test.each<[string, readonly string[], Readonly<Record<string, string>> | undefined]>([
  ['an argument after its flag', ['--db', 'accounts', '--password', SECRET], undefined],
  ['an argument with its flag', [`--api-key=${SECRET}`], undefined],
  ['the environment', ['/home/ada/project'], { GITHUB_TOKEN: SECRET, LANG: 'en_GB.UTF-8' }],
])('a credential in %s of a command is removed from the output of its server', (_, args, env) => {
  const server = { name: 'p', transport: 'stdio', command: 'mail-server', args, ...(env && { env }) } as const
  expect(credentialsIn(server)).toEqual([SECRET])
})
