/** Export and import of conversations over HTTP. */
import { connect } from '@holdpoint/client'
import type { ConversationLine } from 'holdpoint'
import { expect, test } from 'vitest'
import { personKit } from './person-kit.ts'
import { Lines, shipping } from './kit.ts'

test('a tenant is exported, and imported into another one line by line', async () => {
  const here = await personKit()
  await here.ask('POST', '/api/conversations/talk/messages?wait=5', { body: { content: 'Hello' } })
  const callId = await shipping(here, 'shipped')
  const exported = await here.ask('GET', '/api/export')
  expect([exported.status, exported.headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
  const imported = await here.ask('POST', '/api/import', { body: new Lines(exported.body), tenant: 'umbrella' })
  expect(imported).toMatchObject({ status: 200, body: { conversations: 2, existing: 0 } })
  expect((await here.ask('GET', '/api/export', { tenant: 'umbrella' })).body).toBe(exported.body)
  expect((await here.ask('GET', '/api/holds', { tenant: 'umbrella' })).body.items).toMatchObject([{ callId }])
  const one = await here.ask('GET', '/api/conversations/talk/export', { as: 'reader' })
  expect(one.body.split('\n').filter((line: string) => line.includes('shipped'))).toEqual([])
})

test('a wrong line is refused with its number, and an import is for admins', async () => {
  const here = await personKit()
  await here.ask('POST', '/api/conversations/talk/messages?wait=5', { body: { content: 'Hello' } })
  const { body } = await here.ask('GET', '/api/conversations/talk/export')
  const cut = new Lines(body.split('\n').slice(0, 3).join('\n'))
  const refused = await here.ask('POST', '/api/import', { body: cut, tenant: 'umbrella' })
  expect(refused).toMatchObject({ status: 422, body: { code: 'bad-request', issues: [{ at: 'body.line.4' }] } })
  expect((await here.ask('GET', '/api/conversations', { tenant: 'umbrella' })).body.items).toEqual([])
  expect(await here.ask('POST', '/api/import', { body: { lines: [] } })).toMatchObject({ status: 415 })
  const huge = await personKit({ limits: { importBytes: 10 } })
  expect(await huge.ask('POST', '/api/import', { body: new Lines(body) })).toMatchObject({ status: 413 })
})

test('a person exports their own conversations and no others', async () => {
  const here = await personKit()
  const [ada, ben] = [await here.person('ada'), await here.person('ben')]
  await ada('POST', '/api/conversations/hers/messages?wait=5', { content: 'Mine' })
  expect((await ada('GET', '/api/conversations/hers/export')).status).toBe(200)
  expect((await ben('GET', '/api/conversations/hers/export')).status).toBe(403)
  expect((await ada('GET', '/api/export')).status).toBe(403)
  expect((await ada('GET', '/api/conversations/none/export')).status).toBe(404)
  await here.ask('DELETE', '/api/conversations/hers')
  expect((await here.ask('GET', '/api/conversations/hers/export')).status).toBe(410)
})

test('the client exports and imports', async () => {
  const here = await personKit({ socket: true })
  const url = here.url
  const [acme, umbrella] = (['acme', 'umbrella'] as const).map((tenant) =>
    connect({ url, key: here.key(tenant, 'admin') }),
  )
  await acme!.conversations.send('talk', 'Hello', { wait: 5 })
  const lines: ConversationLine[] = []
  for await (const line of acme!.conversations.export('talk')) lines.push(line)
  expect(lines.at(-1)).toMatchObject({ type: 'end', conversations: 1 })
  expect(await umbrella!.conversations.import(lines)).toMatchObject({ conversations: 1, existing: 0 })
  await expect(umbrella!.conversations.import(lines.slice(1))).rejects.toThrow('Line 1')
})
