/** A gateway with people of two tenants, a clock that the walk moves, and tools with routes of approval. */
import { Channels, type Channel } from '@holdpoint/channels'
import { connect } from '@holdpoint/client'
import { gateway, type Gateway } from '@holdpoint/gateway'
import { createMcpServer } from '@holdpoint/mcp'
import { manualClock, testPorts, type ManualClock } from '@holdpoint/testing'
import { agent, holdpoint, memoryStore, nodePorts, tool } from 'holdpoint'
import { SignJWT } from 'jose'
import { z } from 'zod'
import {
  ESCALATE_MS,
  IDS,
  NAMES,
  randomly,
  SCOPES,
  TENANTS,
  type ApprovalRoute,
  type Kind,
  type Person,
  type Tenant,
} from './rules.ts'
import { obedient } from '../../packages/gateway/test/kit.ts'

const SECRET = 's'.repeat(40)

export interface World {
  readonly api: Gateway
  readonly clock: ManualClock
  readonly people: readonly Person[]
  /** For each tenant a key that reads everything. */
  readonly programs: ReadonlyMap<Tenant, string>
  /** Who approves a call of the tool. */
  readonly routes: ReadonlyMap<Kind, ApprovalRoute>
  /** Gives the person a new token, with the groups that they have now. */
  signIn(person: Person): Promise<void>
  close(): Promise<void>
}

export async function openWorld(seed: number): Promise<World> {
  const random = randomly(seed + 1000)
  const clock = manualClock()
  const ports = { ...nodePorts, ...testPorts({ clock, seed }) }
  const store = memoryStore({ now: clock.now })
  const refund: ApprovalRoute = { anyOf: ['group:finance'], later: [], count: 2, notRequester: true }
  const [first, then] = [random.pick(NAMES), random.pick(NAMES)]
  const settle = { anyOf: [first], later: [then], count: 1 + random.below(2), notRequester: random.chance(0.5) }
  const routes = new Map<Kind, ApprovalRoute>([
    ['refund', refund],
    ['settle', settle],
  ])
  const agents = [agent({ name: 'desk', model: obedient, tools: tools(routes), ports })]
  const ownServer = createMcpServer({ store, agents })
  const runtime = await holdpoint({ store, agents: [...agents, ownServer.agent], ports })
  const tokens = { secret: SECRET, issuer: 'i', audience: 'a' }
  // The clock stands still for many requests.
  const unlimited = { perSecond: 100_000, burst: 100_000 }
  const limits = { rate: unlimited, tenantRate: unlimited }
  const channels = Channels.open({ runtime, store, ports, url: 'https://holds.test', channels: [browsers()] })
  const mcp = { ownServer }
  const api = gateway({ runtime, store, channels, agents, mcp, auth: { tokens }, limits, now: clock.now })
  const signIn = async (person: Person): Promise<void> => {
    const { tenant, id, groups, scopes } = person
    person.token = await new SignJWT({ sub: id, tenant, scope: [...scopes].join(' '), groups: [...groups, 'all'] })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer('i')
      .setAudience('a')
      .setExpirationTime(Math.floor(clock.now() / 1000) + 36_000)
      .sign(new TextEncoder().encode(SECRET))
    person.sdk = connect({
      url: 'http://localhost',
      key: person.token,
      fetch: (input, init) => api.fetch(new Request(input, init)),
    })
  }
  const people = TENANTS.flatMap((tenant) =>
    IDS.map((id): Person => {
      const scopes = new Set(['agent', 'reader', ...(random.chance(0.4) ? [random.pick(SCOPES)] : [])])
      const groups = [...(random.chance(0.5) ? ['finance'] : []), ...(random.chance(0.3) ? ['board'] : [])]
      const sdk = connect({ url: 'http://localhost', key: 'none yet' })
      return { tenant, id, groups, scopes, token: '', sdk, deputyOf: new Map() }
    }),
  )
  for (const person of people) await signIn(person)
  const programs = new Map<Tenant, string>()
  for (const tenant of TENANTS)
    programs.set(tenant, (await api.keys.create(tenant, { name: 'backend', scopes: ['agent', 'reader'] })).key)
  const close = async (): Promise<void> => {
    await api.close()
    await channels.close()
    await ownServer.close()
    await runtime.close()
  }
  return { api, clock, people, programs, routes, signIn, close }
}

/** A channel whose devices people register. */
function browsers(): Channel {
  const list = async (): Promise<readonly []> => []
  const add = async (_tenant: string, id: string) => ({ id, createdAt: 1 })
  const devices = { publicKey: 'public', add, list, remove: async () => false }
  return { name: 'browser', show: async () => null, devices }
}

function tools(routes: ReadonlyMap<Kind, ApprovalRoute>) {
  const input = z.looseObject({ euros: z.number() })
  const pay = tool({ name: 'pay', description: 'Pays.', input, approval: 'required', run: () => 'paid' })
  const ask = tool({ name: 'ask', description: 'Asks a person.', executor: 'human', input: z.looseObject({}) })
  const routed = [...routes].map(([name, { anyOf, later, count, notRequester }]) =>
    tool({
      name,
      description: 'Pays, when the people of its route agree.',
      input,
      approval: {
        required: true,
        approvers: { anyOf, count, notRequester },
        ...(later.length > 0 && { remindAfter: ESCALATE_MS / 2, escalate: { after: ESCALATE_MS, to: later } }),
      },
      run: () => 'paid',
    }),
  )
  return [...routed, pay, ask]
}
