/**
 * Random people of two tenants do random things over HTTP, SSE, MCP and the client SDK. The rules are written once more
 * below, and every answer is compared with them: no person sees, answers or counts where the rules say no.
 */
import { connect } from '@holdpoint/client'
import { gateway, type Gateway } from '@holdpoint/gateway'
import { createMcpServer } from '@holdpoint/mcp'
import { proves } from '@holdpoint/testing'
import { agent, holdpoint, memoryStore, tool } from 'holdpoint'
import { SignJWT } from 'jose'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { IDS, randomly, SCOPES, TENANTS, type Person, type Tenant } from './rules.ts'
import { counted, Walk } from './walk.ts'
import { obedient } from '../../packages/gateway/test/kit.ts'

const SECRET = 's'.repeat(40)

const NEVER_ALLOWED = [
  'continue over MCP',
  'approve twice',
  'read what does not exist',
  'list what is erased',
  'read what is erased',
  'hold of what is erased',
]

async function people(api: Gateway, random: ReturnType<typeof randomly>): Promise<readonly Person[]> {
  return Promise.all(
    TENANTS.flatMap((tenant) =>
      IDS.map(async (id): Promise<Person> => {
        const scopes = new Set(['agent', 'reader', ...(random.chance(0.4) ? [random.pick(SCOPES)] : [])])
        const finance = random.chance(0.5)
        const token = await new SignJWT({
          sub: id,
          tenant,
          scope: [...scopes].join(' '),
          groups: finance ? ['finance', 'all'] : ['all'],
        })
          .setProtectedHeader({ alg: 'HS256' })
          .setIssuer('i')
          .setAudience('a')
          .setExpirationTime('10m')
          .sign(new TextEncoder().encode(SECRET))
        const sdk = connect({
          url: 'http://localhost',
          key: token,
          fetch: (input, init) => api.fetch(new Request(input, init)),
        })
        return { tenant, id, finance, scopes, token, sdk, deputyOf: new Map() }
      }),
    ),
  )
}

async function walk(seed: number, steps: number): Promise<void> {
  const store = memoryStore({ now: Date.now })
  const refund = tool({
    name: 'refund',
    description: 'Pays money back.',
    input: z.looseObject({ euros: z.number() }),
    approval: { required: true, approvers: { anyOf: ['group:finance'], count: 2 } },
    run: () => 'paid',
  })
  const pay = tool({
    name: 'pay',
    description: 'Pays.',
    input: z.looseObject({ euros: z.number() }),
    approval: 'required',
    run: () => 'paid',
  })
  const ask = tool({ name: 'ask', description: 'Asks a person.', executor: 'human', input: z.looseObject({}) })
  const desk = agent({ name: 'desk', model: obedient, tools: [refund, pay, ask] })
  const ownServer = createMcpServer({ store, agents: [desk] })
  const runtime = await holdpoint({ store, agents: [desk, ownServer.agent] })
  const api = gateway({
    runtime,
    store,
    agents: [desk],
    mcp: { ownServer },
    auth: { tokens: { secret: SECRET, issuer: 'i', audience: 'a' } },
  })
  try {
    const programs = new Map<Tenant, string>()
    for (const tenant of TENANTS)
      programs.set(tenant, (await api.keys.create(tenant, { name: 'backend', scopes: ['agent', 'reader'] })).key)
    const random = randomly(seed + 1000)
    const walking = new Walk(seed, api, await people(api, random), programs)
    for (let n = 0; n < steps; n++) await walking.step()
  } finally {
    await api.close()
    await ownServer.close()
    await runtime.close()
  }
}

test(
  proves('access.only-their-own', 'whatever people of two tenants do, each answer is what the rules say'),
  { timeout: 120_000 },
  async () => {
    for (let seed = 1; seed <= 20; seed++) await walk(seed, 150)
    // Every kind of request was allowed and refused, so that the comparison means something.
    for (const [what, { allowed, refused }] of Object.entries(counted)) {
      if (!NEVER_ALLOWED.includes(what)) expect([what, allowed > 5]).toEqual([what, true])
      expect([what, refused > 5]).toEqual([what, true])
    }
  },
)
