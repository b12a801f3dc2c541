/** The export of everything about one person, line by line. */
import type { ExportLine } from '@holdpoint/protocol'
import { expect, test } from 'vitest'
import { streamOfLines } from '../src/http/answer-of-lines.ts'
import { personKit, type PersonKit } from './person-kit.ts'

async function exported({ ask }: PersonKit, person: string, tenant: 'acme' | 'umbrella' = 'acme') {
  const { status, headers, body } = await ask('GET', `/api/people/${person}/export`, { tenant })
  expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson'])
  const lines = (body as string).split('\n').filter((line) => line !== '')
  return lines.map((line) => JSON.parse(line) as ExportLine & { readonly [key: string]: unknown })
}

const of = (lines: readonly ExportLine[], type: ExportLine['type']) => lines.filter((line) => line.type === type)

test('an export has the person, their keys, delegations, conversations, and what they did elsewhere', async () => {
  const here = await personKit()
  const [ada, ben] = [await here.person('ada'), await here.person('ben', 'agent reader resolver')]
  const until = Date.now() + 3_600_000
  await here.ask('PUT', '/api/people/ada', { body: { name: 'Ada', groups: ['finance'] } })
  await ada('PUT', '/api/delegations/ben', { until })
  await here.ask('POST', '/api/keys', { body: { name: 'hers', scopes: ['agent'], mayActFor: ['ada'] } })
  await here.ask('POST', '/api/keys', { body: { name: 'his', scopes: ['agent'], mayActFor: ['ben'] } })
  await ada('POST', '/api/conversations/own/messages?wait=5', { content: 'Mine' })
  await ben('POST', '/api/conversations/shared/messages?wait=5', { content: 'Ours' })
  await ben('POST', '/api/conversations/shared/participants', { add: ['ada'] })
  const held = await ben('POST', '/api/conversations/his/messages?wait=5', { content: 'refund 5' })
  const { callId } = held.body.result.holds[0]
  await here.ask('POST', `/api/holds/his/${callId}/resolve`, { body: { kind: 'approve', by: 'ada' } })
  const from = (id: string) => ({ kind: 'human', id })
  await here.ask('POST', '/api/spaces', { body: { id: 'room', name: 'Room', by: 'ben' } })
  await here.ask('PUT', '/api/spaces/room/members/human/ada', { body: { role: 'member', by: 'ben' } })
  await here.ask('POST', '/api/spaces/room/messages', { body: { text: 'Hi from Ada', from: from('ada') } })
  await here.ask('POST', '/api/spaces/room/messages', { body: { text: 'Hi from Ben', from: from('ben') } })

  const lines = await exported(here, 'ada')
  expect(lines[0]).toMatchObject({ type: 'export', person: 'ada' })
  expect(of(lines, 'person')).toEqual([{ type: 'person', data: { id: 'ada', name: 'Ada', groups: ['finance'] } }])
  expect(of(lines, 'delegation')).toMatchObject([{ data: { from: 'ada', to: 'ben', until } }])
  const keys = of(lines, 'key').map((line) => (line as unknown as { data: { name: string } }).data.name)
  expect(keys).toContain('hers')
  expect(keys).not.toContain('his')
  expect(JSON.stringify(lines)).not.toMatch(/hp_|"hash"/)
  expect(of(lines, 'conversation')).toMatchObject([
    { data: { id: 'shared', owner: 'ben', participants: ['ada'] } },
    { data: { id: 'own', owner: 'ada', participants: [] } },
  ])
  const events = lines.flatMap((line) => (line.type === 'event' ? [line] : []))
  const own = events.filter(({ elsewhere }) => !elsewhere)
  expect([...new Set(own.map(({ conversationId }) => conversationId))]).toEqual(['shared', 'own'])
  expect(JSON.stringify(own)).toContain('It is done.')
  const elsewhere = events.filter((line) => line.elsewhere)
  expect(elsewhere.map(({ conversationId, event }) => `${conversationId} ${event.type}`).toSorted()).toEqual([
    'his call.approved',
    'room member.joined',
    'room message.posted',
  ])
  expect(JSON.stringify(lines)).not.toContain('Hi from Ben')
  expect(lines.at(-1)).toEqual({ type: 'end', conversations: 2, events: events.length })
})

test('an export has files, rules, channels and browsers of the person, and not those of others', async () => {
  const here = await personKit()
  const held = await here.ask('POST', '/api/conversations/c/messages?wait=5', { body: { content: 'refund 5' } })
  for (const id of ['ada', 'ben']) {
    const person = await here.person(id, 'agent reader resolver')
    const upload = await here.api.fetch(
      new Request(`http://localhost/api/files?name=of-${id}.txt&by=${id}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${here.key('acme', 'admin')}`, 'content-type': 'text/plain' },
        body: `The file of ${id}`,
      }),
    )
    expect(upload.status).toBe(201)
    const keys = { p256dh: 'secret-key', auth: 'secret-key' }
    const body = { endpoint: 'https://push.test/secret-key', keys }
    expect((await person('POST', `/api/people/${id}/channels/devices`, body)).status).toBe(201)
    const text = {
      effect: 'ask',
      tool: 'refund',
      fingerprint: held.body.result.holds[0].fingerprint,
      when: [{ at: '/euros', range: { max: 10 } }],
      reason: `For ${id}`,
    }
    expect((await person('POST', '/api/rules', text)).status).toBe(201)
  }
  const lines = await exported(here, 'ada')
  expect(of(lines, 'file')).toMatchObject([{ data: { name: 'of-ada.txt', by: 'ada' } }])
  expect(of(lines, 'rule')).toMatchObject([{ data: { reason: 'For ada', author: { id: 'ada' } } }])
  expect(of(lines, 'channels')).toMatchObject([{ data: { person: 'ada', devices: [{ id: 'acme-0' }] } }])
  expect(JSON.stringify(lines)).not.toMatch(/secret-key|of-ben|For ben/)
})

test('an export has nothing of another tenant, and a person who is not known has an empty one', async () => {
  const here = await personKit()
  const ada = await here.person('ada')
  await ada('POST', '/api/conversations/own/messages?wait=5', { content: 'Mine' })
  for (const lines of [await exported(here, 'ada', 'umbrella'), await exported(here, 'zoe')]) {
    expect(lines.filter(({ type }) => type !== 'key').map(({ type }) => type)).toEqual(['export', 'end'])
    expect(lines.at(-1)).toEqual({ type: 'end', conversations: 0, events: 0 })
  }
})

test('an export is for admins', async () => {
  const here = await personKit()
  const ada = await here.person('ada')
  expect(await ada('GET', '/api/people/ada/export')).toMatchObject({ status: 403, body: { code: 'scope-missing' } })
  expect((await here.ask('GET', '/api/people/ada/export', { as: 'agent' })).status).toBe(403)
})

test('an erased conversation is not in an export', async () => {
  const here = await personKit()
  const ada = await here.person('ada')
  await ada('POST', '/api/conversations/own/messages?wait=5', { content: 'Mine' })
  await ada('DELETE', '/api/conversations/own')
  expect((await exported(here, 'ada')).at(-1)).toEqual({ type: 'end', conversations: 0, events: 0 })
})

test('an export reads only as far as its client takes lines', async () => {
  let made = 0
  async function* lines(): AsyncGenerator<string> {
    for (;;) yield `line ${++made}`
  }
  const taken: string[] = []
  const stream = streamOfLines(lines(), () => {})
  stream.start({ write: (text) => taken.push(text) % 3 !== 0, end: () => {}, fail: () => {} })
  stream.pull()
  await new Promise((resolve) => setImmediate(resolve))
  expect([made, taken.length]).toEqual([3, 3])
  stream.pull()
  await new Promise((resolve) => setImmediate(resolve))
  expect([made, taken.length]).toEqual([6, 6])
  stream.cancel()
  stream.pull()
  await new Promise((resolve) => setImmediate(resolve))
  expect(made).toBe(6)
})

test('an export that fails ends without its last line, and the operator is told', async () => {
  const failures: unknown[] = []
  async function* lines(): AsyncGenerator<string> {
    yield 'first'
    throw new Error('The store is away.')
  }
  let failed: unknown
  const stream = streamOfLines(lines(), (error) => failures.push(error))
  stream.start({ write: () => true, end: () => expect.unreachable(), fail: (error) => (failed = error) })
  stream.pull()
  await new Promise((resolve) => setImmediate(resolve))
  expect(failures).toEqual([failed])
  expect(String(failed)).toContain('The store is away.')
})
