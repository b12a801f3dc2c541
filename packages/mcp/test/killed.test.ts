/** Both processes are killed for real, at the worst moments: the newer protocol and our logs bring the call home. */
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
import { RESOLVER } from './far.ts'
import { eventually } from './kit.ts'

let folder: string
let store: Store
let farStore: Store
const children: ChildProcess[] = []
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'killed-'))
  store = await openStore(join(folder, 'near.db'))
  farStore = await openStore(join(folder, 'far.db'))
})
afterEach(async () => {
  await Promise.all(children.splice(0).map(kill))
  await store.close()
  await farStore.close()
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

const startFar = (port: number): Promise<ChildProcess> => start('far-program', join(folder, 'far.db'), String(port))
const startNear = (port: number, ...tool: readonly string[]): Promise<ChildProcess> =>
  start('near-program', join(folder, 'near.db'), `http://127.0.0.1:${port}/mcp`, ...tool)

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
    const far = await startFar(port)
    const near = await startNear(port, 'far.deploy')
    const { callId } = await held(1)
    await Promise.all([kill(far), kill(near)])

    // The answer is given while the server is still away, and the agent is killed right after it was taken.
    const second = await startNear(port)
    expect(await answer(second, callId, { where: 'prod' })).toBe('accepted')
    await kill(second)

    // The next one does not find the server either, and is killed when it has put that down.
    const third = await startNear(port)
    await heldFor('The MCP server "far" is away, and is tried again.')
    await kill(third)

    await startFar(port)
    const fourth = await startNear(port)
    await heldFor('Really prod?')
    expect(await answer(fourth, callId, { answer: 'yes' })).toBe('accepted')
    expect(await outcome()).toMatchObject({ callId, outcome: { ok: true, value: 'deployed the site to prod: yes' } })
  },
  180_000,
)

test('a task is followed to its end although both were killed while it waited', async () => {
  const port = await freePort()
  const far = await startFar(port)
  const near = await startNear(port, 'far.pay')
  await held(1)
  await Promise.all([kill(far), kill(near)])

  await startFar(port)
  const { items } = await farStore.pending({ tenant: '', limit: 10 })
  expect(items).toMatchObject([{ tool: 'pay', kind: 'approval' }])
  const second = await startNear(port)
  await kill(second)
  const { conversationId, callId } = items[0] ?? { conversationId: '', callId: '' }
  const told = await fetch(`http://127.0.0.1:${port}/api/holds/${conversationId}/${callId}/resolve`, {
    method: 'POST',
    headers: { authorization: `Bearer ${RESOLVER}`, 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'approve' }),
  })
  expect(told.status).toBe(200)
  await startNear(port)
  expect(await outcome()).toMatchObject({ outcome: { ok: true, value: 'paid 5' } })
}, 180_000)
