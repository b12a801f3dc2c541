/** The audit log of administrative actions, and the evidence about a held call. */
import { expect, test } from 'vitest'
import { firstBrokenAdminEntry, type AdminEntry } from '@holdpoint/protocol'
import { generateKeyPairSync } from 'node:crypto'
import { memoryStore, signingKey, verifySignedHead, type Store } from 'holdpoint'
import { adminActionOf } from '../src/http/admin-actions.ts'
import { apiRoutes } from '../src/routes/api-routes.ts'
import { personKit, type PersonKit } from './person-kit.ts'

async function entries({ ask }: PersonKit): Promise<readonly AdminEntry[]> {
  return (await ask('GET', '/api/admin-log?limit=1000')).body.items
}

/** Writes of ordinary work. Every other write must be an administrative action. */
const ORDINARY = new Set(
  `assignHold backtestRules callProgress callResult cancelConversation chat claimCalls commentOnHold
  continueConversation createConversation createSpace endMyOtherSessions endMySession forkConversation postSpaceMessage putChannelPreferences readSpace
  releaseCall removePlan replayTurn resolve sendMessage setPlan spaceToolResult stopChat toolResult trigger uploadFile`.split(
    /\s+/,
  ),
)

test('every write over HTTP is ordinary work or an administrative action', () => {
  const nothing = { params: {}, query: {}, body: undefined }
  const writes = apiRoutes.filter(({ method }) => method !== 'get').map(({ name }) => name)
  const unclear = writes.filter((name) => (adminActionOf(name, nothing) !== undefined) === ORDINARY.has(name))
  expect(unclear).toEqual([])
})

test('an action is in the log with who did it and what, before it is carried out, and its end after it', async () => {
  const here = await personKit()
  const root = await here.person('root', 'admin')
  const created = await root('POST', '/api/keys', { name: 'spare', scopes: ['reader'] })
  await root('DELETE', `/api/keys/${created.body.id}`)
  await root('DELETE', '/api/keys/none')
  const log = (await entries(here)).toReversed()
  expect(log).toMatchObject([
    { n: 1, kind: 'begun', by: 'root', auth: 'token', action: 'createKey', details: { name: 'spare' } },
    { n: 2, kind: 'ended', of: 1, status: 201 },
    { n: 3, kind: 'begun', action: 'revokeKey', target: { id: created.body.id } },
    { n: 4, kind: 'ended', of: 3, status: 204 },
    { n: 5, kind: 'begun', action: 'revokeKey', target: { id: 'none' } },
    { n: 6, kind: 'ended', of: 5, status: 404 },
  ])
  expect(JSON.stringify(log)).not.toContain(created.body.key)
  expect(firstBrokenAdminEntry(log)).toBeUndefined()
})

test('the definition of an agent is in the log as its hash, because it may hold secrets', async () => {
  const here = await personKit({ models: {} })
  await here.ask('POST', '/api/agents', { body: { name: 'new', instructions: 'My password is hunter22' } })
  const log = JSON.stringify(await entries(here))
  expect(log).toContain('createAgent')
  expect(log).not.toContain('hunter22')
  expect(log).toMatch(/"sha256":"[0-9a-f]{64}"/)
})

test('an action that cannot be logged does not happen', async () => {
  const inner = memoryStore({ now: Date.now })
  let full = false
  const store: Store = {
    ...inner,
    put: async (put) => {
      if (full && put.kind === 'gateway.admin-entry') throw new Error('The disk is full.')
      return inner.put(put)
    },
  }
  const here = await personKit({ store: bound(store, inner) })
  full = true
  expect((await here.ask('POST', '/api/keys', { body: { name: 'spare', scopes: ['reader'] } })).status).toBe(500)
  full = false
  const keys = await here.ask('GET', '/api/keys')
  expect(keys.body.items.map(({ name }: { readonly name: string }) => name)).not.toContain('spare')
})

/** The memory store is a class or an object: methods that are not replaced keep their store. */
function bound(store: Store, inner: Store): Store {
  return new Proxy(inner, {
    get: (target, name) => {
      const own: unknown = name === 'put' ? store.put : Reflect.get(target, name)
      return typeof own === 'function' ? own.bind(target) : own
    },
  })
}

test('any change of the log is found: a changed byte, a dropped, an inserted and a moved entry', async () => {
  const here = await personKit()
  await Promise.all(
    Array.from({ length: 8 }, (_, n) => here.ask('PUT', `/api/people/p${n}`, { body: { groups: ['finance'] } })),
  )
  const log = (await entries(here)).toReversed()
  expect(log.map(({ n }) => n)).toEqual(Array.from({ length: 16 }, (_, index) => index + 1))
  expect(firstBrokenAdminEntry(log)).toBeUndefined()
  const text = JSON.stringify(log)
  let [flips, found] = [0, 0]
  for (let at = 0; at < text.length; at += 7) {
    const flipped = text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ 1) + text.slice(at + 1)
    let parsed: unknown
    try {
      parsed = JSON.parse(flipped)
    } catch {
      continue
    }
    flips++
    if (firstBrokenAdminEntry(parsed as readonly AdminEntry[]) !== undefined) found++
  }
  expect(flips).toBeGreaterThan(200)
  expect(found).toBe(flips)
  expect(firstBrokenAdminEntry(log.toSpliced(3, 1))).toBe(4)
  expect(firstBrokenAdminEntry(log.toSpliced(3, 0, log[2]!))).toBe(4)
  expect(firstBrokenAdminEntry([log[0]!, log[2]!, log[1]!])).toBe(2)
})

test('each entry is signed with the key of the installation, which any caller can read', async () => {
  const pem = String(generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const key = signingKey({ pem })
  const here = await personKit({ signingKey: key })
  await here.ask('PUT', '/api/people/ann', { body: { groups: ['finance'] } })
  const log = (await entries(here)).toReversed()
  expect(firstBrokenAdminEntry(log)).toBeUndefined()
  for (const { n, hash, signed } of log)
    expect(verifySignedHead(signed!, new Set([key.key]))).toMatchObject({
      ok: true,
      head: { of: 'audit-log', tenant: 'acme', id: '', seq: n, hash },
    })
  expect(JSON.stringify(log)).not.toContain('PRIVATE')
})

test('only an administrator reads the audit log, and each tenant has its own', async () => {
  const here = await personKit()
  await here.ask('PUT', '/api/people/ann', { body: {} })
  const eve = await here.person('eve', 'agent reader resolver')
  expect((await eve('GET', '/api/admin-log')).status).toBe(403)
  expect((await here.ask('GET', '/api/admin-log', { tenant: 'umbrella' })).body.items).toEqual([])
})

test('evidence says who decided and how they were authenticated, and is for those who may read the conversation', async () => {
  const here = await personKit()
  const ada = await here.person('ada')
  const sent = await ada('POST', '/api/conversations/mine/messages?wait=5', { content: 'refund 5', agent: 'desk' })
  const { callId } = sent.body.result.holds[0]
  const path = `/api/holds/mine/${callId}/evidence`
  expect(await ada('GET', path)).toMatchObject({ status: 200, body: { holds: [{ verdict: 'open', answers: [] }] } })
  const bob = await here.person('bob', 'resolver')
  expect((await bob('POST', `/api/holds/mine/${callId}/resolve`, { kind: 'approve' })).status).toBe(200)
  const { body } = await ada('GET', path)
  expect(body).toMatchObject({
    tool: 'refund',
    asked: { input: { euros: 5 }, askedBy: [{ by: 'ada' }] },
    holds: [
      {
        kind: 'approval',
        shown: { input: { euros: 5 } },
        verdict: 'approved',
        answers: [{ kind: 'approve', by: 'bob', auth: 'token' }],
      },
    ],
  })
  expect(body.holds[0].answers[0].inputHash).toBe(body.holds[0].shown.inputHash)
  const eve = await here.person('eve')
  expect((await eve('GET', path)).status).toBe(403)
  expect((await ada('GET', '/api/holds/mine/none/evidence')).status).toBe(404)
})

test('a key that decides for a person is named, and its kind of credential', async () => {
  const here = await personKit()
  const sent = await here.ask('POST', '/api/conversations/c/messages?wait=5', { body: { content: 'refund 5' } })
  const { callId } = sent.body.result.holds[0]
  const body = { kind: 'reject', reason: 'No', by: 'bob' }
  await here.ask('POST', `/api/holds/c/${callId}/resolve`, { as: 'resolver', body })
  const evidence = await here.ask('GET', `/api/holds/c/${callId}/evidence`)
  expect(evidence.body.holds).toMatchObject([
    { verdict: 'rejected', answers: [{ kind: 'reject', by: 'bob', via: 'key:resolver', auth: 'key' }] },
  ])
  expect(evidence.body.outcome.outcome).toMatchObject({ ok: false, error: { code: 'rejected' } })
  expect(evidence.body.starts).toEqual([])
})
