/** One person after the other does something at random, and each answer is compared with the rules. */
import { Asking } from './asking.ts'
import { InsightWalk } from './insight-walk.ts'
import { CONVERSATIONS, IDS, randomly, rules, type Kind, type Person, type Talk, type Tenant } from './rules.ts'
import { SpaceWalk } from './space-walk.ts'
import type { World } from './world.ts'

export class Walk {
  readonly #random: ReturnType<typeof randomly>
  readonly #world: World
  readonly #asking: Asking
  readonly #spaces: SpaceWalk
  readonly #insights: InsightWalk
  readonly #talks = new Map<string, Talk>()
  readonly #erasures = new Map<string, number>()
  readonly #erased: Record<Tenant, string[]> = { acme: [], umbrella: [] }

  constructor(seed: number, world: World) {
    this.#random = randomly(seed)
    this.#world = world
    this.#asking = new Asking(world.api)
    this.#spaces = new SpaceWalk(this.#random, world, this.#asking)
    const known = {
      talk: (person: Person, id: string) => this.#talk(person, id),
      ids: (person: Person) => this.#ids(person),
    }
    this.#insights = new InsightWalk(this.#random, world, this.#asking, known)
  }

  async step(): Promise<void> {
    if (this.#random.chance(0.2)) return this.#spaces.step()
    const person = this.#random.pick(this.#world.people)
    const id = this.#current(person, this.#random.pick(CONVERSATIONS))
    if (this.#random.chance(0.15)) return this.#insights.step(person, id)
    const act = this.#random.pick([
      this.#send,
      this.#send,
      this.#read,
      this.#list,
      this.#holds,
      this.#hold,
      this.#resolve,
      this.#resolve,
      this.#resolve,
      this.#annotate,
      this.#share,
      this.#delegate,
      this.#changeGroups,
      this.#pass,
      this.#follow,
      this.#mcp,
      ...(this.#random.chance(0.2) ? [this.#erase] : []),
    ])
    const { tenant, scopes, groups } = person
    this.#asking.note(`${tenant}/${person.id} (${[...scopes].join(' ')}; ${groups.join(' ')}) ${act.name} ${id}`)
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

  #now(): number {
    return this.#world.clock.now()
  }

  #program({ tenant }: Person): string {
    return this.#world.programs.get(tenant) ?? ''
  }

  async #send(person: Person, id: string): Promise<void> {
    const talk = this.#talk(person, id)
    if (talk?.held) return
    const content = this.#random.pick(['Hello', 'refund 5', 'settle 5', 'pay 5', 'ask size'])
    const mark = `, says ${person.tenant} in ${id}!`
    const expected = !talk || rules.writes(talk, person)
    const answer = await this.#asking.ask(person.token, 'POST', `/api/conversations/${id}/messages?wait=10`, {
      content: content + mark,
    })
    this.#asking.judge('send', expected, answer.status === 200)
    if (answer.status !== 200) return
    const [hold] = answer.body.result.holds
    const kind = content.split(' ')[0] as Kind
    const route = this.#world.routes.get(kind)
    const held = hold && { callId: hold.callId, kind, route, at: this.#now(), asker: person.id, endorsed: [] }
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
    const { status } = await this.#asking.ask(person.token, 'GET', path, undefined, headers)
    if (!talk) return this.#asking.judge('read what does not exist', false, status !== 404)
    this.#asking.judge('read', rules.reads(talk, person, this.#now()), status === 200)
    const seen = await person.sdk.conversations.view(id).then(Boolean, () => false)
    this.#asking.judge('read with the SDK', rules.reads(talk, person, this.#now()), seen)
  }

  async #list(person: Person): Promise<void> {
    const { items } = await person.sdk.conversations.list({ limit: 100 })
    for (const id of this.#erased[person.tenant])
      this.#asking.judge(
        'list what is erased',
        false,
        items.some((each) => each.id === id),
      )
    for (const id of this.#ids(person)) {
      const talk = this.#talk(person, id)
      const { scopes } = person
      const listed = scopes.has('admin') || scopes.has('conversations:read-all')
      const expected = talk !== undefined && (listed || rules.takesPart(talk, person))
      this.#asking.judge(
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
        this.#asking.judge(`holds ${view}`, false, seen)
        continue
      }
      const expected = {
        mine: rules.decides(talk, held, person, this.#now()),
        asked: held.asker === person.id && rules.seesHold(talk, person, this.#now()),
        all: rules.seesHold(talk, person, this.#now()),
      }[view]
      this.#asking.judge(`holds ${view}`, expected, seen)
      const shown = items.find((each) => each.conversationId === id)
      if (shown && held.kind !== 'ask')
        this.#asking.judge('may approve', rules.approves(talk, held, person, this.#now()), shown.may?.approve === true)
    }
  }

  async #hold(person: Person, id: string): Promise<void> {
    const talk = this.#talk(person, id)
    if (!talk?.held) return
    const { status } = await this.#asking.ask(person.token, 'GET', `/api/holds/${id}/${talk.held.callId}`)
    this.#asking.judge('hold', rules.seesHold(talk, person, this.#now()), status === 200)
    const call = await this.#asking.ask(person.token, 'GET', `/api/calls/${talk.held.callId}?conversationId=${id}`)
    this.#asking.judge('call', rules.reads(talk, person, this.#now()), call.status === 200)
  }

  async #resolve(person: Person, id: string): Promise<void> {
    const talk = this.#talk(person, id)
    const held = talk?.held
    if (!talk || !held) return
    const approves = held.kind !== 'ask' && this.#random.chance(0.7)
    const body = held.kind === 'ask' ? { kind: 'answer', value: 'xl' } : { kind: approves ? 'approve' : 'reject' }
    const expected = approves
      ? rules.approves(talk, held, person, this.#now())
      : rules.decides(talk, held, person, this.#now())
    const path = `/api/holds/${id}/${held.callId}/resolve`
    const { status, body: answer } = await this.#asking.ask(person.token, 'POST', path, body)
    const counted = rules.countedFor(held, person, this.#now()) ?? []
    const again = approves && held.route !== undefined && rules.approvedBy(held, counted)
    this.#asking.judge(
      again ? 'approve twice' : `resolve ${held.kind}${rules.escalated(held, this.#now()) ? ', escalated' : ''}`,
      expected,
      status === 200 && answer.verdict === 'accepted',
    )
    if (!expected) return
    if (approves) held.endorsed.push(counted)
    if (approves && held.route && held.endorsed.length < held.route.count)
      return this.#random.chance(0.6) ? this.#resolve(person, id) : undefined
    talk.held = undefined
    await this.#asking.ask(this.#program(person), 'POST', `/api/conversations/${id}/continue?wait=10`, {})
  }

  async #annotate(person: Person, id: string): Promise<void> {
    const talk = this.#talk(person, id)
    const held = talk?.held
    if (!talk || !held) return
    const { scopes } = person
    const involved = rules.writes(talk, person) || scopes.has('resolver')
    const named = held.route !== undefined && rules.decides(talk, held, person, this.#now())
    const comments = this.#random.chance(0.5)
    const path = `/api/holds/${id}/${held.callId}/${comments ? 'comments' : 'assign'}`
    const { status } = await this.#asking.ask(person.token, 'POST', path, comments ? { text: 'Hm' } : {})
    const mayAssign = held.route ? named : involved && rules.decides(talk, held, person, this.#now())
    this.#asking.judge(comments ? 'comment' : 'assign', comments ? involved || named : mayAssign, status < 300)
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
    const { status } = await this.#asking.ask(person.token, 'POST', path, body)
    const leaves = change === 'remove' && other === person.id && rules.takesPart(talk, person)
    const expected = person.scopes.has('admin') || talk.owner === person.id || leaves
    this.#asking.judge('share', expected, status === 200)
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
    const other = this.#random.pick(
      this.#world.people.filter((each) => each.tenant === person.tenant && each !== person),
    )
    const path = `/api/delegations/${other.id}`
    const ends = this.#random.chance(0.4)
    const until = this.#now() + 100_000
    const body = ends ? undefined : { until }
    const { status } = await this.#asking.ask(person.token, ends ? 'DELETE' : 'PUT', path, body)
    this.#asking.require(status === (ends ? 204 : 200), `a delegation got ${status}`)
    if (ends) other.deputyOf.delete(person.id)
    else other.deputyOf.set(person.id, { id: person.id, groups: person.groups, until })
  }

  /** The next token of the person names other groups. A delegation keeps those of the one with which it was made. */
  async #changeGroups(person: Person): Promise<void> {
    person.groups = ['finance', 'board'].filter(() => this.#random.chance(0.4))
    await this.#world.signIn(person)
  }

  /** Time passes. Calls that waited long enough are escalated, each once. */
  async #pass(): Promise<void> {
    await this.#world.clock.advance(25_000)
    for (const [place, { held }] of this.#talks) {
      if (!held || !rules.escalated(held, this.#now())) continue
      const [tenant, id] = place.split('/') as [Tenant, string]
      const path = `/api/conversations/${id}/events?limit=1000`
      let times = 0
      for (let tries = 0; tries < 10 && times === 0; tries++) {
        if (tries > 0) await this.#world.clock.advance(1000)
        const { body } = await this.#asking.ask(this.#world.programs.get(tenant) ?? '', 'GET', path)
        const events: readonly { type: string; callId?: string }[] = body.items
        times = events.filter(({ type, callId }) => type === 'hold.escalated' && callId === held.callId).length
      }
      this.#asking.require(times === 1, `${place} was escalated ${times} times`)
    }
  }

  async #follow(person: Person, id: string): Promise<void> {
    const talk = this.#talk(person, id)
    if (!talk) return
    const path = `/api/conversations/${id}/events`
    const own = `says ${person.tenant} in ${id}!`
    const followed = await this.#asking.follow(person.token, this.#program(person), path, own)
    this.#asking.judge('follow', rules.reads(talk, person, this.#now()), followed)
  }

  async #erase(person: Person, id: string): Promise<void> {
    const talk = this.#talk(person, id)
    if (!talk) return
    const path = `/api/conversations/${id}`
    const { status } = await this.#asking.ask(person.token, 'DELETE', `${path}?cancel=true`)
    this.#asking.judge('erase', rules.erases(talk, person), status === 204)
    if (status !== 204) return
    this.#talks.delete(`${person.tenant}/${id}`)
    const place = `${person.tenant}/${id.split('.')[0]}`
    this.#erasures.set(place, (this.#erasures.get(place) ?? 0) + 1)
    this.#erased[person.tenant].push(id)
    for (const each of this.#world.people.filter(({ tenant }) => tenant === person.tenant)) {
      const { body } = await this.#asking.ask(each.token, 'GET', `${path}/events`)
      this.#asking.judge('read what is erased', false, JSON.stringify(body).includes('says'))
      const { items } = await each.sdk.holds.list({ limit: 100 })
      this.#asking.judge(
        'hold of what is erased',
        false,
        items.some((hold) => hold.conversationId === id),
      )
    }
  }

  /** An MCP client continues only conversations that were begun over MCP by the same caller. */
  async #mcp(person: Person, id: string): Promise<void> {
    const program = this.#program(person)
    const before = await this.#asking.ask(program, 'GET', `/api/conversations/${id}/events?limit=1000`)
    const params = { name: 'ask_desk', arguments: { message: 'Hi', conversation: id } }
    const { status, body } = await this.#asking.ask(
      person.token,
      'POST',
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
      { accept: 'application/json, text/event-stream' },
    )
    const after = await this.#asking.ask(program, 'GET', `/api/conversations/${id}/events?limit=1000`)
    this.#asking.judge('continue over MCP', false, JSON.stringify(after.body) !== JSON.stringify(before.body))
    const refused = status === 200 && JSON.stringify(body).includes('You have no idle conversation with this id')
    this.#asking.judge('continue over MCP', false, !refused)
  }
}
