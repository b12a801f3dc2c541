/** The routes that CopilotKit asks a runtime for, with the AG-UI client that it ships. `npm run starters` runs CopilotKit itself. */
import { randomUUID } from 'node:crypto'
import { HttpAgent } from 'ag-ui-client-0'
import { afterEach, expect, test } from 'vitest'
import { chatKit, type ChatKit } from './chat-kit.ts'

let here: ChatKit | undefined
afterEach(async () => {
  await here?.close()
  here = undefined
})

const email = { calls: [{ name: 'email', input: { to: 'bo' } }] }

interface Ran {
  readonly messages: HttpAgent['messages']
  readonly interrupts: readonly { readonly id: string }[]
}

/** `how`: the route, `run` or `connect`. */
async function go(
  { url }: ChatKit,
  how: string,
  { text, resume, as = 'ada' }: { readonly text?: string; readonly resume?: unknown; readonly as?: string } = {},
): Promise<Ran> {
  const headers = { 'x-user': as, origin: url }
  const agent = new HttpAgent({ url: `${url}/api/copilotkit/agent/${how}`, threadId: 'c1', headers })
  if (text !== undefined) agent.addMessage({ id: randomUUID(), role: 'user', content: text })
  let interrupts: Ran['interrupts'] = []
  await agent.runAgent(
    { ...(resume !== undefined && { resume: resume as never }) },
    {
      onRunFinishedEvent: ({ event }) => {
        interrupts = (event as { outcome?: { interrupts?: Ran['interrupts'] } }).outcome?.interrupts ?? []
      },
    },
  )
  return { messages: agent.messages, interrupts }
}

test('the agents are listed, and the only one is the default', async () => {
  here = await chatKit([])
  const info = await fetch(`${here.url}/api/copilotkit/info`, { headers: { 'x-user': 'ada' } })
  expect(await info.json()).toMatchObject({ agents: { default: {}, desk: {} }, mode: 'sse' })
  expect((await fetch(`${here.url}/api/copilotkit/info`)).status).toBe(401)
})

test('a page connects before the first message, runs, connects again after a reload, and approves', async () => {
  here = await chatKit([email, 'Sent.'])
  expect(await go(here, 'default/connect')).toEqual({ messages: [], interrupts: [] })
  const first = await go(here, 'default/run', { text: 'write' })
  expect(first.interrupts).toHaveLength(1)
  const again = await go(here, 'desk/connect', { text: 'this is no message' })
  expect(again.interrupts).toEqual(first.interrupts)
  expect(JSON.stringify(again.messages)).not.toContain('no message')
  const resume = [{ interruptId: again.interrupts[0]?.id, status: 'resolved', payload: { approved: true } }]
  expect((await go(here, 'default/connect', { resume })).interrupts).toHaveLength(1)
  expect(here.ran).toEqual([])
  const done = await go(here, 'default/run', { resume })
  expect(done.messages.at(-1)).toMatchObject({ role: 'assistant', content: 'Sent.' })
  expect(here.ran).toEqual([{ to: 'bo' }])
})

test('another person can neither connect, run nor stop', async () => {
  here = await chatKit([email])
  await go(here, 'default/run', { text: 'write' })
  for (const how of ['default/run', 'default/connect'])
    await expect(go(here, how, { as: 'eve' })).rejects.toThrow('403')
  expect((await here.post('/api/copilotkit/agent/default/stop/c1', undefined, 'eve')).status).toBe(403)
  expect((await here.post('/api/copilotkit/agent/default/stop/c1', { runId: 'r' })).status).toBe(200)
  expect((await here.runtime.pending()).items).toEqual([])
})
