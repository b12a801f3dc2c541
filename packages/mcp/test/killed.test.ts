/** Both processes are killed at the worst moments. With the modern protocol and our log, the call still completes. */
import { proves } from '@holdpoint/testing'
import { openStore, type Store } from 'holdpoint'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freePort } from './everything.ts'
import { RESOLVER } from './test-server.ts'
import { eventually } from './kit.ts'

let folder: string
let store: Store
let serverStore: Store
const children: ChildProcess[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'killed-'))
  store = await openStore(join(folder, 'agent.db'))
  serverStore = await openStore(join(folder, 'server.db'))
})
afterEach(async () => {
  await Promise.all(children.splice(0).map(kill))
  await store.close()
  await serverStore.close()
  await rm(folder, { recursive: true })
})

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

async function start(program: string, ...args: readonly string[]): Promise<ChildProcess> {
  const file = fileURLToPath(new URL(`programs/${program}.ts`, import.meta.url))
  const child = spawn(process.execPath, ['--conditions=@holdpoint/source', file, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  children.push(child)
  await once(child.stdout ?? child, 'data')
  return child
}

const startServer = (port: number): Promise<ChildProcess> =>
  start('server-program', join(folder, 'server.db'), String(port))
const startAgent = (port: number, ...tool: readonly string[]): Promise<ChildProcess> =>
  start('agent-program', join(folder, 'agent.db'), `http://127.0.0.1:${port}/mcp`, ...tool)

async function answer(child: ChildProcess, callId: string, value: unknown): Promise<string> {
  child.stdin?.write(JSON.stringify({ callId, value }))
  const [said] = (await once(child.stdout ?? child, 'data')) as [Buffer]
  return String(said).trim()
}

const events = () => store.read({ tenant: '', id: 'c' }, 0)
const held = (nth: number) =>
  eventually(async () => (await events()).filter((event) => event.type === 'call.held')[nth - 1])
const heldFor = (reason: string) =>
  eventually(
    async () => (await events()).find((event) => event.type === 'call.held' && event.hold.reason === reason),
    40_000,
  )
const outcome = () => eventually(async () => (await events()).find((event) => event.type === 'call.settled'), 40_000)

test(
  proves('answer.never-lost', 'a question and its answer survive kill -9 of the server and of the agent'),
  async () => {
    const port = await freePort()
    const server = await startServer(port)
    const agent = await startAgent(port, 'far.deploy')
    const { callId } = await held(1)
    await Promise.all([kill(server), kill(agent)])

    // The answer is given while the server is down, and the agent is killed right after it accepted the answer.
    const second = await startAgent(port)
    expect(await answer(second, callId, { where: 'prod' })).toBe('accepted')
    await kill(second)

    // The next agent does not reach the server either, and is killed when it has stored that.
    const third = await startAgent(port)
    await heldFor('The MCP server "far" is unavailable. The call is retried.')
    await kill(third)

    await startServer(port)
    const fourth = await startAgent(port)
    await heldFor('Really prod?')
    expect(await answer(fourth, callId, { answer: 'yes' })).toBe('accepted')
    expect(await outcome()).toMatchObject({ callId, outcome: { ok: true, value: 'deployed the site to prod: yes' } })
  },
  720_000,
)

test('a task is followed to its end although both processes were killed while it waited', async () => {
  const port = await freePort()
  const server = await startServer(port)
  const agent = await startAgent(port, 'far.pay')
  await held(1)
  await Promise.all([kill(server), kill(agent)])

  await startServer(port)
  const { items } = await serverStore.pending({ tenant: '', limit: 10 })
  expect(items).toMatchObject([{ tool: 'pay', kind: 'approval' }])
  const second = await startAgent(port)
  await kill(second)
  const { conversationId, callId } = items[0] ?? { conversationId: '', callId: '' }
  const told = await fetch(`http://127.0.0.1:${port}/api/holds/${conversationId}/${callId}/resolve`, {
    method: 'POST',
    headers: { authorization: `Bearer ${RESOLVER}`, 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'approve' }),
  })
  expect(told.status).toBe(200)
  await startAgent(port)
  expect(await outcome()).toMatchObject({ outcome: { ok: true, value: 'paid 5' } })
}, 720_000)
