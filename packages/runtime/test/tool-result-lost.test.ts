/** What JSON would drop without a word is an error that says what to return; an async generator reports progress. */
import { askUser, definePlugin, halt, toolDefiner, toolError, type Frame, type Tool } from '@holdpoint/core'
import { chat, stream } from '@holdpoint/runtime'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { call, desk, expectSound, outcomes } from '../../../test/kit/session-kit.ts'

const tool = toolDefiner(undefined)
const nothing = z.object({})
const named = { name: 'x', description: 'x', input: nothing }

class Hidden {
  #secret = 42
  read(): number {
    return this.#secret
  }
}
class Row {
  readonly id = 7
}

async function returned(run: () => unknown) {
  const { agent, model } = desk([{ calls: [call('x')] }, 'done'], { tools: [tool({ ...named, run })] })
  const { session } = await chat(agent, 'go')
  expectSound(session, model)
  return outcomes(session)['x']
}

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

describe('a result that JSON would drop fails the call, and the error says what to return', () => {
  test.each<[what: string, run: () => unknown, why: string]>([
    [
      'a response',
      () => Promise.resolve(new Response('hello')),
      'a Response, of which JSON keeps nothing. Return what it holds: await its json() or text().',
    ],
    [
      'a nested promise',
      () => ({ weather: { now: Promise.resolve(21) } }),
      'a promise at "weather.now", of which JSON keeps nothing. Await it first.',
    ],
    [
      'a list of promises',
      () => [1, 2].map(async (n) => n),
      'a promise at "0", of which JSON keeps nothing. Await it first.',
    ],
    [
      'an object whose getter throws',
      () => ({
        get a() {
          throw new Error('no')
        },
      }),
      'no',
    ],
    ['a revoked proxy inside', () => ({ draft: revoked() }), 'Cannot perform'],
    ['a Map', () => ({ found: new Map([['a', 1]]) }), 'a Map at "found"'],
    ['a Set', () => new Set([1]), 'a Set, of which JSON keeps nothing. Return [...set].'],
    ['an error inside', () => ({ cause: new Error('no') }), 'an Error at "cause"'],
    ['an instance with hidden fields', () => new Hidden(), 'an instance of Hidden'],
    ['query parameters', () => ({ query: new URLSearchParams('a=1') }), 'an instance of URLSearchParams at "query"'],
    ['a function inside', () => ({ open: () => 1 }), 'a function at "open", of which JSON keeps nothing. Return data.'],
    ['a symbol', () => Symbol('x'), 'a symbol'],
    ['a symbol inside', () => [Symbol('x')], 'a symbol at "0"'],
    ['bytes', () => new Uint8Array([1, 2]), 'bytes, of which JSON keeps nothing. Return them as base64 text.'],
    ['an iterator', () => ['a'].values(), 'an iterator, of which JSON keeps nothing. Return a list: [...iterator].'],
    [
      'a stream',
      () => new Blob(['a']).stream(),
      'a stream, of which JSON keeps nothing. Read it, and return what it holds.',
    ],
    ['a blob', () => new Blob(['a']), 'a Blob'],
    [
      'a promise of a generator',
      async () =>
        (async function* () {
          yield 1
        })(),
      'a stream',
    ],
  ])('%s', async (_what, run, why) => {
    expect(await returned(run)).toMatchObject({
      ok: false,
      error: { code: 'invalid-output', message: expect.stringContaining(`The result is not JSON: ${why}`) },
    })
  })

  test('what JSON can keep is kept: dates, rows of a database, objects that say how they are written', async () => {
    const odd = { at: new Date(0), row: new Row(), url: new URL('https://a.example/'), none: undefined }
    expect(await returned(() => odd)).toEqual({
      ok: true,
      value: { at: '1970-01-01T00:00:00.000Z', row: { id: 7 }, url: 'https://a.example/' },
    })
  })

  test.each([
    ['askUser', () => askUser('Which?', { choices: new Set(['a']) } as never)],
    ['halt', () => halt('Stop', new Map() as never)],
    ['toolError', () => toolError('No', { why: Promise.resolve() } as never)],
  ])('%s: so does what is said beside the result', async (_name, run) => {
    expect(await returned(run)).toMatchObject({
      ok: false,
      error: { code: 'invalid-output', message: expect.stringContaining('of which JSON keeps nothing') },
    })
  })
})

test('an answer from outside is refused for the same reason, and the call stays held', async () => {
  const { agent } = desk([{ calls: [call('x')] }], { tools: [tool({ ...named, executor: 'human' })] })
  const { session, holds } = await chat(agent, 'go')
  expect(await session.answer(holds[0]!.callId, new Map())).toMatchObject({
    verdict: 'invalid',
    message: expect.stringContaining('a Map, of which JSON keeps nothing'),
  })
  expect(session.holds).toHaveLength(1)
})

test('a state that JSON would drop is refused', async () => {
  const seen = definePlugin({ id: 'seen', state: z.set(z.string()) })
  const write = tool({ ...named, run: async ({ state }) => state.set(seen, new Set(['a'])) })
  const { agent } = desk([{ calls: [call('x')] }, 'done'], { tools: [write], plugins: [seen] })
  const { session } = await chat(agent, 'go')
  expect(outcomes(session)['x']).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining('The state of plugin "seen" does not fit its schema: a Set') },
  })
})

describe('an async generator', () => {
  async function frames(made: Tool): Promise<readonly unknown[]> {
    const { agent } = desk([{ calls: [call('x')] }, 'done'], { tools: [made] })
    const live = stream(agent, 'go')
    const progress: unknown[] = []
    for await (const item of live)
      if (item.type === 'call-progress') progress.push((item as Frame & { value: unknown }).value)
    const { session } = await live.result
    return [progress, outcomes(session)['x']]
  }

  test('reports what it yields as progress, and what it returns is the result', async () => {
    const made = tool({
      ...named,
      streaming: true,
      output: z.object({ pages: z.number() }),
      run: async function* () {
        yield 'page 1'
        yield { page: 2 }
        return { pages: 2 }
      },
    })
    expect(await frames(made)).toEqual([['page 1', { page: 2 }], { ok: true, value: { pages: 2 } }])
  })

  test('that throws fails the call; that returns nothing gives null', async () => {
    const throws = tool({
      ...named,
      streaming: true,
      run: async function* () {
        yield 1
        throw new Error('disk full')
      },
    })
    expect(await frames(throws)).toEqual([[1], { ok: false, error: { code: 'failed', message: 'disk full' } }])
    const silent = tool({
      ...named,
      streaming: true,
      run: async function* () {
        yield 1
      },
    })
    expect(await frames(silent)).toEqual([[1], { ok: true, value: null }])
  })

  test('is ended at its next yield when the turn is cancelled, so that its `finally` runs', async () => {
    const stop = new AbortController()
    const ended = Promise.withResolvers<string>()
    const cancelled = Promise.withResolvers<void>()
    const made = tool({
      ...named,
      streaming: true,
      run: async function* () {
        try {
          stop.abort()
          await cancelled.promise
          yield 1
        } finally {
          ended.resolve('closed')
        }
      },
    })
    const { agent } = desk([{ calls: [call('x')] }], { tools: [made] })
    const { reason } = await chat(agent, 'go', { signal: stop.signal })
    cancelled.resolve()
    expect([reason, await ended.promise]).toEqual(['cancelled', 'closed'])
  })
})
