/** A server that is slow, down, malformed or hostile affects only its own tools. */
import { tool } from 'holdpoint'
import type { ServerResponse } from 'node:http'
import { afterEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { freePort } from './everything.ts'
import { call, calling, errorOf, eventually, startAgent, storeInMemory, valueOf, type TestAgent } from './kit.ts'
import { ECHO, rawServer, type Raw, type Rpc } from '../../../test/raw-mcp-server.ts'

// On a busy machine, compiling hundreds of schemas may take longer than a step waits.
vi.mock(import('../src/client/limits.ts'), async (original) => {
  const { LIMITS } = await original()
  return { LIMITS: { ...LIMITS, tools: 60 } as never }
})

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const each of open.splice(0).toReversed()) await each.close()
})
const keep = <T extends { close(): Promise<void> }>(made: T): T => {
  open.push(made)
  return made
}
const raw = async (...given: Parameters<typeof rawServer>): Promise<Raw> => keep(await rawServer(...given))
const own = tool({ name: 'own', description: 'Ours', input: z.object({}), run: () => 'ours works' })

async function beside(bad: Raw, name = 'bad.echo'): Promise<TestAgent> {
  const good = await raw()
  const scripts = [call('good.echo', { text: 'hi' }), call('own'), call(name, { text: 'hi' }), 'Done.']
  const servers = [
    { name: 'good', url: good.url },
    { name: 'bad', url: bad.url, timeout: 1500 },
  ]
  const here = keep(await startAgent(scripts, { servers, agent: { tools: [own] } }))
  await here.runtime.send('c', 'Go')
  const values = (await here.runtime.events('c')).flatMap((event) =>
    event.type === 'call.settled' ? [event.outcome] : [],
  )
  expect(values.slice(0, 2)).toEqual([
    { ok: true, value: 'said hi' },
    { ok: true, value: 'ours works' },
  ])
  return here
}

function endless(head: string, piece: string) {
  return (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(head)
    const more = (): void => {
      while (!response.destroyed && response.write(piece)) {
        // until the buffer is full
      }
      if (!response.destroyed) response.once('drain', more)
    }
    more()
  }
}

test('a server that is down has no tools, and other tools still work', async () => {
  const gone = await rawServer()
  await gone.close()
  const here = await beside(gone)
  expect(errorOf(await here.outcome())).toMatch(/no tool "bad__echo"/)
  expect(await here.mcp.status()).toMatchObject([
    { name: 'good', health: 'ready' },
    { name: 'bad', health: 'away', lastError: expect.stringContaining('refused the connection') as string },
  ])
})

test('a known server that is down keeps its tools, its calls fail with the reason, and it recovers automatically', async () => {
  const port = await freePort()
  const first = await rawServer({}, port)
  const store = storeInMemory()
  const before = await startAgent(calling('s.echo', { text: 'one' }), {
    store,
    servers: [{ name: 's', url: first.url }],
  })
  await before.runtime.send('c', 'Go')
  await before.close()
  await first.close()

  const scripts = [
    ...calling('s.echo', { text: 'two' }),
    ...Array.from({ length: 20 }, () => calling('s.echo', { text: 'three' })).flat(),
  ]
  const here = keep(await startAgent(scripts, { store, servers: [{ name: 's', url: first.url }] }))
  await here.runtime.send('d', 'Go')
  expect(errorOf(await here.outcome('d'))).toMatch(
    /MCP server "s" (is unavailable|cannot be reached).*refused the connection/,
  )

  keep(await rawServer({}, port))
  let n = 0
  await eventually(async () => {
    const id = `back-${n++}`
    await here.runtime.send(id, 'Go')
    const outcome = await here.outcome(id)
    return outcome.ok ? true : void (await new Promise((resolve) => setTimeout(resolve, 300)))
  })
}, 80_000)

test('a call that the server never answers times out', async () => {
  const here = await beside(await raw({ 'tools/call': () => 'silence' }))
  expect(errorOf(await here.outcome())).toMatch(/^Tool timed out after 1500ms$/)
}, 80_000)

test('an endless answer is cut off', async () => {
  const piece = `: ${'x'.repeat(65_536)}\n\n`
  const here = await beside(await raw({ 'tools/call': () => endless('', piece) }))
  expect(errorOf(await here.outcome())).toMatch(/Tool timed out after|more than \d+ bytes|failed/)
}, 80_000)

test('an endless list of pages or tools is cut off', async () => {
  let page = 0
  const pages = await raw({
    'tools/list': () => ({ result: { tools: [{ ...ECHO, name: `e${page}` }], nextCursor: String(page++) } }),
  })
  expect(errorOf(await (await beside(pages)).outcome())).toMatch(/no tool "bad__echo"/)
  expect(pages.asked.length).toBeLessThan(60)

  const many = await raw()
  many.tools = Array.from({ length: 260 }, (_, n) => ({ ...ECHO, name: n === 0 ? 'echo' : `echo${n}` }))
  const here = await beside(many)
  expect(valueOf(await here.outcome())).toBe('said hi')
  const [, bad] = await here.mcp.status()
  expect(bad?.tools).toHaveLength(60)
  expect(bad?.refused).toHaveLength(51)
  expect(bad?.refused.at(-1)).toEqual({ name: '…', why: 'and 150 more' })
}, 120_000)

test('a list of many megabytes is not read completely', async () => {
  const here = await beside(
    await raw({
      'tools/list': () => endless('data: {"jsonrpc":"2.0","id":1,"result":{"tools":["', 'x'.repeat(65_536)),
    }),
  )
  expect(errorOf(await here.outcome())).toMatch(/no tool "bad__echo"/)
}, 120_000)

test('a harmful schema, an invalid name or an endless description affects only its own tool', async () => {
  const bad = await raw()
  let deep: object = { type: 'string' }
  for (let level = 0; level < 60; level++) deep = { type: 'object', properties: { deeper: deep } }
  bad.tools = [
    ECHO,
    { ...ECHO, description: 'Another of the same name' },
    { ...ECHO, name: 'deep', inputSchema: deep },
    { ...ECHO, name: 'huge', inputSchema: { type: 'object', description: 'x'.repeat(100_000) } },
    { ...ECHO, name: 'wordy', description: 'x'.repeat(20_000) },
    { ...ECHO, name: 'no name\u0000' },
    { ...ECHO, name: 'remote', inputSchema: { type: 'object', $ref: 'https://evil.test/schema' } },
  ]
  const here = await beside(bad)
  expect(valueOf(await here.outcome())).toBe('said hi')
  const [, status] = await here.mcp.status()
  expect(status?.refused.map(({ name }) => name).toSorted()).toEqual(
    ['deep', 'echo', 'huge', 'no name\u0000', 'remote', 'wordy'].toSorted(),
  )
}, 80_000)

test('an invalid result fails the call', async () => {
  for (const [answer, why] of [
    [{ result: { content: 'text' } }, /MCP server "bad" failed/],
    [{ result: 7 }, /MCP server "bad" failed|took longer/],
    [{ error: { code: -32_000, message: 'out of tea' } }, /out of tea/],
    [{ result: { content: [{ type: 'text', text: 'x'.repeat(2_000_000) }] } }, /The result has \d+ bytes/],
    [{ result: { content: [{ type: 'text', text: 'broken' }], isError: true } }, /^broken$/],
  ] as const) {
    const here = await beside(await raw({ 'tools/call': () => answer }))
    expect(errorOf(await here.outcome())).toMatch(why)
  }
}, 120_000)

test('a redirect of a server is not followed, and our headers are not sent elsewhere', async () => {
  const elsewhere = await raw()
  const to = (response: ServerResponse): void => void response.writeHead(307, { location: elsewhere.url }).end()
  const bad = await raw({ 'tools/call': () => to })
  const here = keep(
    await startAgent(calling('bad.echo'), {
      servers: [{ name: 'bad', url: bad.url, headers: { authorization: 'Bearer own' } }],
    }),
  )
  await here.runtime.send('c', 'Go')
  expect(errorOf(await here.outcome())).toMatch(/MCP server "bad" failed/)
  expect(elsewhere.asked).toEqual([])
})

test('a secret is sent in the header and removed from the server’s output', async () => {
  const bad = await raw({
    'tools/call': (_rpc: Rpc, self: Raw) => ({
      result: { content: [{ type: 'text', text: `you sent ${self.asked.at(-1)?.headers.authorization}` }] },
    }),
  })
  const here = keep(
    await startAgent(calling('bad.echo'), {
      servers: [{ name: 'bad', url: bad.url, headers: { authorization: { $secret: 'TOKEN' } } }],
      secrets: (_tenant, name) => (name === 'TOKEN' ? 'Bearer very-secret-indeed' : undefined),
    }),
  )
  await here.runtime.send('c', 'Go')
  expect(bad.asked.at(-1)?.headers.authorization).toBe('Bearer very-secret-indeed')
  expect(valueOf(await here.outcome())).toBe('you sent [secret TOKEN]')
  expect(JSON.stringify(await here.runtime.events('c'))).not.toContain('very-secret')
})

test('an agent’s own tool wins over a server’s, and two servers cannot have the same name', async () => {
  const one = await raw()
  const mine = tool({ name: 's.echo', description: 'Mine', input: z.object({}), run: () => 'mine' })
  const here = keep(
    await startAgent(calling('s.echo'), { servers: [{ name: 's', url: one.url }], agent: { tools: [mine] } }),
  )
  await here.runtime.send('c', 'Go')
  expect(valueOf(await here.outcome())).toBe('mine')
  await expect(
    startAgent([], {
      servers: [
        { name: 's', url: one.url },
        { name: 's', url: 'https://other.test/mcp' },
      ],
    }),
  ).rejects.toThrow(/Two MCP servers are called "s"/)
})

test('only allowed tools are listed', async () => {
  const one = await raw()
  one.tools = [ECHO, { ...ECHO, name: 'drop-database' }]
  const here = keep(
    await startAgent(calling('s.drop-database'), { servers: [{ name: 's', url: one.url, allowedTools: ['echo'] }] }),
  )
  await here.runtime.send('c', 'Go')
  expect(errorOf(await here.outcome())).toMatch(/no tool "s__drop-database"/)
  expect(one.asked.some(({ rpc }) => rpc.method === 'tools/call')).toBe(false)
})
