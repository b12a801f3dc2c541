import { afterEach, describe, expect, test } from 'vitest'
import { connect, HoldpointHttpError, type ConnectOptions } from '@holdpoint/client'
import { problem } from '@holdpoint/protocol'
import { hangUp, json, scriptedServer, type Answer, type ScriptedServer } from './scripted-server.ts'

let server: ScriptedServer | undefined
afterEach(async () => server?.close())

async function against(answers: readonly Answer[], options: Partial<ConnectOptions> = {}) {
  server = await scriptedServer(...answers)
  const credential = options.token ? {} : { key: 'hp_test' }
  return { client: connect({ url: server.url, ...credential, ...options }), asked: server.asked }
}

type Said = Parameters<typeof problem>
const no = (code: Said[0], detail = 'No.', more?: Said[2]): Answer =>
  json(problem(code, detail, more), problem(code, detail).status)

describe('a refusal is a value', () => {
  test('a verdict has the first answer', async () => {
    const first = { hold: 'approval', nth: 1, accepts: ['approve'], resolution: { kind: 'reject' }, by: 'bob', at: 7 }
    const { client } = await against([no('conflict', 'A different answer came first.', { first: first as never })])
    const told = await client.holds.approve('c1', 't1.1')
    expect(told).toEqual({ verdict: 'conflict', message: 'A different answer came first.', first })
  })

  test.each(['expired', 'stale', 'unknown', 'invalid', 'wrong-kind'] as const)('a verdict: %s', async (verdict) => {
    const { client } = await against([no(verdict)])
    expect(await client.holds.answer('c1', 't1.1', 3)).toMatchObject({ verdict })
  })

  test('a refused message says why', async () => {
    const { client } = await against([no('turn-in-progress', 'One call is held.')])
    const sent = await client.conversations.send('c1', 'Hello')
    expect(sent).toEqual({ ok: false, refusal: 'turn-in-progress', message: 'One call is held.' })
  })

  test('a missing object is undefined', async () => {
    const { client } = await against([no('not-found'), no('hold-not-open'), no('not-found')])
    expect(await client.conversations.view('c1')).toBeUndefined()
    expect(await client.holds.show('c1', 't1.1')).toBeUndefined()
    expect(await client.agents.show('missing')).toBeUndefined()
  })

  test('a lost claim is a value', async () => {
    const { client } = await against([no('claim-lost', 'It ran out.')])
    expect(await client.calls.progress('t1.1', { claim: 'x' })).toEqual({
      verdict: 'claim-lost',
      message: 'It ran out.',
    })
  })
})

describe('credentials', () => {
  test('with `session`, the browser sends its cookies, and there is no Authorization header', async () => {
    const sent: RequestInit[] = []
    const fetching: ConnectOptions['fetch'] = async (url, init) => {
      sent.push(init)
      return fetch(url, init)
    }
    server = await scriptedServer(json({ items: [] }), json({ items: [] }))
    await connect({ url: server.url, session: true, fetch: fetching }).keys.list()
    await connect({ url: server.url, key: 'hp_test', fetch: fetching }).keys.list()
    const seen = sent.map(({ credentials, headers }) => [credentials, new Headers(headers).get('authorization')])
    expect(seen).toEqual([
      ['same-origin', null],
      ['omit', 'Bearer hp_test'],
    ])
  })

  test('the tenant is that of the request, or else of the client', async () => {
    server = await scriptedServer(json({ items: [] }))
    const client = connect({ url: server.url, key: 'hp_test', tenant: 'Zürich' })
    await client.keys.list()
    await client.conversations.list({}, { tenant: 'acme' })
    await client.conversations.send('c', 'hello', { tenant: 'initech' })
    const one = { conversationId: 'c', callId: 't.1', nth: 1, resolution: { kind: 'approve' as const } }
    await client.holds.resolveMany([{ ...one, tenant: 'umbrella' }])
    expect(server.asked.map(({ headers }) => headers['holdpoint-tenant'])).toEqual([
      'Z%C3%BCrich',
      'acme',
      'initech',
      'umbrella',
    ])
    expect(server.asked[2]?.body).toBe('{"content":"hello"}')
  })

  test('there is exactly one', () => {
    const url = 'http://127.0.0.1'
    for (const wrong of [{}, { key: 'k', session: true }, { key: 'k', token: () => 't' }] as const)
      expect(() => connect({ url, ...wrong })).toThrow('one of `key`, `token` and `session`')
  })
})

describe('every other failure is thrown', () => {
  test('with the problem, and never with the key', async () => {
    const { client } = await against([no('scope-missing', 'This takes a resolver.')], { key: 'hp_very_secret' })
    const error = await client.holds.approve('c1', 't1.1').catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(HoldpointHttpError)
    expect(error).toMatchObject({ status: 403, code: 'scope-missing', problem: { detail: 'This takes a resolver.' } })
    expect(String(error) + JSON.stringify(error)).not.toContain('secret')
  })

  test("a proxy's page is not taken for an answer", async () => {
    const page: Answer = (response) =>
      void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Log in</p>')
    const { client } = await against([page])
    await expect(client.holds.list()).rejects.toThrow('not a Holdpoint gateway')
  })

  test('a redirect is an error, because a gateway does not redirect', async () => {
    const away: Answer = (response) => void response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end()
    const { client } = await against([away], { attempts: 1 })
    await expect(client.holds.list()).rejects.toMatchObject({ status: 0 })
  })

  test('a response that is too large is not read to its end and not retried', async () => {
    const { client, asked } = await against([json({ items: ['x'.repeat(100_000)] })], { maxChars: 50_000 })
    await expect(client.holds.list()).rejects.toThrow('larger than 50000')
    expect(asked).toHaveLength(1)
  })

  test('a gateway that does not respond causes a timeout', async () => {
    const { client } = await against([() => {}], { timeoutMs: 50, attempts: 1 })
    await expect(client.holds.list()).rejects.toMatchObject({ status: 0 })
  })

  test('an aborted request rejects at once with the reason of its signal', async () => {
    const { client, asked } = await against([no('closed')])
    await expect(client.holds.list({}, { signal: AbortSignal.abort(new Error('Gone.')) })).rejects.toThrow('Gone.')
    expect(asked.length).toBeLessThanOrEqual(1)
  })
})

describe('temporary failures are retried', () => {
  test('a write is retried with the same key and the same body', async () => {
    const { client, asked } = await against([hangUp, no('closed'), no('same-key-in-progress'), json({ turnId: 't1' })])
    expect(await client.conversations.send('c1', 'Hello')).toEqual({ ok: true, turnId: 't1' })
    expect(asked).toHaveLength(4)
    expect(new Set(asked.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
    expect(new Set(asked.map(({ body }) => body)).size).toBe(1)
    expect(asked[0]?.headers['idempotency-key']).toMatch(/^[0-9a-f]{32}$/)
  })

  test('two writes have two keys, and the caller may set a key', async () => {
    const { client, asked } = await against([json({ verdict: 'accepted', message: 'Accepted.' })])
    await client.holds.approve('c1', 'a')
    await client.holds.approve('c1', 'a')
    await client.holds.approve('c1', 'a', { key: 'mail-4711' })
    const keys = asked.map(({ headers }) => headers['idempotency-key'])
    expect(new Set(keys).size).toBe(3)
    expect(keys[2]).toBe('mail-4711')
  })

  test('the delay follows Retry-After', async () => {
    const later = json(problem('too-many-requests', 'Later.'), 429, { 'retry-after': '1' })
    const { client } = await against([later, json({ items: [] })])
    const began = Date.now()
    await client.holds.list()
    expect(Date.now() - began).toBeGreaterThanOrEqual(990)
  })

  test('a Retry-After of an hour is an error', async () => {
    const { client, asked } = await against([
      json(problem('too-many-requests', 'Later.'), 429, { 'retry-after': '3600' }),
    ])
    await expect(client.holds.list()).rejects.toMatchObject({ code: 'too-many-requests', retryAfterMs: 3_600_000 })
    expect(asked).toHaveLength(1)
  })

  test('a permanent failure is not retried', async () => {
    const { client, asked } = await against([no('internal')])
    await expect(client.conversations.send('c1', 'Hello')).rejects.toMatchObject({ code: 'internal' })
    expect(asked).toHaveLength(1)
  })

  test('the number of attempts is limited', async () => {
    const { client, asked } = await against([no('store-unavailable')], { attempts: 2 })
    await expect(client.holds.list()).rejects.toMatchObject({ code: 'store-unavailable' })
    expect(asked).toHaveLength(2)
  })

  test('an expired token is requested once more', async () => {
    const tokens = ['old', 'new']
    const { client, asked } = await against([no('unauthorised'), json({ items: [] })], {
      token: async () => tokens.shift() ?? 'none',
    })
    await client.holds.list()
    expect(asked.map(({ headers }) => headers.authorization)).toEqual(['Bearer old', 'Bearer new'])
  })

  test('a wait longer than the limit of the gateway uses several requests for one message', async () => {
    const { client, asked } = await against([
      json({ turnId: 't1' }, 202),
      json({ turnId: 't1', repeated: true, result: { status: 'done' } }),
    ])
    const sent = await client.conversations.send('c1', 'Hello', { wait: 100 })
    expect(sent).toEqual({ ok: true, turnId: 't1', result: { status: 'done' } })
    expect(asked.map(({ path }) => path)).toEqual([
      expect.stringContaining('wait=30'),
      expect.stringContaining('wait=30'),
    ])
    expect(asked[0]?.headers['idempotency-key']).toBe(asked[1]?.headers['idempotency-key'])
  })
})

describe('strings from users', () => {
  test.each(['a/b', '../keys', 'a?b#c', 'ü "x" \\ %2e%2e', '\u202e'])(
    'an id stays one segment of the path: %j',
    async (id) => {
      const { client, asked } = await against([json({ items: [] })])
      await client.conversations.events(id)
      const { pathname, search } = new URL(asked[0]?.path ?? '', 'http://x')
      expect(pathname.split('/').map(decodeURIComponent)).toEqual(['', 'api', 'conversations', id, 'events'])
      expect(search).toBe('')
    },
  )

  test.each(['.', '..', '', '\ud800'])(
    'an id that cannot be a segment is refused before it is sent: %j',
    async (id) => {
      const { client, asked } = await against([json({ items: [] })])
      await expect(client.holds.approve(id, 'keys')).rejects.toThrow('is not a valid id')
      expect(asked).toHaveLength(0)
    },
  )

  test('a query and a body may have any text', async () => {
    const evil = '&admin=1#\n"<script>\u2028 ü'
    const { client, asked } = await against([json({ items: [] }), json({ turnId: 't' })])
    await client.holds.list({ tool: evil })
    await client.conversations.send('c1', evil)
    expect([...new URL(asked[0]?.path ?? '', 'http://x').searchParams]).toEqual([['tool', evil]])
    expect(JSON.parse(asked[1]?.body ?? '')).toEqual({ content: evil })
  })

  test('a path before /api is kept', async () => {
    const { client, asked } = await against([json({ items: [] })])
    await connect({ url: `${server?.url ?? ''}/door/`, key: 'hp_test' }).keys.list()
    await client.keys.list()
    expect(asked.map(({ path }) => path)).toEqual(['/door/api/keys', '/api/keys'])
  })

  test.each(['javascript:alert(1)', 'file:///etc/passwd', 'nonsense'])(
    'a url that is no gateway is refused: %s',
    (url) => {
      expect(() => connect({ url, key: 'hp_test' })).toThrow(TypeError)
    },
  )
})
