import { expect, test, vi } from 'vitest'
import type { ResolveResult } from '@holdpoint/core'
import { holdsOf, type ClientToolContext, type LiveConversation } from '@holdpoint/client'
import { desk } from './desk.ts'

const until = (check: () => unknown): Promise<unknown> =>
  vi.waitFor(async () => expect(await check()).toBeTruthy(), { timeout: 80_000, interval: 5 })
const callOf = (live: LiveConversation) => live.view.turns.at(-1)?.steps[0]?.calls[0]

test('a held call of a registered tool runs here and is answered, and the turn continues', async () => {
  const { client } = await desk()
  const live = client.conversation('c1')
  const run = vi.fn<(input: { to: string }, context: ClientToolContext) => unknown>((input, { call }) => ({
    city: `${input.to}/${call.conversationId}`,
  }))
  live.tools({ 'browser.location': { run } })
  await live.send('locate Ada')
  await until(() => live.view.status === 'idle' && live.view.turns.length === 1)
  expect(callOf(live)?.outcome).toEqual({ ok: true, value: { city: 'Ada/c1' } })
  expect(run).toHaveBeenCalledTimes(1)
  live.close()
})

test('the model reads the error of a client tool, and an error for a result that is not JSON', async () => {
  const { client } = await desk()
  const live = client.conversation('c1')
  const results: (() => unknown)[] = [
    () => {
      throw new Error('The user said no.')
    },
    () => ({ city: 1n }),
    () => ({ town: 'Bonn' }),
    () => undefined,
  ]
  live.tools({ 'browser.location': { run: () => results.shift()?.() } })
  const messages: string[] = []
  for (let turn = 1; turn <= 4; turn++) {
    await live.send('locate Ada')
    await until(() => live.view.status === 'idle' && live.view.turns.length === turn)
    const outcome = callOf(live)?.outcome
    messages.push(outcome?.ok === false ? outcome.error.message : 'fine')
  }
  expect(messages[0]).toBe('The user said no.')
  expect(messages[1]).toContain('BigInt')
  expect(messages[2]).toContain('city')
  expect(messages[3]).not.toBe('fine')
  live.close()
})

test('two tabs both run a call, the first answer counts, and the second gets a verdict instead of an error', async () => {
  const { client, another } = await desk()
  const tabs = [client, another()].map((each) => each.conversation('c1'))
  const answers: ResolveResult[] = []
  const errors: Error[] = []
  const both = Promise.withResolvers<void>()
  let running = 0
  for (const [nth, tab] of tabs.entries())
    tab.tools({
      'browser.location': {
        run: async () => {
          if (++running === 2) both.resolve()
          await both.promise
          return { city: `tab ${nth}` }
        },
        onAnswer: (answer) => answers.push(answer),
        onError: (error) => errors.push(error),
      },
    })
  await client.conversations.send('c1', 'locate Ada')
  await until(() => answers.length === 2)
  expect(answers.map(({ verdict }) => verdict).toSorted()).toEqual(['accepted', 'conflict'])
  expect(errors).toEqual([])
  for (const tab of tabs) tab.close()
})

test('a call runs once per page, even after a reconnect and with another view of the page', async () => {
  const { client, line } = await desk()
  const release = Promise.withResolvers<void>()
  const run = vi.fn<() => Promise<unknown>>(async () => {
    await release.promise
    return { city: 'Bonn' }
  })
  const views = [client.conversation('c1'), client.conversation('c1')]
  for (const live of views) live.tools({ 'browser.location': { run } })
  await client.conversations.send('c1', 'locate Ada')
  await until(() => views.every((live) => holdsOf(live.view).length === 1))
  line.cut()
  await until(() => views.every((live) => live.connection.state === 'waiting'))
  await until(() => views.every((live) => live.connection.state === 'live'))
  release.resolve()
  await until(() => views.every((live) => live.view.status === 'idle'))
  expect(run).toHaveBeenCalledTimes(1)
  for (const live of views) live.close()
})

test('an answer that could not be sent is sent after the reconnect', async () => {
  const { client, line, runtime } = await desk()
  const live = client.conversation('c1')
  live.tools({
    'browser.location': {
      run: () => {
        line.refuse(true)
        setTimeout(() => line.refuse(false), 300)
        return { city: 'Bonn' }
      },
    },
  })
  await live.send('locate Ada')
  await until(async () => (await runtime.view('c1'))?.status === 'idle')
  expect((await runtime.view('c1'))?.turns[0]?.steps[0]?.calls[0]?.outcome).toEqual({
    ok: true,
    value: { city: 'Bonn' },
  })
  live.close()
})

test('the signal of a tool is aborted when its call no longer waits', async () => {
  const { client } = await desk()
  const live = client.conversation('c1')
  const aborted = vi.fn<() => void>()
  live.tools({
    'browser.location': {
      run: (_input, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            aborted()
            resolve({ city: 'too late' })
          })
        }),
    },
  })
  await live.send('locate Ada')
  await until(() => holdsOf(live.view).length === 1)
  expect(await live.cancel('Never mind')).toEqual({ ok: true })
  await until(() => aborted.mock.calls.length === 1)
  live.close()
})

test('a call that no page can run fails after its grace, and a page that connects later does not run it', async () => {
  const { client } = await desk()
  const live = client.conversation('c1')
  const run = vi.fn<() => void>()
  live.tools({ 'browser.location': { run } })
  await live.send('photograph Ada')
  await until(() => live.view.status === 'idle' && live.view.turns.length === 1)
  expect(callOf(live)?.outcome).toMatchObject({
    ok: false,
    error: { code: 'no-client', message: 'No client that can run browser.photo was connected for 1 s.' },
  })
  live.tools({ 'browser.photo': { run } })
  expect(run).not.toHaveBeenCalled()
  live.close()
})

test('a page that connects or registers its tools within the grace runs the call', async () => {
  const { client } = await desk()
  const live = client.conversation('c1')
  live.subscribe(() => {})
  await live.send('photograph Ada')
  await until(() => holdsOf(live.view).length === 1)
  await until(() => live.connection.state === 'live')
  const states: string[] = []
  live.subscribe(() => states.push(live.connection.state))
  const release = Promise.withResolvers<void>()
  live.tools({ 'browser.photo': { run: () => release.promise.then(() => 'smiling') } })
  await until(() => states.includes('connecting'))
  // The handler takes longer than the grace, but the page is connected, so the call waits.
  setTimeout(release.resolve, 2500)
  await until(() => live.view.status === 'idle')
  expect(callOf(live)?.outcome).toEqual({ ok: true, value: 'smiling' })
  expect(states).not.toContain('waiting')
  live.close()
})

test('after a page is closed before it answered, the call fails at the end of the grace', async () => {
  const { client, runtime } = await desk()
  const live = client.conversation('c1')
  const never = new Promise<void>(() => {})
  live.tools({ 'browser.photo': { run: () => never } })
  await live.send('photograph Ada')
  await until(() => holdsOf(live.view).length === 1)
  live.close()
  const outcome = async () => (await runtime.view('c1'))?.turns[0]?.steps[0]?.calls[0]?.outcome
  await until(outcome)
  expect(await outcome()).toMatchObject({ ok: false, error: { code: 'no-client' } })
})

test('a call waits for a page that is offline for less than the grace', async () => {
  const { client, line } = await desk()
  const live = client.conversation('c1')
  const release = Promise.withResolvers<string>()
  live.tools({ 'browser.photo': { run: () => release.promise } })
  await live.send('photograph Ada')
  await until(() => holdsOf(live.view).length === 1)
  line.cut()
  await until(() => live.connection.state === 'waiting')
  live.reconnect()
  await until(() => live.connection.state === 'live')
  setTimeout(release.resolve, 2000, 'smiling')
  await until(() => live.view.status === 'idle')
  expect(callOf(live)?.outcome).toEqual({ ok: true, value: 'smiling' })
  live.close()
})

test('invalid tool names and too many tools are refused when they are registered', async () => {
  const { client } = await desk()
  const live = client.conversation('c1')
  const run = (): void => {}
  for (const name of ['', 'a,b', 'a b', '.', 'x\r\nhost: evil', 'é'])
    expect(() => live.tools({ [name]: { run } })).toThrow('is not a valid tool name')
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, nth) => [`t${nth}`, { run }]))
  expect(() => live.tools(many)).toThrow('100')
  live.close()
})

test('calls of other tools and approvals are not run', async () => {
  const { client } = await desk()
  const live = client.conversation('c1')
  const run = vi.fn<() => void>()
  live.tools({ refund: { run }, 'something.else': { run } })
  await live.send('refund Ada')
  await until(() => holdsOf(live.view).length === 1)
  expect(run).not.toHaveBeenCalled()
  expect(() => live.tools({ refund: { run } })).toThrow('already')
  live.close()
})
