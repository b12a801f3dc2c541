import { expect, test, vi } from 'vitest'
import type { ResolveAnswer } from '@holdpoint/core'
import { holdsOf, type ClientToolContext, type LiveConversation } from '@holdpoint/client'
import { desk } from './desk.ts'

const until = (check: () => unknown): Promise<unknown> =>
  vi.waitFor(async () => expect(await check()).toBeTruthy(), { timeout: 20_000, interval: 5 })
const callOf = (live: LiveConversation) => live.view.turns.at(-1)?.steps[0]?.calls[0]

test('a held call of a known name is run here and answered, and the turn goes on', async () => {
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

test('what a tool throws, and what is no JSON, is what the model reads', async () => {
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

test('in two tabs both run it, one answer counts, and the other is told: no error', async () => {
  const { client, another } = await desk()
  const tabs = [client, another()].map((each) => each.conversation('c1'))
  const answers: ResolveAnswer[] = []
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

test('once per page: not again after a break, nor by another view of the same page', async () => {
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

test('an answer that nobody took because the line was down is given when it is back', async () => {
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

test('a tool is told when its answer is no longer wanted', async () => {
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

test('a call that no page can run fails after its grace, and the model goes on; the page that comes later is told nothing', async () => {
  const { client } = await desk()
  const live = client.conversation('c1')
  const run = vi.fn<() => void>()
  live.tools({ 'browser.location': { run } })
  await live.send('photograph Ada')
  await until(() => live.view.status === 'idle' && live.view.turns.length === 1)
  expect(callOf(live)?.outcome).toMatchObject({
    ok: false,
    error: { code: 'no-client', message: 'No client that can run browser.photo was there for 1 s.' },
  })
  live.tools({ 'browser.photo': { run } })
  expect(run).not.toHaveBeenCalled()
  live.close()
})

test('a page that comes within the grace, or offers its tools only then, runs the call', async () => {
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
  // Longer than the grace: it is there, and is waited for.
  setTimeout(release.resolve, 2500)
  await until(() => live.view.status === 'idle')
  expect(callOf(live)?.outcome).toEqual({ ok: true, value: 'smiling' })
  expect(states).not.toContain('waiting')
  live.close()
})

test('a page that is closed before it answers has its grace, and then the call fails', async () => {
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

test('a page whose line is down for less than the grace is waited for', async () => {
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

test('what cannot be the name of a tool is refused where it is offered, and so are too many', async () => {
  const { client } = await desk()
  const live = client.conversation('c1')
  const run = (): void => {}
  for (const name of ['', 'a,b', 'a b', '.', 'x\r\nhost: evil', 'é'])
    expect(() => live.tools({ [name]: { run } })).toThrow('is not a valid tool name')
  const many = Object.fromEntries(Array.from({ length: 101 }, (_, nth) => [`t${nth}`, { run }]))
  expect(() => live.tools(many)).toThrow('100')
  live.close()
})

test('calls of other names, and approvals, are left to others', async () => {
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
