/** One person after the other does something at random, and each answer is compared with the rules. */
import type { Gateway } from '@holdpoint/gateway'
import { CONVERSATIONS, IDS, randomly, rules, type Kind, type Person, type Talk, type Tenant } from './rules.ts'

interface Answer {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}
/** How often each kind of request was allowed and refused, in all walks. */
export const counted: Record<string, { allowed: number; refused: number }> = {}

/** Compares one answer with the rules. */
function judge(what: string, expected: boolean, actual: boolean, trace: readonly string[]): void {
  counted[what] ??= { allowed: 0, refused: 0 }
  counted[what][expected ? 'allowed' : 'refused']++
  if (expected !== actual)
    throw new Error(`${what} was ${actual ? 'allowed' : 'refused'} after:\n${trace.slice(-12).join('\n')}`)
}

export class Walk {
  readonly #random: ReturnType<typeof randomly>
  readonly #api: Gateway
  readonly #people: readonly Person[]
  readonly #programs: ReadonlyMap<Tenant, string>
  readonly #talks = new Map<string, Talk>()
  readonly #erasures = new Map<string, number>()
  readonly #erased: Record<Tenant, string[]> = { acme: [], umbrella: [] }
  readonly #trace: string[] = []

  constructor(seed: number, api: Gateway, people: readonly Person[], programs: ReadonlyMap<Tenant, string>) {
    this.#random = randomly(seed)
    this.#api = api
    this.#people = people
    this.#programs = programs
  }

  async step(): Promise<void> {
    const person = this.#random.pick(this.#people)
    const id = this.#current(person, this.#random.pick(CONVERSATIONS))
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
      this.#delegate,
      this.#follow,
      this.#mcp,
      ...(this.#random.chance(0.2) ? [this.#erase] : []),
    ])
    this.#trace.push(
      `${person.tenant}/${person.id} (${[...person.scopes].join(' ')}${person.finance ? ' finance' : ''}) ${act.name} ${id}`,
    )
    await act.call(this, person, id)
  }

  /** An erased id is never used again, so its place is taken by another. */
  #current({ tenant }: Person, id: string): string {
    const erasures = this.#erasures.get(`${tenant}/${id}`) ?? 0
    return erasures === 0 ? id : `${id}.${erasures}`
  }

  #ids(person: Person): readonly string[] {
    return CONVERSATIONS.map((id) => this.#current(person, id))
  }

  #talk({ tenant }: Person, id: string): Talk | undefined {
    return this.#talks.get(`${tenant}/${id}`)
  }

  #judge(what: string, expected: boolean, actual: boolean): void {
    judge(what, expected, actual, this.#trace)
  }

  #require(holds: boolean, what: string): void {
    if (!holds) throw new Error(`${what}, after:\n${this.#trace.slice(-12).join('\n')}`)
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
    const mark = `, says ${person.tenant} in ${id}!`
    const expected = !talk || rules.writes(talk, person)
    const answer = await this.#ask(person.token, 'POST', `/api/conversations/${id}/messages?wait=10`, {
      content: content + mark,
    })
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
    for (const id of this.#erased[person.tenant])
      this.#judge(
        'list what is erased',
        false,
        items.some((each) => each.id === id),
      )
    for (const id of this.#ids(person)) {
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
    for (const id of this.#ids(person)) {
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
    const counted = rules.countedFor(held, person) ?? []
    const again = approves && held.kind === 'refund' && rules.approvedBy(held, counted)
    this.#judge(
      again ? 'approve twice' : `resolve ${held.kind}`,
      expected,
      status === 200 && answer.verdict === 'accepted',
    )
    if (!expected) return
    if (approves) held.endorsed.push(counted)
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
    const named = held.kind === 'refund' && rules.decides(talk, held, person)
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

  async #delegate(person: Person): Promise<void> {
    const other = this.#random.pick(this.#people.filter((each) => each.tenant === person.tenant && each !== person))
    const path = `/api/delegations/${other.id}`
    const ends = this.#random.chance(0.4)
    const body = ends ? undefined : { until: Date.now() + 3_600_000 }
    const { status } = await this.#ask(person.token, ends ? 'DELETE' : 'PUT', path, body)
    this.#require(status === (ends ? 204 : 200), `a delegation got ${status}`)
    if (ends) other.deputyOf.delete(person.id)
    else other.deputyOf.set(person.id, person)
  }

  /** A stream has each event of its conversation, and no word of another. */
  async #follow(person: Person, id: string): Promise<void> {
    const talk = this.#talk(person, id)
    if (!talk) return
    const path = `/api/conversations/${id}/events`
    const program = this.#programs.get(person.tenant) ?? ''
    const { body } = await this.#ask(program, 'GET', `${path}?limit=1000`)
    const seqs: number[] = body.items.map(({ seq }: { seq: number }) => seq)
    const text = await this.#streamed(person.token, path, seqs.at(-1) ?? 0)
    this.#judge('follow', rules.reads(talk, person), text !== undefined)
    if (text === undefined) return
    const shown = [...text.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq))
    this.#require(
      seqs.every((seq) => shown.includes(seq)),
      'a stream left an event out',
    )
    const others = text.match(/says \w+ in [\w.]+!/g)?.find((mark) => mark !== `says ${person.tenant} in ${id}!`)
    this.#require(others === undefined, `a stream of ${id} has "${others}"`)
  }

  /** The text of a stream up to this event; undefined when it is refused. */
  async #streamed(token: string, path: string, upTo: number): Promise<string | undefined> {
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
    const response = await this.#api.fetch(new Request(`http://localhost${path}`, { headers }))
    if (response.status !== 200 || !response.body) return undefined
    let text = ''
    const decoder = new TextDecoder()
    for await (const bytes of response.body) {
      text += decoder.decode(bytes, { stream: true })
      if (new RegExp(`^id: ${upTo}$[^]*\\n\\n`, 'm').test(text)) break
    }
    return text
  }

  async #erase(person: Person, id: string): Promise<void> {
    const talk = this.#talk(person, id)
    if (!talk) return
    const path = `/api/conversations/${id}`
    const { status } = await this.#ask(person.token, 'DELETE', `${path}?cancel=true`)
    this.#judge('erase', rules.erases(talk, person), status === 204)
    if (status !== 204) return
    const place = `${person.tenant}/${id.split('.')[0]}`
    this.#erasures.set(place, (this.#erasures.get(place) ?? 0) + 1)
    this.#erased[person.tenant].push(id)
    for (const each of this.#people.filter(({ tenant }) => tenant === person.tenant)) {
      const { body } = await this.#ask(each.token, 'GET', `${path}/events`)
      this.#judge('read what is erased', false, JSON.stringify(body).includes('says'))
      const { items } = await each.sdk.holds.list({ limit: 100 })
      this.#judge(
        'hold of what is erased',
        false,
        items.some((hold) => hold.conversationId === id),
      )
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
