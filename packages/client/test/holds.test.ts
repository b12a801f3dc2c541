/** What people do with holds, and who decides for whom. */
import { afterEach, expect, test } from 'vitest'
import { connect, HoldpointHttpError, type Client } from '@holdpoint/client'
import { problem } from '@holdpoint/protocol'
import { json, scriptedServer, type Answer, type ScriptedServer } from './scripted-server.ts'

let server: ScriptedServer | undefined
afterEach(async () => server?.close())

async function against(...answers: readonly Answer[]): Promise<Client> {
  server = await scriptedServer(...answers)
  return connect({ url: server.url, key: 'hp_test' })
}
const asked = (): readonly (readonly [string, unknown])[] =>
  (server?.asked ?? []).map(({ method, path, body }) => [
    `${method} ${path}`,
    body === '' ? undefined : JSON.parse(body),
  ])
const no = (code: Parameters<typeof problem>[0], detail: string): Answer =>
  json(problem(code, detail), problem(code, detail).status)
const approve = (callId: string, nth = 1) =>
  ({ conversationId: 'c 1', callId, nth, resolution: { kind: 'approve' } }) as const

test('several holds are resolved with one request and one verdict each, and a failure stops none of the others', async () => {
  const client = await against((response, { path }) => {
    const [, callId] = /holds\/c%201\/(\w+)\/resolve/.exec(path) ?? []
    const answers: Readonly<Record<string, Answer>> = {
      a: json({ verdict: 'accepted', message: 'Accepted.' }),
      b: no('conflict', 'A different answer came first.'),
      c: no('scope-missing', 'This needs a resolver.'),
      d: no('not-allowed', 'Call d is for group:finance.'),
    }
    return (answers[callId ?? ''] ?? json({ verdict: 'duplicate', message: 'Twice.' }))(response, {} as never)
  })
  const all = ['a', 'b', 'c', 'd', 'e', 'f'].map((callId, nth) => approve(callId, nth + 1))
  const told = await client.holds.resolveMany(all, { by: 'ann' })
  expect(told.map(({ callId, nth }) => [callId, nth])).toEqual(all.map(({ callId, nth }) => [callId, nth]))
  expect(told.map(({ answer, error }) => answer?.verdict ?? error)).toEqual([
    'accepted',
    'conflict',
    expect.any(HoldpointHttpError),
    'not-allowed',
    'duplicate',
    'duplicate',
  ])
  expect(told[2]?.error).toMatchObject({
    status: 403,
    code: 'scope-missing',
    problem: { detail: 'This needs a resolver.' },
  })
  expect(told[3]?.answer?.message).toBe('Call d is for group:finance.')
  expect(asked()).toContainEqual(['POST /api/holds/c%201/b/resolve', { kind: 'approve', by: 'ann', hold: 2 }])
  expect(new Set(server?.asked.map(({ headers }) => headers['idempotency-key'])).size).toBe(6)
})

test('at most four holds are resolved at the same time', async () => {
  let [open, most] = [0, 0]
  const waiting: (() => void)[] = []
  const client = await against(async (response, one) => {
    most = Math.max(most, ++open)
    await new Promise<void>((resolve) => {
      waiting.push(resolve)
      if (waiting.length >= 4 || open < 4) queueMicrotask(() => waiting.splice(0).forEach((go) => go()))
    })
    open--
    await json({ verdict: 'accepted', message: '' })(response, one)
  })
  await client.holds.resolveMany(Array.from({ length: 10 }, (_, nth) => approve(`call${nth}`)))
  expect(most).toBeLessThanOrEqual(4)
  expect(server?.asked).toHaveLength(10)
})

test('a hold is taken on, handed over, released and commented on, and a refusal says why', async () => {
  const client = await against(
    json({ ok: true }),
    json({ ok: true }),
    json({ ok: true }),
    json({ ok: true }, 201),
    no('not-allowed', 'Call a is for ann.'),
  )
  expect(await client.holds.assign('c', 'a', { hold: 2 })).toEqual({ ok: true })
  expect(await client.holds.assign('c', 'a', { assignee: 'bob', by: 'ann' })).toEqual({ ok: true })
  expect(await client.holds.release('c', 'a')).toEqual({ ok: true })
  expect(await client.holds.comment('c', 'a', 'Looks right.', { by: 'ann' })).toEqual({ ok: true })
  expect(await client.holds.assign('c', 'a')).toEqual({
    ok: false,
    refusal: 'not-allowed',
    message: 'Call a is for ann.',
  })
  expect(asked()).toEqual([
    ['POST /api/holds/c/a/assign', { hold: 2 }],
    ['POST /api/holds/c/a/assign', { assignee: 'bob', by: 'ann' }],
    ['POST /api/holds/c/a/assign', { assignee: null }],
    ['POST /api/holds/c/a/comments', { text: 'Looks right.', by: 'ann' }],
    ['POST /api/holds/c/a/assign', {}],
  ])
})

test('a list asks for what I may decide or asked for, and in whose name', async () => {
  const client = await against(json({ items: [] }))
  await client.holds.list({ mine: true, by: 'ann' })
  await client.holds.list({ mine: 'asked', limit: 5 })
  await client.holds.list()
  await client.holds.show('c', 'a', { by: 'ann' })
  expect(asked().map(([what]) => what)).toEqual([
    'GET /api/holds?by=ann&view=mine',
    'GET /api/holds?limit=5&view=asked',
    'GET /api/holds',
    'GET /api/holds/c/a?by=ann',
  ])
})

test('people and delegations are listed, written and removed', async () => {
  const gone: Answer = (response) => void response.writeHead(204).end()
  const row = json({ from: 'ann', to: 'b/b', until: 5 })
  const client = await against(json({ items: [] }), json({ id: 'ann' }), gone, json({ items: [] }), row, gone)
  await client.people.list({ limit: 3 })
  await client.people.put({ id: 'ann', groups: ['finance'] })
  await client.people.remove('ann')
  await client.delegations.list({ view: 'given', by: 'ann' })
  expect(await client.delegations.put('b/b', { until: 5 })).toEqual({ from: 'ann', to: 'b/b', until: 5 })
  await client.delegations.remove('b/b', { by: 'ann' })
  expect(asked()).toEqual([
    ['GET /api/people?limit=3', undefined],
    ['PUT /api/people/ann', { groups: ['finance'] }],
    ['DELETE /api/people/ann', undefined],
    ['GET /api/delegations?view=given&by=ann', undefined],
    ['PUT /api/delegations/b%2Fb', { until: 5 }],
    ['DELETE /api/delegations/b%2Fb?by=ann', undefined],
  ])
})
