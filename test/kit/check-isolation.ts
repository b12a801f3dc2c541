/** What the examples of embedding claim: each user has their own conversations, and only after a login. */
import assert from 'node:assert/strict'
import { decodeStream, paths, SseDecoder } from '@holdpoint/protocol'
import type { ListOf, Resolved, Sent } from '@holdpoint/protocol'

type Call = (path: string, init?: RequestInit) => Promise<Response>

export interface Application {
  readonly origin: string
  /** The path in front of `/api`. */
  readonly prefix: string
  readonly call: Call
}

interface Answer<T> {
  readonly status: number
  readonly body: T
}

interface User {
  get<T = unknown>(path: string): Promise<Answer<T>>
  post<T = unknown>(path: string, body: object, headers?: object): Promise<Answer<T>>
  readonly cookie: string
}

export async function checkIsolation(application: Application): Promise<void> {
  const [ada, ben] = [await logIn(application, 'ada', 'lovelace'), await logIn(application, 'ben', 'franklin')]
  const stranger = userWith(application, '')
  assert.deepEqual(await account(application, ada), { id: 'ada', name: 'Ada' })

  const sent = await ben.post<Sent>(`${paths.messages('ben-1')}?wait=10`, { content: 'I want a shirt' })
  const hold = sent.body.result?.holds[0]
  assert.equal(hold?.kind, 'elicitation')
  const { callId } = hold
  await ada.post(`${paths.messages('ada-1')}?wait=10`, { content: 'Hello' })

  const reads = [
    paths.conversation('ben-1'),
    paths.events('ben-1'),
    paths.explain('ben-1'),
    paths.hold('ben-1', callId),
    paths.call(callId),
  ]
  const writes = [
    [paths.messages('ben-1'), { content: 'Cancel it' }],
    [paths.messages('ben-1'), { content: 'Cancel it', by: 'ben' }],
    [paths.cancel('ben-1'), {}],
    [paths.continue('ben-1'), {}],
    [paths.resolve('ben-1', callId), { kind: 'answer', value: 'S' }],
    [paths.resolve('ben-1', callId), { kind: 'answer', value: 'S', by: 'ben' }],
    [paths.conversations(), { id: 'ben-2', by: 'ben' }],
  ] as const

  console.log('Without a login: 401')
  for (const path of [...reads, paths.conversations(), paths.holds(), paths.me()])
    assert.equal((await stranger.get(path)).status, 401, path)
  for (const [path, body] of writes) assert.equal((await stranger.post(path, body)).status, 401, path)
  assert.equal((await stream(application, stranger, 'ben-1')).status, 401)

  console.log('Ada cannot read, list, stream or answer the conversation of Ben')
  for (const path of reads) refused(await ada.get(path), path)
  for (const [path, body] of writes) refused(await ada.post(path, body), `${path} ${JSON.stringify(body)}`)
  refused(await stream(application, ada, 'ben-1'), 'stream')
  assert.deepEqual(await idsOf(ada, paths.conversations(), 'id'), ['ada-1'])
  assert.deepEqual(await idsOf(ada, paths.holds(), 'conversationId'), [])
  assert.deepEqual(await idsOf(ada, paths.calls(), 'conversationId'), [])

  console.log('Ben answers his own question, and not a request for approval')
  assert.deepEqual(await idsOf(ben, paths.holds(), 'conversationId'), ['ben-1'])
  const answered = await ben.post<Resolved>(paths.resolve('ben-1', callId), { kind: 'answer', value: 'M' })
  assert.equal(answered.body.verdict, 'accepted')
  assert.deepEqual(await authorsOf(application, ben), ['ben'])
  const asked = await ben.post<Sent>(`${paths.messages('ben-1')}?wait=10`, { content: 'I want my money back' })
  const refund = asked.body.result?.holds[0]?.callId ?? ''
  const approved = await ben.post(paths.resolve('ben-1', refund), { kind: 'approve', by: 'finance' })
  assert.equal(approved.status, 403)
  assert.equal((await ben.post(paths.resolve('ben-1', refund), { kind: 'approve' })).status, 403)

  console.log('A page of another site cannot write with the cookie of Ben')
  for (const origin of ['https://evil.test', undefined]) {
    const forged = await ben.post(paths.cancel('ben-1'), {}, { origin })
    assert.equal(forged.status, 403)
  }

  await application.call('/logout', { method: 'POST', headers: { cookie: ben.cookie, origin: application.origin } })
  assert.equal((await ben.get(paths.me())).status, 401)
}

async function logIn(application: Application, id: string, password: string): Promise<User> {
  const response = await application.call('/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: application.origin },
    body: JSON.stringify({ id, password }),
  })
  assert.equal(response.status, 204)
  return userWith(application, response.headers.get('set-cookie')?.split(';')[0] ?? '')
}

function userWith({ call, prefix, origin }: Application, cookie: string): User {
  const send = async <T>(path: string, init: RequestInit): Promise<Answer<T>> => {
    const response = await call(prefix + path, init)
    const text = await response.text()
    return { status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as T }
  }
  return {
    cookie,
    get: (path) => send(path, { headers: { cookie } }),
    post: (path, body, more = { origin }) => {
      const headers = { cookie, 'content-type': 'application/json', ...more }
      const given = Object.entries(headers).filter(([, value]) => value !== undefined)
      return send(path, { method: 'POST', headers: Object.fromEntries(given), body: JSON.stringify(body) })
    },
  }
}

function stream({ call, prefix }: Application, { cookie }: User, id: string): Promise<Response> {
  return call(prefix + paths.events(id), { headers: { cookie, accept: 'text/event-stream' } })
}

/** Who wrote and answered in `ben-1`, read from the stream until the turn is over. */
async function authorsOf(application: Application, user: User): Promise<readonly string[]> {
  const { body } = await stream(application, user, 'ben-1')
  const decoder = new SseDecoder()
  const text = new TextDecoder()
  const authors = new Set<string>()
  for await (const bytes of body ?? []) {
    for (const message of decoder.push(text.decode(bytes, { stream: true }))) {
      const item = decodeStream(message)
      if (item?.kind !== 'event') continue
      const { event } = item
      if ('by' in event && typeof event.by === 'string') authors.add(event.by)
      if (event.type === 'turn.started')
        for (const each of event.items) if ('by' in each && typeof each.by === 'string') authors.add(each.by)
      // Leaving the loops closes the connection.
      if (event.type === 'model.replied' && event.step === 2) return [...authors]
    }
  }
  return [...authors]
}

async function account({ call }: Application, { cookie }: User): Promise<unknown> {
  return (await call('/account', { headers: { cookie } })).json()
}

async function idsOf(user: User, path: string, field: string): Promise<readonly string[]> {
  const { status, body } = await user.get<ListOf<Readonly<Record<string, string>>>>(path)
  assert.equal(status, 200, path)
  return body.items.map((item) => item[field] ?? '')
}

function refused({ status }: { readonly status: number }, what: string): void {
  assert.ok(status === 403 || status === 404, `${what}: ${status}`)
}
