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
import {
  CONVERSATIONS,
  IDS,
  randomly,
  rules,
  SCOPES,
  TENANTS,
  type Kind,
  type Person,
  type Talk,
  type Tenant,
} from './rules.ts'
import { obedient } from '../../packages/gateway/test/kit.ts'

const SECRET = 's'.repeat(40)

interface Answer {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}
const counted: Record<string, { allowed: number; refused: number }> = {}

/** Compares one answer with the rules. */
function judge(what: string, expected: boolean, actual: boolean, trace: readonly string[]): void {
  counted[what] ??= { allowed: 0, refused: 0 }
  counted[what][expected ? 'allowed' : 'refused']++
  if (expected !== actual)
    throw new Error(`${what} was ${actual ? 'allowed' : 'refused'} after:\n${trace.slice(-12).join('\n')}`)
}

const NEVER_ALLOWED = ['continue over MCP', 'approve twice', 'read what does not exist']

class Walk {
  readonly #random: ReturnType<typeof randomly>
  readonly #api: Gateway
  readonly #people: readonly Person[]
  readonly #programs: ReadonlyMap<Tenant, string>
  readonly #talks = new Map<string, Talk>()
  readonly #trace: string[] = []

  constructor(seed: number, api: Gateway, people: readonly Person[], programs: ReadonlyMap<Tenant, string>) {
    this.#random = randomly(seed)
    this.#api = api
    this.#people = people
    this.#programs = programs
  }

  async step(): Promise<void> {
    const person = this.#random.pick(this.#people)
    const id = this.#random.pick(CONVERSATIONS)
    const act = this.#random.pick([
      this.#send,
      this.#send,
      this.#read,
      this.#list,
      this.#holds,
      this.#hold,
      this.#resolve,
      this.#resolve,
      this.#annotate,
      this.#share,
      this.#mcp,
    ])
    this.#trace.push(
      `${person.tenant}/${person.id} (${[...person.scopes].join(' ')}${person.finance ? ' finance' : ''}) ${act.name} ${id}`,
    )
    await act.call(this, person, id)
  }

  #talk({ tenant }: Person, id: string): Talk | undefined {
    return this.#talks.get(`${tenant}/${id}`)
  }

  #judge(what: string, expected: boolean, actual: boolean): void {
    judge(what, expected, actual, this.#trace)
  }

  async #ask(token: string, method: string, path: string, body?: unknown, headers = {}): Promise<Answer> {
    const response = await this.#api.fetch(
      new Request(`http://localhost${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    )
    const streams = (response.headers.get('content-type') ?? '').includes('event-stream')
    if (streams && method === 'GET') {
      await response.body?.cancel()
      return { status: response.status, body: undefined }
    }
    const text = await response.text()
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text }
  }

  async #send(person: Person, id: string): Promise<void> {
    const talk = this.#talk(person, id)
    if (talk?.held) return
    const content = this.#random.pick(['Hello', 'refund 5', 'pay 5', 'ask size'])
    const expected = !talk || rules.writes(talk, person)
    const answer = await this.#ask(person.token, 'POST', `/api/conversations/${id}/messages?wait=10`, { content })
    this.#judge('send', expected, answer.status === 200)
    if (answer.status !== 200) return
    const [hold] = answer.body.result.holds
    const kind = content.split(' ')[0] as Kind
    const held = hold && { callId: hold.callId, kind, asker: person.id, endorsed: [] }
    if (talk) talk.held = held
    else this.#talks.set(`${person.tenant}/${id}`, { owner: person.id, participants: new Set(), held })
  }

  async #read(person: Person, id: string): Promise<void> {
    const talk = this.#talk(person, id)
    const [path, headers] = this.#random.pick([
      [`/api/conversations/${id}`, {}],
      [`/api/conversations/${id}/events`, {}],
      [`/api/conversations/${id}/events`, { accept: 'text/event-stream' }],
      [`/api/conversations/${id}/explain`, {}],
      [`/api/conversations/${id}/participants`, {}],
      [`/api/calls?conversationId=${id}`, {}],
    ] as const)
    const { status } = await this.#ask(person.token, 'GET', path, undefined, headers)
    if (!talk) return this.#judge('read what does not exist', false, status !== 404)
    this.#judge('read', rules.reads(talk, person), status === 200)
    const seen = await person.sdk.conversations.view(id).then(Boolean, () => false)
    this.#judge('read with the SDK', rules.reads(talk, person), seen)
  }

  async #list(person: Person): Promise<void> {
    const { items } = await person.sdk.conversations.list({ limit: 100 })
    for (const id of CONVERSATIONS) {
      const talk = this.#talk(person, id)
      const { scopes } = person
      const listed = scopes.has('admin') || scopes.has('conversations:read-all')
      const expected = talk !== undefined && (listed || rules.takesPart(talk, person))
      this.#judge(
        'list',
        expected,
        items.some((each) => each.id === id),
      )
    }
  }

  async #holds(person: Person): Promise<void> {
    const view = this.#random.pick(['mine', 'asked', 'all'] as const)
    const query = view === 'all' ? {} : { mine: view === 'mine' ? (true as const) : view }
    const { items } = await person.sdk.holds.list({ ...query, limit: 100 })
    for (const id of CONVERSATIONS) {
      const talk = this.#talk(person, id)
      const held = talk?.held
      const seen = items.some((each) => each.conversationId === id)
      if (!talk || !held) {
        this.#judge(`holds ${view}`, false, seen)
        continue
      }
      const expected = {
        mine: rules.decides(talk, held, person),
        asked: held.asker === person.id && rules.seesHold(talk, person),
        all: rules.seesHold(talk, person),
      }[view]
      this.#judge(`holds ${view}`, expected, seen)
      const shown = items.find((each) => each.conversationId === id)
      if (shown && held.kind !== 'ask')
        this.#judge('may approve', rules.approves(talk, held, person), shown.may?.approve === true)
    }
  }

  async #hold(person: Person, id: string): Promise<void> {
    const talk = this.#talk(person, id)
    if (!talk?.held) return
    const { status } = await this.#ask(person.token, 'GET', `/api/holds/${id}/${talk.held.callId}`)
    this.#judge('hold', rules.seesHold(talk, person), status === 200)
    const call = await this.#ask(person.token, 'GET', `/api/calls/${talk.held.callId}?conversationId=${id}`)
    this.#judge('call', rules.reads(talk, person), call.status === 200)
  }

  async #resolve(person: Person, id: string): Promise<void> {
    const talk = this.#talk(person, id)
    const held = talk?.held
    if (!talk || !held) return
    const approves = held.kind !== 'ask' && this.#random.chance(0.6)
    const body = held.kind === 'ask' ? { kind: 'answer', value: 'xl' } : { kind: approves ? 'approve' : 'reject' }
    const expected = approves ? rules.approves(talk, held, person) : rules.decides(talk, held, person)
    const path = `/api/holds/${id}/${held.callId}/resolve`
    const { status, body: answer } = await this.#ask(person.token, 'POST', path, body)
    const again = approves && held.endorsed.includes(person.id)
    this.#judge(
      again ? 'approve twice' : `resolve ${held.kind}`,
      expected,
      status === 200 && answer.verdict === 'accepted',
    )
    if (!expected) return
    if (approves) held.endorsed.push(person.id)
    if (approves && held.kind === 'refund' && held.endorsed.length < 2) return
    talk.held = undefined
    await this.#ask(this.#programs.get(person.tenant) ?? '', 'POST', `/api/conversations/${id}/continue?wait=10`, {})
  }

  async #annotate(person: Person, id: string): Promise<void> {
    const talk = this.#talk(person, id)
    const held = talk?.held
    if (!talk || !held) return
    const { scopes } = person
    const involved = rules.writes(talk, person) || scopes.has('resolver')
    const named = held.kind === 'refund' && person.finance
    const comments = this.#random.chance(0.5)
    const path = `/api/holds/${id}/${held.callId}/${comments ? 'comments' : 'assign'}`
    const { status } = await this.#ask(person.token, 'POST', path, comments ? { text: 'Hm' } : {})
    const mayAssign = held.kind === 'refund' ? named : involved && rules.decides(talk, held, person)
    this.#judge(comments ? 'comment' : 'assign', comments ? involved || named : mayAssign, status < 300)
  }

  async #share(person: Person, id: string): Promise<void> {
    const talk = this.#talk(person, id)
    if (!talk) return
    const other = this.#random.pick(IDS)
    const change = this.#random.pick(['add', 'remove', 'owner', 'owner, and the old one leaves'] as const)
    const path = `/api/conversations/${id}/participants`
    const body = {
      add: { add: [other] },
      remove: { remove: [other] },
      owner: { owner: other },
      'owner, and the old one leaves': { owner: other, remove: other === talk.owner ? [] : [talk.owner] },
    }[change]
    const { status } = await this.#ask(person.token, 'POST', path, body)
    const leaves = change === 'remove' && other === person.id && rules.takesPart(talk, person)
    const expected = person.scopes.has('admin') || talk.owner === person.id || leaves
    this.#judge('share', expected, status === 200)
    if (!expected) return
    if (change === 'remove') talk.participants.delete(other)
    else if (change === 'add' && other !== talk.owner) talk.participants.add(other)
    else if (change !== 'add' && other !== talk.owner) {
      if (change === 'owner') talk.participants.add(talk.owner)
      talk.participants.delete(other)
      talk.owner = other
    }
  }

  /** An MCP client continues only conversations that were begun over MCP by the same caller. */
  async #mcp(person: Person, id: string): Promise<void> {
    const program = this.#programs.get(person.tenant) ?? ''
    const before = await this.#ask(program, 'GET', `/api/conversations/${id}/events?limit=1000`)
    const params = { name: 'ask_desk', arguments: { message: 'Hi', conversation: id } }
    const { status, body } = await this.#ask(
      person.token,
      'POST',
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      { accept: 'application/json, text/event-stream' },
    )
    const after = await this.#ask(program, 'GET', `/api/conversations/${id}/events?limit=1000`)
    this.#judge('continue over MCP', false, JSON.stringify(after.body) !== JSON.stringify(before.body))
    const refused = status === 200 && JSON.stringify(body).includes('You have no idle conversation with this id')
    this.#judge('continue over MCP', false, !refused)
  }
}

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
        return { tenant, id, finance, scopes, token, sdk }
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
