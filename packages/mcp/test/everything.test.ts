/** The reference server as a real peer, over HTTP and stdio. Every wait is a hold that our public API resolves. */
import { scriptedModel, type Script } from '@holdpoint/testing'
import { agent, holdpoint } from 'holdpoint'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { McpCommandConfig, McpServerConfig } from '../src/index.ts'
import { EVERYTHING, everythingOverHttp, type Peer } from './everything.ts'
import { calling, errorOf, eventually, startAgent, over, valueOf, type TestAgent } from './kit.ts'

let peer: Peer
beforeAll(async () => {
  peer = await everythingOverHttp()
}, 240_000)
afterAll(() => peer.kill())

const overStdio = { name: 'ev', transport: 'stdio', command: process.execPath, args: [EVERYTHING, 'stdio'] } as const
/** Starting a process may take longer than the first step waits. */
async function known(scripts: readonly Script[], server: McpServerConfig | McpCommandConfig): Promise<TestAgent> {
  const here = await startAgent(['Hello.', ...scripts], { servers: [server] })
  await here.runtime.send('hello', 'Hello')
  await eventually(async () => ((await here.mcp.status())[0]?.health === 'ready' ? true : undefined), 60_000)
  return here
}

const servers = { http: () => ({ name: 'ev', url: peer.url }), stdio: () => overStdio }

describe.each(['http', 'stdio'] as const)('over %s', (by) => {
  const desk = (name: string, input?: Parameters<typeof calling>[1]): Promise<TestAgent> =>
    known(calling(name, input), servers[by]())

  test('its tools are listed under its name and not visible', async () => {
    const here = await desk('ev.echo', { message: 'hello' })
    await here.runtime.send('c', 'Go')
    expect(valueOf(await here.outcome())).toBe('Echo: hello')
    const tools = here.model.requests.at(-1)?.tools.map(({ name }) => name) ?? []
    expect(tools).toContain('ev__echo')
    expect(await here.mcp.status()).toMatchObject([
      { name: 'ev', transport: by, health: 'ready', era: 'legacy', version: '2025-11-25', refused: [] },
    ])
    await here.close()
  }, 60_000)

  test('its progress is reported as progress', async () => {
    const here = await desk('ev.trigger-long-running-operation', { duration: 1, steps: 4 })
    const seen: unknown[] = []
    const stop = new AbortController()
    await here.runtime.create({ id: 'c', agent: 'desk' })
    const following = (async () => {
      for await (const item of here.runtime.subscribe('c', { signal: stop.signal }))
        if (item.type === 'call-progress') seen.push(item.value)
    })()
    await here.runtime.send('c', 'Go')
    stop.abort()
    await following
    expect(seen).toContainEqual(expect.objectContaining({ progress: 2, total: 4 }))
    await here.close()
  }, 60_000)

  test('its form of 13 fields is a hold, and fields that are left out get their defaults', async () => {
    const here = await desk('ev.trigger-elicitation-request')
    expect(await here.runtime.send('c', 'Go')).toMatchObject({ status: 'held' })
    const hold = await here.held()
    expect(hold).toMatchObject({ kind: 'elicitation', metadata: { from: 'ev', mode: 'form' }, resumes: 'answer' })
    expect(Object.keys((hold.answerSchema?.['properties'] ?? {}) as object)).toHaveLength(13)
    expect(await here.runtime.answer('c', hold.callId, { name: 7 })).toMatchObject({ verdict: 'invalid' })
    expect(await here.runtime.answer('c', hold.callId, { name: 'Ada', integer: 7 })).toMatchObject({
      verdict: 'accepted',
    })
    await over(here)
    expect(valueOf(await here.outcome())).toMatch(/Name: Ada[\s\S]*"integer": 7[\s\S]*"number": 3.14/)
    await here.close()
  }, 60_000)

  test('declining and cancelling a form are distinguished', async () => {
    for (const [resolution, told] of [
      [{ kind: 'reject', reason: 'no' }, /declined/i],
      [{ kind: 'answer', error: 'closed' }, /cancelled/i],
    ] as const) {
      const here = await desk('ev.trigger-elicitation-request')
      await here.runtime.send('c', 'Go')
      await here.runtime.resolve('c', (await here.held()).callId, resolution)
      await over(here)
      expect(valueOf(await here.outcome())).toMatch(told)
      await here.close()
    }
  }, 60_000)

  test('a page to visit is a hold with its address', async () => {
    const here = await desk('ev.trigger-url-elicitation', {
      url: 'https://pay.acme.test/session/7',
      message: 'Please pay here',
      sendNotification: false,
    })
    await here.runtime.send('c', 'Go')
    const hold = await here.held()
    expect(hold).toMatchObject({ url: 'https://pay.acme.test/session/7', reason: 'Please pay here' })
    await here.runtime.answer('c', hold.callId, true)
    await over(here)
    expect(valueOf(await here.outcome())).toMatch(/accept/i)
    await here.close()
  }, 60_000)

  test('a research task is an external hold until it is done, and its question is a hold on the same call', async () => {
    const here = await desk('ev.simulate-research-query', { topic: 'tea', ambiguous: true })
    expect(await here.runtime.send('c', 'Go')).toMatchObject({ status: 'held' })
    const first = await here.held()
    expect(first).toMatchObject({ kind: 'external', resumes: 'deadline' })
    const question = await eventually(async () => {
      const { items } = await here.runtime.pending()
      return items.find(({ kind }) => kind === 'elicitation')
    })
    expect(question.callId).toBe(first.callId)
    await here.runtime.answer('c', question.callId, { interpretation: 'technical' })
    await over(here)
    expect(valueOf(await here.outcome())).toMatch(/Research Report: tea \(technical\)/)
    await here.close()
  }, 60_000)
})

test('with several calls at once, each answer goes to its own question', async () => {
  for (const server of [servers.http(), servers.stdio()]) {
    const calls = [1, 2, 3].map(() => ({ name: 'ev.trigger-elicitation-request', input: {} }))
    const here = await known([{ calls }, 'Done.'], server)
    await here.runtime.send('c', 'Go')
    const { items } = await here.runtime.pending()
    expect(items).toHaveLength(3)
    for (const [index, { callId }] of items.entries())
      await here.runtime.answer('c', callId, { name: `Person ${index}` })
    await over(here)
    const settled = (await here.runtime.events('c')).flatMap((event) =>
      event.type === 'call.settled' ? [[event.callId, valueOf(event.outcome)] as const] : [],
    )
    for (const [index, { callId }] of items.entries())
      expect(settled.find(([id]) => id === callId)?.[1]).toContain(`Name: Person ${index}`)
    await here.close()
  }
}, 240_000)

describe('a legacy server whose question waits when our process restarts', () => {
  const again = async (onLost: 'retry' | 'fail' | 'ask') => {
    const first = await startAgent(calling('ev.trigger-elicitation-request'), {
      servers: [{ ...servers.http(), onLost }],
    })
    await first.runtime.send('c', 'Go')
    const { callId } = await first.held()
    await first.close()
    const second = await startAgent(['Done.'], { store: first.store, servers: [{ ...servers.http(), onLost }] })
    expect(await second.runtime.answer('c', callId, { name: 'Ada' })).toMatchObject({ verdict: 'accepted' })
    return { second, callId }
  }

  test('retry: the call is sent again, and the same question gets the same answer', async () => {
    const { second } = await again('retry')
    await over(second)
    expect(valueOf(await second.outcome())).toContain('Name: Ada')
    await second.close()
  }, 60_000)

  test('fail: the model reads that the outcome is unknown', async () => {
    const { second } = await again('fail')
    await over(second)
    expect(errorOf(await second.outcome())).toMatch(/was lost while the call waited.*may or may not/)
    await second.close()
  }, 60_000)

  test('ask: a person decides whether to start again, and is not asked for the form again', async () => {
    const { second, callId } = await again('ask')
    const doubt = await eventually(async () => (await second.runtime.pending()).items[0])
    expect(doubt).toMatchObject({
      callId,
      reason: expect.stringMatching(/was lost while .* Start it again\?/) as string,
    })
    await second.runtime.answer('c', callId, { again: true })
    await over(second)
    expect(valueOf(await second.outcome())).toContain('Name: Ada')
    await second.close()
  }, 60_000)
})

test('a server that is killed during a call makes the call fail, and is used again when it is back', async () => {
  const mortal = await everythingOverHttp()
  const here = await startAgent(
    [
      ...calling('ev.trigger-long-running-operation', { duration: 60, steps: 60 }),
      ...calling('ev.echo', { message: 'back' }),
    ],
    { servers: [{ name: 'ev', url: mortal.url }] },
  )
  const began = here.runtime.send('c', 'Go')
  await eventually(async () =>
    (await here.runtime.view('c'))?.turns[0]?.steps[0]?.calls[0]?.state === 'running' ? true : undefined,
  )
  await mortal.kill()
  await began
  expect(errorOf(await here.outcome())).toMatch(/MCP server "ev" failed/)
  expect(await here.mcp.status()).toMatchObject([{ health: 'away', lastError: expect.any(String) as string }])

  const risen = await everythingOverHttp(Number(new URL(mortal.url).port))
  await eventually(async () => {
    const echo = scriptedModel(calling('ev.echo', { message: 'back' }))
    const runtime = await holdpoint({
      store: here.store,
      agents: [agent({ name: 'again', model: echo, plugins: [here.mcp.plugin] })],
    })
    const id = `again-${Math.random()}`
    await runtime.send(id, 'Go', { agent: 'again' })
    const settled = (await runtime.events(id)).find((event) => event.type === 'call.settled')
    await runtime.close()
    return settled?.type === 'call.settled' && settled.outcome.ok ? true : undefined
  })
  await here.close()
  await risen.kill()
}, 240_000)

test('a server with a command gets only its configured environment', async () => {
  process.env['HOLDPOINT_SECRET_OF_OURS'] = 'do not tell'
  const here = await known(calling('ev.get-env'), { ...overStdio, env: { GIVEN: 'yes' } })
  await here.runtime.send('c', 'Go')
  const env = String(valueOf(await here.outcome()))
  expect(env).toContain('"GIVEN": "yes"')
  expect(env).not.toContain('do not tell')
  delete process.env['HOLDPOINT_SECRET_OF_OURS']
  await here.close()
}, 240_000)
