/** Random operations of two tenants on the same ids: every response is the same as if the tenant were alone. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { kit, type Kit, type Tenant, type KitResponse } from './kit.ts'

const IDS = ['a', 'b'] as const

type Op = readonly [name: string, id: string]

const operations: Readonly<
  Record<string, (kit: Kit, tenant: Tenant, id: string, known: Known) => Promise<KitResponse>>
> = {
  say: ({ ask }, tenant, id) =>
    ask('POST', `/api/conversations/${id}/messages?wait=5`, {
      tenant,
      body: { content: `mine ${tenant}`, whileBusy: 'queue' },
    }),
  ship: ({ ask }, tenant, id) =>
    ask('POST', `/api/conversations/${id}/messages?wait=5`, { tenant, body: { content: `ship ${tenant}` } }),
  view: ({ ask }, tenant, id) => ask('GET', `/api/conversations/${id}`, { tenant }),
  events: ({ ask }, tenant, id) => ask('GET', `/api/conversations/${id}/events`, { tenant }),
  list: ({ ask }, tenant) => ask('GET', '/api/conversations', { tenant }),
  holds: ({ ask }, tenant) => ask('GET', '/api/holds', { tenant }),
  cancel: ({ ask }, tenant, id) => ask('POST', `/api/conversations/${id}/cancel`, { tenant, body: {} }),
  claim: ({ ask }, tenant) => ask('POST', '/api/calls/claim', { tenant, body: { tools: ['ship'], max: 5 } }),
  agent: ({ ask }, tenant, id) => ask('POST', '/api/agents', { tenant, body: { name: id, instructions: tenant } }),
  agents: ({ ask }, tenant) => ask('GET', '/api/agents', { tenant }),
  forget: ({ ask }, tenant, id) => ask('DELETE', `/api/agents/${id}`, { tenant }),
  key: ({ ask }, tenant, id) =>
    ask('POST', '/api/keys', { tenant, body: { name: `${tenant}-${id}`, scopes: ['reader'] }, key: id }),
  keys: ({ ask }, tenant) => ask('GET', '/api/keys', { tenant }),
  space: ({ ask }, tenant, id) =>
    ask('POST', '/api/spaces', {
      tenant,
      body: {
        id: `space-${id}`,
        name: `of ${tenant}`,
        by: `ada of ${tenant}`,
        members: [{ member: { kind: 'agent', id: 'desk' } }],
      },
    }),
  post: ({ ask }, tenant, id) =>
    ask('POST', `/api/spaces/space-${id}/messages`, {
      tenant,
      body: { text: `mine ${tenant}`, from: { kind: 'human', id: `ada of ${tenant}` } },
    }),
  join: ({ ask }, tenant, id) =>
    ask('PUT', `/api/spaces/space-${id}/members/human/bob`, { tenant, body: { role: 'member' } }),
  spaces: ({ ask }, tenant) => ask('GET', '/api/spaces', { tenant }),
  lookInto: ({ ask }, tenant, id) => ask('GET', `/api/spaces/space-${id}`, { tenant }),
  spaceEvents: ({ ask }, tenant, id) => ask('GET', `/api/spaces/space-${id}/events`, { tenant }),
  trigger: ({ ask }, tenant) =>
    ask('POST', '/api/agents/desk/trigger', { tenant, body: { name: 'bell', data: tenant } }),
  plan: ({ ask }, tenant, id) =>
    ask('POST', '/api/agents/desk/plans', { tenant, body: { id, what: `for ${tenant}`, runAfter: '1 day' } }),
  life: ({ ask }, tenant) => ask('GET', '/api/agents/desk/life', { tenant }),
  ownLife: ({ ask }, tenant) => ask('GET', '/api/conversations/agent%3Adesk/events', { tenant }),
  // Uses the other tenant's call ids, claims and keys.
  resolveTheirs: ({ ask }, tenant, id, { calls }) =>
    ask('POST', `/api/holds/${id}/${calls.at(-1) ?? 'x.1.1'}/resolve`, {
      tenant,
      body: { kind: 'answer', value: { parcel: tenant } },
    }),
  resultTheirs: ({ ask }, tenant, _, { calls }) => {
    const callId = calls.at(-1) ?? 'x.1.1'
    return ask('POST', `/api/runs/${callId.split('.')[0]}/tool-results`, {
      tenant,
      body: { callId, result: { parcel: tenant } },
    })
  },
  claimTheirs: ({ ask }, tenant, _, { claims }) => {
    const [callId, claim] = claims.at(-1) ?? ['x.1.1', 'x']
    return ask('POST', `/api/calls/${callId}/result`, { tenant, body: { claim, result: { parcel: tenant } } })
  },
  revokeTheirs: ({ ask }, tenant, _, { keys }) => ask('DELETE', `/api/keys/${keys.at(-1) ?? 'x'}`, { tenant }),
}

/** Ids and secrets from the responses of one tenant, for the other to try. */
interface Known {
  readonly calls: string[]
  readonly claims: [string, string][]
  readonly keys: string[]
}

function learn(known: Known, { body }: KitResponse): void {
  for (const hold of body?.result?.holds ?? []) known.calls.push(hold.callId)
  for (const item of body?.items ?? []) if (item.claim) known.claims.push([item.callId, item.claim])
  if (typeof body?.key === 'string') known.keys.push(body.id)
}

test('two tenants never see each other, even with each other’s ids and secrets', async () => {
  let theirs = 0
  const op: fc.Arbitrary<Op> = fc.tuple(fc.constantFrom(...Object.keys(operations)), fc.constantFrom(...IDS))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.boolean(), op), { minLength: 5, maxLength: 40 }), async (steps) => {
      const here = await kit()
      const known = { acme: empty(), umbrella: empty() }
      try {
        for (const [first, [name, id]] of steps) {
          const tenant: Tenant = first ? 'acme' : 'umbrella'
          const other: Tenant = first ? 'umbrella' : 'acme'
          const response = await operations[name]?.(here, tenant, id, known[other])
          if (!response) continue
          // A response never contains data of the other tenant, and its objects do not exist for this one.
          expect(JSON.stringify(response.body), `${name} by ${tenant}`).not.toContain(other)
          if (name.endsWith('Theirs')) {
            theirs++
            expect([404, 409], `${name} by ${tenant}: ${JSON.stringify(response.body)}`).toContain(response.status)
            expect(response.body).not.toHaveProperty('verdict', 'accepted')
          }
          expect(response.status).not.toBe(403)
          expect(response.status).toBeLessThan(500)
          learn(known[tenant], response)
        }
        for (const tenant of ['acme', 'umbrella'] as const)
          for (const id of IDS) {
            const { body } = await here.ask('GET', `/api/conversations/${id}/events`, { tenant })
            expect(JSON.stringify(body)).not.toContain(tenant === 'acme' ? 'umbrella' : 'acme')
          }
      } finally {
        await here.close()
      }
    }),
    { numRuns: 40 },
  )
  expect(theirs).toBeGreaterThan(50)
}, 240_000)

function empty(): Known {
  return { calls: [], claims: [], keys: [] }
}
