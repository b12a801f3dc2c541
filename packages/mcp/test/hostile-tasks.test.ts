/** A task may take long, but a hostile server can do nothing else with it. */
import { proves } from '@holdpoint/testing'
import { afterEach, expect, test, vi } from 'vitest'
import { freePort } from './everything.ts'
import { calling, errorOf, eventually, startAgent, over, valueOf, type TestAgent } from './kit.ts'
import { modern, rawServer, said, type Raw } from '../../../test/raw-mcp-server.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const each of open.splice(0).toReversed()) await each.close()
})
const keep = <T extends { close(): Promise<void> }>(made: T): T => {
  open.push(made)
  return made
}

type Answers = Parameters<typeof rawServer>[0]

async function talksTo(answers: Answers, more = {}, port = 0): Promise<TestAgent & { readonly raw: Raw }> {
  const raw = keep(await rawServer({ ...modern, 'tools/call': () => begun('t'), ...answers }, port))
  const servers = [{ name: 's', url: raw.url, ...more }]
  const here = keep(await startAgent(calling('s.echo', { text: 'hi' }), { servers }))
  await here.runtime.send('c', 'Go')
  return { ...here, raw }
}

const begun = (taskId: string, more = {}): object => ({
  result: { resultType: 'task', taskId, status: 'working', pollIntervalMs: 250, ...more },
})
const stands = (more: object, taskId = 't'): object => ({
  result: { resultType: 'complete', taskId, pollIntervalMs: 250, ...more },
})
const done = (text: string): object => stands({ status: 'completed', ...said(text) })

test('a task that changes its id is not followed', async () => {
  const here = await talksTo({ 'tasks/get': () => stands({ status: 'working' }, 'another-task') })
  await over(here)
  expect(errorOf(await here.outcome())).toMatch(/answered with another task/)
  const asked = here.raw.asked.filter(({ rpc }) => rpc.method.startsWith('tasks/')).map(({ rpc }) => rpc.params?.taskId)
  expect([...new Set(asked)]).toEqual(['t'])
})

test('a task that never ends is cancelled after its timeout', async () => {
  const here = await talksTo({ 'tasks/get': () => stands({ status: 'working' }) }, { taskTimeout: 900 })
  await over(here)
  expect(errorOf(await here.outcome())).toMatch(/took longer than 900 ms/)
  await eventually(() => (here.raw.asked.some(({ rpc }) => rpc.method === 'tasks/cancel') ? true : undefined))
})

test(
  proves('answer.never-lost', 'polling a task and delivering its answers continue when the server is back'),
  async () => {
    const port = await freePort()
    let answered = false
    const answers = {
      'tasks/get': () =>
        answered
          ? done('all is well')
          : stands({
              status: 'input_required',
              inputRequests: {
                k: {
                  method: 'elicitation/create',
                  params: { message: 'Go on?', requestedSchema: { type: 'object', properties: {} } },
                },
              },
            }),
      'tasks/update': () => {
        answered = true
        return stands({})
      },
    }
    const here = await talksTo(answers, {}, port)
    const question = await eventually(async () =>
      (await here.runtime.pending()).items.find(({ kind }) => kind === 'elicitation'),
    )
    await here.raw.close()
    open.splice(open.indexOf(here.raw), 1)
    await here.runtime.answer('c', question.callId, {})
    // It was tried, and will be retried.
    await eventually(async () => (await here.runtime.pending()).items.find(({ kind }) => kind === 'external'))
    expect(answered).toBe(false)
    keep(await rawServer({ ...modern, ...answers }, port))
    await over(here)
    expect(valueOf(await here.outcome())).toBe('all is well')
  },
  160_000,
)

test('the poll interval of a task is kept within limits', async () => {
  for (const pollIntervalMs of [0, -5, 1e300, 'soon', null]) {
    const here = await talksTo({
      'tools/call': () => begun('t', { pollIntervalMs }),
      'tasks/get': () => done('done'),
    })
    const held = (await here.runtime.events('c')).find((event) => event.type === 'call.held')
    const ms = held?.type === 'call.held' ? held.hold.timeoutMs : 0
    expect(ms).toBeGreaterThanOrEqual(250)
    expect(ms).toBeLessThanOrEqual(60_000)
  }
})

test('a task without an id or with an unknown status is an invalid result', async () => {
  for (const [more, why] of [
    [{ taskId: 7 }, /MCP server "s" failed/],
    [{ taskId: 'x'.repeat(2000) }, /it sent an invalid task/],
    [{ status: 'dancing' }, /it sent an invalid task/],
  ] as const) {
    const here = await talksTo({ 'tools/call': () => begun('t', more) })
    await over(here)
    expect(errorOf(await here.outcome())).toMatch(why)
  }
})
