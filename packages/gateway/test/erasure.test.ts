/** Erasing a conversation over HTTP, and everything that the gateway stores about it. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { connect } from '@holdpoint/client'
import { agent, holdpoint, openStore, type Store } from 'holdpoint'
import { scriptedModel } from '@holdpoint/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { followStream, isEvent } from './follow-stream.ts'
import { shipping } from './kit.ts'
import { personKit } from './person-kit.ts'

const ERASE = '/api/conversations/c'

test('an admin erases a conversation, and what remains is a tombstone', async () => {
  const { ask } = await personKit()
  await ask('POST', '/api/conversations/c/messages?wait=5', { body: { content: 'My secret' } })
  expect(await ask('DELETE', `${ERASE}?reason=request+12`)).toMatchObject({ status: 204 })
  const view = await ask('GET', ERASE)
  expect(view).toMatchObject({
    status: 200,
    body: { turns: [], agent: 'desk', erased: { by: 'key:admin', reason: 'request 12', at: expect.any(Number) } },
  })
  const events = await ask('GET', `${ERASE}/events`)
  expect(events.body.items.map(({ type }: { type: string }) => type)).toEqual(['conversation.erased'])
  expect((await ask('GET', '/api/conversations')).body.items).toEqual([])
  expect(await ask('GET', `${ERASE}/explain`)).toMatchObject({ status: 404 })
  // Erased before, and by whatever process.
  expect(await ask('DELETE', ERASE)).toMatchObject({ status: 204 })
})

test('every later request is told that the conversation was erased', async () => {
  const { ask } = await personKit()
  await ask('POST', '/api/conversations/c/messages?wait=5', { body: { content: 'Hello' } })
  await ask('DELETE', ERASE)
  for (const path of ['messages', 'cancel', 'continue', 'participants'])
    expect([
      path,
      await ask('POST', `${ERASE}/${path}`, {
        body: { messages: { content: 'Hi' }, participants: { add: ['ada'] } }[path] ?? {},
      }),
    ]).toMatchObject([path, { status: 410, body: { code: 'erased' } }])
})

test('a running turn or a held call is erased only with `cancel`', async () => {
  const here = await personKit()
  const callId = await shipping(here, 'c')
  expect(await here.ask('DELETE', ERASE)).toMatchObject({ status: 409, body: { code: 'turn-in-progress' } })
  expect(await here.ask('DELETE', `${ERASE}?cancel=true`)).toMatchObject({ status: 204 })
  expect((await here.ask('GET', '/api/holds')).body.items).toEqual([])
  expect(
    await here.ask('POST', `/api/holds/c/${callId}/resolve`, { body: { kind: 'answer', value: 1 } }),
  ).toMatchObject({
    status: 404,
    body: { code: 'unknown' },
  })
})

test('the owner of a conversation erases it; a participant, a stranger and a key without admin do not', async () => {
  const { ask, person } = await personKit()
  const [ada, ben, cy] = [await person('ada'), await person('ben'), await person('cy')]
  await ada('POST', '/api/conversations/c/messages?wait=5', { content: 'Hello' })
  await ada('POST', '/api/conversations/c/participants', { add: ['ben'] })
  for (const other of [ben, cy])
    expect(await other('DELETE', ERASE)).toMatchObject({ status: 403, body: { code: 'not-allowed' } })
  expect(await ask('DELETE', ERASE, { as: 'agent' })).toMatchObject({ status: 403, body: { code: 'scope-missing' } })
  expect(await ask('DELETE', ERASE, { as: 'reader' })).toMatchObject({ status: 403, body: { code: 'scope-missing' } })
  expect(await ada('DELETE', ERASE)).toMatchObject({ status: 204 })
  // The same request again, because its answer was lost.
  expect(await ada('DELETE', ERASE)).toMatchObject({ status: 204 })
  expect(await ben('DELETE', ERASE)).toMatchObject({ status: 410, body: { code: 'erased' } })
  // Its people are erased too.
  for (const each of [ada, ben])
    expect(await each('GET', ERASE)).toMatchObject({ status: 410, body: { code: 'erased' } })
  expect((await ada('GET', '/api/conversations')).body.items).toEqual([])
})

test("an application's own rules decide who erases", async () => {
  const asked: string[] = []
  const { ask, person } = await personKit({
    authorize: ({ id }, action) => {
      asked.push(`${id} ${action}`)
      return action !== 'conversation.erase'
    },
  })
  const ada = await person('ada')
  await ada('POST', '/api/conversations/c/messages?wait=5', { content: 'Hello' })
  expect(await ada('DELETE', ERASE)).toMatchObject({ status: 403, body: { code: 'not-allowed' } })
  expect(await ask('DELETE', ERASE)).toMatchObject({ status: 403, body: { code: 'not-allowed' } })
  expect(asked).toContain('ada conversation.erase')
})

test('what another tenant has, a space, and what does not exist are not erased', async () => {
  const { ask } = await personKit()
  await ask('POST', '/api/conversations/c/messages?wait=5', { body: { content: 'Hello' } })
  await ask('POST', '/api/spaces', { body: { id: 'room', name: 'Room' } })
  expect(await ask('DELETE', ERASE, { tenant: 'umbrella' })).toMatchObject({ status: 404, body: { code: 'not-found' } })
  expect(await ask('DELETE', '/api/conversations/none')).toMatchObject({ status: 404, body: { code: 'not-found' } })
  expect(await ask('DELETE', '/api/conversations/room')).toMatchObject({ status: 409, body: { code: 'is-a-space' } })
  expect(await ask('DELETE', `${ERASE}?cancel=1`)).toMatchObject({ status: 422 })
  expect(await ask('DELETE', `${ERASE}?reason=${'x'.repeat(1001)}`)).toMatchObject({ status: 422 })
  expect((await ask('GET', ERASE)).body.turns).toHaveLength(1)
})

test('a reader who follows the stream gets the tombstone, and then nothing', async () => {
  const here = await personKit({ limits: { heartbeatMs: 50 } })
  await here.ask('POST', '/api/conversations/c/messages?wait=5', { body: { content: 'My secret' } })
  const live = await followStream(here, 'c', { after: '1' })
  await live.until(isEvent('model.replied'))
  await here.ask('DELETE', ERASE)
  expect((await live.until(isEvent('conversation.erased'))).filter(({ kind }) => kind === 'event')).toHaveLength(1)
  const late = await followStream(here, 'c')
  expect(await late.next()).toMatchObject({ kind: 'event', event: { type: 'conversation.erased' } })
  await here.api.close()
  for (const stream of [live, late]) expect(await stream.rest()).not.toMatch(/^data:/m)
})

test('a stored answer to a repeated request is erased with its conversation', async () => {
  const here = await personKit()
  const continued = (key: string) => here.ask('POST', '/api/conversations/c/continue?wait=5', { key })
  await here.ask('POST', '/api/conversations/c/messages?wait=5', { body: { content: 'ask secret' } })
  expect(JSON.stringify((await continued('k1')).body)).toContain('secret')
  expect((await continued('k1')).headers.get('idempotency-replayed')).toBe('true')
  await here.ask('DELETE', `${ERASE}?cancel=true`)
  expect(await continued('k1')).toMatchObject({ status: 410, body: { code: 'erased' } })
  const once = await here.store.documents({ tenant: 'acme', kind: 'gateway.once', limit: 100 })
  expect(JSON.stringify(once.items)).not.toContain('secret')
  const listed = await here.store.documents({ tenant: 'acme', kind: 'conversation.documents', limit: 100 })
  expect(listed.items.map(({ data }) => data)).toHaveLength(1)
})

test('an answer that was on its way while its conversation was erased is not stored', async () => {
  let erase: (() => Promise<unknown>) | undefined
  const store = await temporaryStore()
  const here = await personKit({
    store: {
      ...store,
      put: async (put) => {
        const work = put.kind === 'gateway.once' && JSON.stringify(put.data).includes('status') ? erase : undefined
        erase = work ? undefined : erase
        await work?.()
        return store.put(put)
      },
    },
  })
  await here.ask('POST', '/api/conversations/c/messages?wait=5', { body: { content: 'ask secret' } })
  erase = () => here.runtime.tenant('acme').erase('c', { cancel: true })
  await here.ask('POST', '/api/conversations/c/continue?wait=5', { key: 'k1' })
  const once = await store.documents({ tenant: 'acme', kind: 'gateway.once', limit: 100 })
  expect(erase).toBeUndefined()
  expect(JSON.stringify(once.items)).not.toContain('secret')
})

test('the progress that a worker reported is erased', async () => {
  const here = await personKit()
  const callId = await shipping(here, 'c')
  const { body } = await here.ask('POST', '/api/calls/claim', { body: { tools: ['ship'] }, as: 'worker' })
  const { claim } = body.items[0]
  await here.ask('POST', `/api/calls/${callId}/progress`, { body: { claim, value: 'secret' }, as: 'worker' })
  expect(JSON.stringify((await here.store.get('acme', 'gateway.claim', callId))?.data)).toContain('secret')
  await here.ask('DELETE', `${ERASE}?cancel=true`)
  expect(await here.store.get('acme', 'gateway.claim', callId)).toBeUndefined()
})

test('the client erases by id, and is told why it cannot', async () => {
  const here = await personKit()
  const hp = connect({
    url: 'http://localhost',
    key: here.key('acme', 'admin'),
    fetch: (url, init) => here.api.fetch(new Request(url, init)),
  })
  await shipping(here, 'c')
  expect(await hp.conversations.erase('c')).toMatchObject({ ok: false, refusal: 'turn-in-progress' })
  expect(await hp.conversations.erase('c', { cancel: true, reason: 'request 12' })).toEqual({ ok: true })
  expect((await hp.conversations.view('c'))?.erased).toMatchObject({ reason: 'request 12' })
  expect(await hp.conversations.send('c', 'Hi')).toMatchObject({ ok: false, refusal: 'erased' })
})

test('the file of the store has nothing of what was erased', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'desk.db')
  const secret = 'correct horse battery staple'
  const store = await openStore(path)
  const secrets = Array.from({ length: 5 }, () => `You said: ${secret}. ${'padding '.repeat(2000)}`)
  const model = scriptedModel([...secrets, 'A reply that stays.'])
  const runtime = await holdpoint({ store, agents: [agent({ name: 'desk', model, audit: true })] })
  for (let turn = 0; turn < 5; turn++) await runtime.send('c', `${turn}: ${secret}`, { by: 'ada' })
  await runtime.send('other', 'Hello')
  expect(bytesOf(folder)).toContain(secret)

  expect(await runtime.erase('c', { by: 'operator' })).toEqual({ ok: true })

  const db = new DatabaseSync(path)
  // Another write in the meantime keeps it from all of the log.
  await vi.waitFor(() => expect(db.prepare('pragma wal_checkpoint(truncate)').get()).toMatchObject({ busy: 0 }))
  db.close()
  const bytes = bytesOf(folder)
  await runtime.close()
  await store.close()
  expect(bytes).not.toContain(secret)
  expect(bytes).toContain('A reply that stays.')
})

function bytesOf(folder: string): string {
  return readdirSync(folder)
    .map((name) => readFileSync(join(folder, name), 'latin1'))
    .join('')
}

async function temporaryStore(): Promise<Store> {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-'))
  const store = await openStore(join(folder, 'desk.db'))
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })
  return store
}
