/** An open stream ends when the credential that opened it ends. Sessions of a cookie: see confirmed-sessions.test.ts. */
import { SignJWT } from 'jose'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { ApplicationSession } from '@holdpoint/gateway'
import { kit, type Kit, type KitOptions } from './kit.ts'

const secret = 'a secret that is long enough for HS256'

interface World extends Kit {
  advance(ms: number): void
  /** Opens a stream of changes. */
  open(headers: Readonly<Record<string, string>>, query?: string): Promise<OpenStream>
}

interface OpenStream {
  readonly status: number
  /** Resolves when the stream has ended. */
  readonly end: Promise<unknown>
  isOpen(): boolean
}

async function start(options: KitOptions): Promise<World> {
  let ahead = 0
  const here = await kit({ now: () => Date.now() + ahead, limits: { heartbeatMs: 10 }, ...options })
  onTestFinished(here.close)
  return {
    ...here,
    advance: (ms) => (ahead += ms),
    open: async (headers, query = '') => {
      const request = new Request(`http://localhost/api/changes${query}`, {
        headers: { accept: 'text/event-stream', ...headers },
      })
      const response = await here.api.fetch(request)
      let over = false
      const end = response.text().then(() => (over = true))
      return { status: response.status, end, isOpen: () => !over }
    },
  }
}

/** An application whose sessions can change. `asked`: the sessions that the gateway asked for. */
function login(sessions: Record<string, ApplicationSession | Error | undefined>, recheckMs?: number) {
  const asked: string[] = []
  const authenticate = ({ headers }: Request): ApplicationSession | undefined => {
    const name = headers.get('cookie') ?? ''
    asked.push(name)
    const found = sessions[name]
    if (found instanceof Error) throw found
    return found
  }
  return { asked, auth: { authenticate, ...(recheckMs !== undefined && { recheckMs }) } }
}

/** Waits until the gateway has asked the application so many times more. */
const askedAgain = (asked: readonly string[], more = 2): Promise<void> => {
  const before = asked.length
  return vi.waitFor(() => expect(asked.length).toBeGreaterThanOrEqual(before + more))
}

test('the stream of a token ends when the token expires', async () => {
  const here = await start({ auth: { tokens: { secret } } })
  const token = await new SignJWT({ tenant: 'acme', sub: 'ada', scope: 'reader' })
    .setProtectedHeader({ alg: 'HS256' })
    .setExpirationTime('1m')
    .sign(new TextEncoder().encode(secret))
  const stream = await here.open({ authorization: `Bearer ${token}` })
  expect([stream.status, stream.isOpen()]).toEqual([200, true])
  here.advance(60_000)
  await stream.end
})

test('the stream of a key ends when the key expires', async () => {
  const here = await start({})
  const { key } = await here.api.keys.create('acme', { name: 'short', scopes: ['reader'], ttlMs: 60_000 })
  const stream = await here.open({ authorization: `Bearer ${key}` })
  expect([stream.status, stream.isOpen()]).toEqual([200, true])
  here.advance(60_000)
  await stream.end
})

test('an application that signs a person out ends their streams, and no others', async () => {
  const sessions: Record<string, ApplicationSession | undefined> = {
    ada: { id: 'ada', tenant: 'acme' },
    ben: { id: 'ben', tenant: 'acme' },
  }
  const { asked, auth } = login(sessions, 0)
  const here = await start({ auth })
  const [ada, ben] = [await here.open({ cookie: 'ada' }), await here.open({ cookie: 'ben' })]
  await askedAgain(asked, 6)
  expect([ada.isOpen(), ben.isOpen()]).toEqual([true, true])
  delete sessions['ada']
  await ada.end
  await askedAgain(asked)
  expect(ben.isOpen()).toBe(true)
})

test('the application is asked again once a minute for each stream', async () => {
  const { asked, auth } = login({ ada: { id: 'ada', tenant: 'acme' } })
  const here = await start({ auth })
  const [first, second] = [await here.open({ cookie: 'ada' }), await here.open({ cookie: 'ada' })]
  here.advance(59_000)
  const heartbeats = await here.open({ authorization: `Bearer ${here.key('acme', 'reader')}` })
  expect(asked).toHaveLength(2)
  here.advance(1000)
  await vi.waitFor(() => expect(asked).toHaveLength(4))
  expect([first, second, heartbeats].every((each) => each.isOpen())).toBe(true)
})

test.each([
  ['another person', { id: 'ben', tenant: 'acme' }],
  ['another tenant', { id: 'ada', tenant: 'umbrella' }],
  ['other groups', { id: 'ada', tenant: 'acme', groups: ['guests'] }],
  ['fewer scopes', { id: 'ada', tenant: 'acme', groups: ['finance'], scopes: ['agent'] }],
  ['a session of a wrong shape', { id: 'ada', tenant: 'acme', groups: 'finance' } as never],
] satisfies readonly (readonly [string, ApplicationSession])[])(
  'a stream ends when the application answers with %s',
  async (_, changed) => {
    const sessions: Record<string, ApplicationSession> = { ada: { id: 'ada', tenant: 'acme', groups: ['finance'] } }
    const { asked, auth } = login(sessions, 0)
    const here = await start({ auth })
    const stream = await here.open({ cookie: 'ada' })
    await askedAgain(asked)
    expect(stream.isOpen()).toBe(true)
    sessions['ada'] = changed
    await stream.end
  },
)

test('a person who works no longer for a tenant loses the streams of that tenant', async () => {
  const sessions: Record<string, ApplicationSession> = { grace: { id: 'grace', tenants: ['staff', 'acme'] } }
  const { asked, auth } = login(sessions, 0)
  const here = await start({ auth })
  const [own, acme] = [await here.open({ cookie: 'grace' }), await here.open({ cookie: 'grace' }, '?tenant=acme')]
  await askedAgain(asked, 6)
  expect([own.isOpen(), acme.isOpen()]).toEqual([true, true])
  sessions['grace'] = { id: 'grace', tenants: ['staff'] }
  await acme.end
  await askedAgain(asked)
  expect(own.isOpen()).toBe(true)
})

test('a session that the application extends keeps its stream', async () => {
  let expiresAt = Date.now() + 60_000
  const auth = { authenticate: () => ({ id: 'ada', tenant: 'acme', expiresAt }), recheckMs: 0 }
  const authenticate = vi.fn<typeof auth.authenticate>(auth.authenticate)
  const here = await start({ auth: { ...auth, authenticate } })
  const stream = await here.open({ cookie: 'ada' })
  expiresAt += 600_000
  await vi.waitFor(() => expect(authenticate.mock.calls.length).toBeGreaterThan(3))
  here.advance(61_000)
  const calls = authenticate.mock.calls.length
  await vi.waitFor(() => expect(authenticate.mock.calls.length).toBeGreaterThan(calls + 2))
  expect(stream.isOpen()).toBe(true)
  here.advance(600_000)
  await stream.end
})

test('while the application cannot say who it is, the stream stays; one that never answers holds up no other stream', async () => {
  const sessions: Record<string, ApplicationSession | Error> = { ada: { id: 'ada', tenant: 'acme' } }
  const { asked, auth } = login(sessions, 0)
  const never = new Promise<undefined>(() => {})
  let hangs = false
  const here = await start({
    auth: {
      ...auth,
      authenticate: (request) => (hangs && request.headers.get('cookie') === 'slow' ? never : answer(request)),
    },
  })
  const answer = (request: Request) => {
    const found = auth.authenticate(request)
    return found ?? (request.headers.get('cookie')?.startsWith('slow') ? { id: 'slow', tenant: 'acme' } : undefined)
  }
  const stream = await here.open({ cookie: 'ada' })
  sessions['ada'] = new Error('The database of sessions is away.')
  await askedAgain(asked)
  expect(stream.isOpen()).toBe(true)
  const slow = await Promise.all(Array.from({ length: 20 }, () => here.open({ cookie: 'slow' })))
  hangs = true
  delete sessions['ada']
  await stream.end
  expect(slow.every((each) => each.isOpen())).toBe(true)
})

test.each([-1, Number.NaN, Infinity])('`recheckMs` %j is refused at the start', async (recheckMs) => {
  await expect(kit({ auth: { recheckMs } })).rejects.toThrow('`auth.recheckMs` must be')
})
