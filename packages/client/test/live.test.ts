import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Frame, LogEvent } from '@holdpoint/core'
import { connect, messagesOf, type Connection, type LiveConversation } from '@holdpoint/client'
import { emptyView, holdsOf } from '@holdpoint/core/view'
import { desk } from './desk.ts'

const until = (check: () => unknown): Promise<unknown> =>
  vi.waitFor(async () => expect(await check()).toBeTruthy(), { timeout: 80_000, interval: 5 })
const textOf = (live: LiveConversation): string =>
  messagesOf(live.view)
    .flatMap((message) => (message.role === 'assistant' ? message.parts : []))
    .map((part) => (part.type === 'text' ? part.text : ''))
    .join('')

describe('a live conversation', () => {
  test('starts with the stored view and stays equal to the view of the server', async () => {
    const { client, runtime } = await desk()
    await client.conversations.send('c1', 'hello', { wait: 10 })
    const live = client.conversation('c1')
    live.subscribe(() => {})
    await until(() => live.connection.state === 'live')
    expect(live.view).toEqual(await runtime.view('c1'))
    const sent = await live.send('refund Ada', { wait: 10 })
    await until(() => holdsOf(live.view).length === 1)
    expect(live.view).toEqual(await runtime.view('c1'))
    const { callId = '' } = holdsOf(live.view)[0] ?? {}
    expect(await live.resolve(callId, { kind: 'approve' })).toMatchObject({ verdict: 'accepted' })
    await until(() => live.view.status === 'idle')
    expect(live.view).toEqual(await runtime.view('c1'))
    expect(sent).toMatchObject({ ok: true, result: { status: 'held' } })
    live.close()
  })

  test('keeps parts that did not change as the same objects', async () => {
    const { client } = await desk()
    await client.conversations.send('c1', 'hello', { wait: 10 })
    const live = client.conversation('c1')
    live.subscribe(() => {})
    await until(() => live.connection.state === 'live')
    const [first] = live.view.turns
    await live.send('again', { wait: 10 })
    await until(() => live.view.turns.length === 2)
    expect(live.view.turns[0]).toBe(first)
    live.close()
  })

  test('of a new id is empty and live, makes no failing request, and gets the first message', async () => {
    const { client, another } = await desk()
    const statuses: number[] = []
    const states = new Set<string>()
    const page = another({
      fetch: async (url, init) => {
        const response = await fetch(url, init)
        statuses.push(response.status)
        return response
      },
    })
    const live = page.conversation('new')
    live.subscribe(() => states.add(live.connection.state))
    await until(() => live.connection.state === 'live')
    expect(live.view).toEqual(emptyView)
    expect([...states]).toEqual(['live'])
    await live.send('hello')
    await until(() => textOf(live) === 'It is done.' && live.view.status === 'idle')
    live.close()

    // Sent by another client.
    const other = page.conversation('newer')
    other.subscribe(() => {})
    await until(() => other.connection.state === 'live')
    await client.conversations.send('newer', 'hello')
    await until(() => textOf(other) === 'It is done.' && other.view.status === 'idle')
    other.close()
    expect(statuses.filter((status) => status >= 400)).toEqual([])
  })

  test('disconnects without listeners, and continues after the last event', async () => {
    const { client, served } = await desk()
    await client.conversations.send('c1', 'hello', { wait: 10 })
    const live = client.conversation('c1')
    const leave = live.subscribe(() => {})
    await until(() => live.connection.state === 'live')
    leave()
    await until(() => live.connection.state === 'off')
    await client.conversations.send('c1', 'more', { wait: 10 })
    expect(live.view.turns).toHaveLength(1)
    live.subscribe(() => {})
    await until(() => live.view.turns.length === 2)
    expect(served.url).toBeTruthy()
    live.close()
  })

  test('calls the other listeners if one throws', async () => {
    const { client } = await desk()
    const reported = vi.fn<(error: unknown) => void>()
    vi.stubGlobal('reportError', reported)
    const live = client.conversation('c1')
    let told = 0
    live.subscribe(() => {
      throw new Error('A listener of the page.')
    })
    live.subscribe(() => told++)
    await until(() => told > 0)
    expect(String(reported.mock.calls[0]?.[0])).toContain('A listener of the page.')
    live.close()
    vi.unstubAllGlobals()
  })

  test('loads older turns on demand, and stays equal to the view of the server', async () => {
    const { client, runtime } = await desk()
    for (let n = 0; n < 7; n++) await client.conversations.send('c1', `hello ${n}`, { wait: 10 })
    const live = client.conversation('c1', { turns: 2 })
    live.subscribe(() => {})
    await until(() => live.connection.state === 'live')
    const [, newest] = live.view.turns
    expect(live.view.turns).toHaveLength(2)
    expect(await live.earlier(3)).toBe(true)
    expect(live.view).toEqual(await runtime.view('c1', { turns: 5 }))
    expect(live.view.turns.at(-1)).toBe(newest)
    expect(await live.earlier(50)).toBe(false)
    expect(live.view.turns).toHaveLength(7)
    await live.send('and more', { wait: 10 })
    await until(() => live.view.turns.length === 8)
    expect(live.view).toEqual(await runtime.view('c1', { turns: 50 }))
    live.close()
  })

  test('stops with an error if the credential is invalid', async () => {
    const { another } = await desk()
    const live = another({ key: 'hp_wrong' }).conversation('c1')
    live.subscribe(() => {})
    await until(() => live.connection.state === 'stopped')
    expect(live.connection).toMatchObject({ error: { code: 'unauthorised' } })
    live.close()
  })

  test('handles a huge message, in the stream and in the view', async () => {
    const { client, runtime } = await desk({ limits: { bodyBytes: 8_000_000, streamQueueBytes: 16_000_000 } })
    await client.conversations.send('c1', 'hello', { wait: 10 })
    const live = client.conversation('c1')
    live.subscribe(() => {})
    await until(() => live.connection.state === 'live')
    await live.send('é\u2028\r\n'.repeat(500_000), { wait: 10 })
    await until(() => live.view.turns.length === 2 && live.view.status === 'idle')
    expect(live.view).toEqual(await runtime.view('c1'))
    live.close()
  })

  test('stops at an event over the size limit, instead of loading it again and again', async () => {
    const { client, another, line } = await desk()
    await client.conversations.send('c1', 'hello', { wait: 10 })
    const live = another({ maxChars: 20_000 }).conversation('c1')
    live.subscribe(() => {})
    await until(() => live.connection.state === 'live')
    await client.conversations.send('c1', 'x'.repeat(50_000), { wait: 10 })
    await until(() => live.connection.state === 'stopped')
    expect(live.connection).toMatchObject({
      error: { message: expect.stringContaining('larger than 20000') as string },
    })
    expect(line.opened).toBeLessThan(10)
    live.close()
  })
})

describe('after a lost connection', () => {
  test('every event arrives once and in order, and frames follow', async () => {
    const { client, runtime, line } = await desk()
    await client.conversations.create({ id: 'c1' })
    const leave = new AbortController()
    const events: LogEvent[] = []
    const frames: Frame[] = []
    const breaks: string[] = []
    const following = (async () => {
      const options = { signal: leave.signal, onBreak: (error: Error) => breaks.push(error.message) }
      for await (const message of client.conversations.follow('c1', options)) {
        if (message.kind === 'event') events.push(message.event)
        if (message.kind === 'frame') frames.push(message.frame)
      }
    })()
    for (let n = 0; n < 12; n++) {
      await runtime.send('c1', `hello ${n}`)
      if (n % 3 === 1) line.cut()
      if (n % 3 === 2) await until(() => events.length > n)
    }
    await until(async () => events.length === (await runtime.events('c1')).length)
    await runtime.send('c1', 'and one with everybody there')
    const all = await runtime.events('c1')
    await until(() => events.length >= all.length)
    leave.abort()
    await following
    expect(events).toEqual(all)
    expect(breaks.length).toBeGreaterThan(0)
    expect(frames.length).toBeGreaterThan(0)
  })

  test('the view equals the view of the server, without repeated text', async () => {
    const said = Promise.withResolvers<void>()
    const { client, runtime, line } = await desk({
      model: {
        id: 'slow',
        async *stream() {
          yield { type: 'text', id: 't', delta: 'One ' }
          await said.promise
          yield { type: 'text', id: 't', delta: 'two.' }
          yield { type: 'finish', reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } }
        },
      },
    })
    await client.conversations.create({ id: 'c1' })
    const live = client.conversation('c1')
    const states: Connection['state'][] = []
    live.subscribe(() => states.push(live.connection.state))
    await until(() => live.connection.state === 'live')
    await live.send('Count')
    await until(() => textOf(live) === 'One ')
    line.cut()
    await until(() => states.at(-1) === 'waiting')
    expect(textOf(live)).toBe('One ')
    await until(() => live.connection.state === 'live')
    expect(textOf(live)).toBe('One ')
    said.resolve()
    await until(() => live.view.status === 'idle')
    expect(textOf(live)).toBe('One two.')
    expect(live.view).toEqual(await runtime.view('c1'))
    live.close()
  })

  test('a silent connection is replaced', async () => {
    const { client, another, line, runtime } = await desk()
    await client.conversations.create({ id: 'c1' })
    const live = another({ silenceMs: 300 }).conversation('c1')
    const errors: (Error | undefined)[] = []
    live.subscribe(() => {
      if (live.connection.state === 'waiting') errors.push(live.connection.error)
    })
    await until(() => live.connection.state === 'live')
    line.mute(true)
    await until(() => errors.length > 0)
    line.mute(false)
    line.cut()
    await runtime.send('c1', 'hello')
    await until(() => textOf(live) === 'It is done.' && live.view.status === 'idle')
    expect(String(errors[0])).toContain('The stream sent nothing')
    live.close()
  })

  test('heartbeats keep a connection without events open', async () => {
    const { client, another } = await desk()
    await client.conversations.create({ id: 'c1' })
    const live = another({ silenceMs: 300 }).conversation('c1')
    const states: Connection['state'][] = []
    live.subscribe(() => states.push(live.connection.state))
    await until(() => live.connection.state === 'live')
    await new Promise((resolve) => setTimeout(resolve, 800))
    expect(states).not.toContain('waiting')
    live.close()
  })

  test('the delay grows while the gateway is down, and `reconnect` ends it', async () => {
    const { client, line, runtime } = await desk()
    await client.conversations.create({ id: 'c1' })
    const live = client.conversation('c1')
    live.subscribe(() => {})
    await until(() => live.connection.state === 'live')
    line.refuse(true)
    const waits: number[] = []
    live.subscribe(() => {
      if (live.connection.state === 'waiting') waits.push(live.connection.retryAt - Date.now())
    })
    for (let n = 1; n <= 5; n++) {
      await until(() => waits.length >= n)
      live.reconnect()
    }
    await until(() => waits.length === 6)
    expect(waits[5]).toBeGreaterThan(5000)
    line.refuse(false)
    await runtime.send('c1', 'hello')
    live.reconnect()
    await until(() => live.view.status === 'idle' && live.view.turns.length === 1)
    live.close()
  })
})

test('a response to any request makes views reconnect at once, unless the gateway asked them to wait', async () => {
  // The clock is stopped, so that only a response ends a delay.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  let there = false
  let busy = false
  let opened = 0
  const client = connect({
    url: 'http://gateway.test',
    key: 'hp_test',
    fetch: async (url) => {
      if (!there) throw new TypeError('fetch failed')
      if (!url.includes('/events')) return Response.json(url.includes('/holds') ? { items: [] } : emptyView)
      opened++
      if (busy) return new Response('', { status: 503, headers: { 'retry-after': '5' } })
      return new Response(new ReadableStream(), { headers: { 'content-type': 'text/event-stream' } })
    },
  })
  const settled = async (): Promise<void> => {
    for (let turn = 0; turn < 500; turn++) await Promise.resolve()
  }
  const live = client.conversation('c1')
  live.subscribe(() => {})
  await vi.advanceTimersByTimeAsync(60_000)
  // Delays are random, so an attempt may be running just now.
  for (let times = 0; live.connection.state !== 'waiting' && times < 1000; times++)
    await vi.advanceTimersByTimeAsync(100)
  expect(live.connection.state).toBe('waiting')
  there = true
  await client.holds.list()
  await settled()
  expect(live.connection.state).toBe('live')
  expect(opened).toBe(1)
  busy = true
  live.close()
  const other = client.conversation('c2')
  other.subscribe(() => {})
  await settled()
  expect(other.connection.state).toBe('waiting')
  await client.holds.list()
  await settled()
  expect(opened).toBe(2)
  other.close()
})
