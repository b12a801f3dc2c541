/** People read, speak and manage members in spaces at random, and each answer is compared with the rules. */
import type { Asking } from './asking.ts'
import { IDS, rules, type Person, type randomly, type Role, type Room } from './rules.ts'
import type { World } from './world.ts'

const SPACES = ['s1', 's2'] as const
const ROLES = ['owner', 'member', 'reader'] as const

export class SpaceWalk {
  readonly #random: ReturnType<typeof randomly>
  readonly #world: World
  readonly #asking: Asking
  readonly #rooms = new Map<string, Room>()

  constructor(random: ReturnType<typeof randomly>, world: World, asking: Asking) {
    this.#random = random
    this.#world = world
    this.#asking = asking
  }

  async step(): Promise<void> {
    const person = this.#random.pick(this.#world.people)
    const id = this.#random.pick(SPACES)
    const room = this.#rooms.get(`${person.tenant}/${id}`)
    const act = room ? this.#random.pick([this.#post, this.#read, this.#list, this.#join, this.#leave]) : undefined
    const scopes = [...person.scopes].join(' ')
    this.#asking.note(`${person.tenant}/${person.id} (${scopes}) ${act?.name ?? 'creates'} ${id}`)
    await (room && act ? act.call(this, person, id, room) : this.#create(person, id))
  }

  async #create(person: Person, id: string): Promise<void> {
    const path = `/api/spaces/${id}`
    const { status } = await this.#asking.ask(person.token, 'GET', path)
    this.#asking.judge('read a space that does not exist', false, status !== 404)
    const guests = IDS.filter((each) => each !== person.id && this.#random.chance(0.4))
    const roles = guests.map((each) => [each, this.#random.pick(ROLES)] as const)
    const members = roles.map(([each, role]) => ({ member: { kind: 'human', id: each }, role }))
    const made = await this.#asking.ask(person.token, 'POST', '/api/spaces', { id, name: id, members })
    this.#asking.require(made.status === 201, `a space was refused with ${made.status}`)
    this.#rooms.set(`${person.tenant}/${id}`, new Map<string, Role>([[person.id, 'owner'], ...roles]))
  }

  async #post(person: Person, id: string, room: Room): Promise<void> {
    const text = `Hello, says ${person.tenant} in ${id}!`
    const { status } = await this.#asking.ask(person.token, 'POST', `/api/spaces/${id}/messages`, { text })
    this.#asking.judge('post', rules.postsIn(room, person), status === 201)
    const other = this.#random.pick(IDS.filter((each) => each !== person.id))
    const body = { text, from: { kind: 'human', id: other } }
    const forged = await this.#asking.ask(person.token, 'POST', `/api/spaces/${id}/messages`, body)
    this.#asking.judge('post as another', false, forged.status === 201)
  }

  async #read(person: Person, id: string, room: Room): Promise<void> {
    const expected = rules.readsRoom(room, person)
    const path = `/api/spaces/${id}`
    const { status } = await this.#asking.ask(person.token, 'GET', this.#random.pick([path, `${path}/events`]))
    this.#asking.judge('read a space', expected, status === 200)
    const seen = await person.sdk.spaces.view(id).then(Boolean, () => false)
    this.#asking.judge('read a space with the SDK', expected, seen)
    const program = this.#world.programs.get(person.tenant) ?? ''
    const own = `says ${person.tenant} in ${id}!`
    const followed = await this.#asking.follow(person.token, program, `${path}/events`, own)
    this.#asking.judge('follow a space', expected, followed)
    const params = { name: 'ask_desk', arguments: { message: 'Hi', conversation: id } }
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    const accept = { accept: 'application/json, text/event-stream' }
    const { body } = await this.#asking.ask(person.token, 'POST', '/mcp', call, accept)
    const refused = JSON.stringify(body).includes('You have no idle conversation with this id')
    this.#asking.judge('enter a space over MCP', false, !refused)
    const talk = await this.#asking.ask(person.token, 'GET', `/api/conversations/${id}/events`)
    this.#asking.judge('read a space as a conversation', false, talk.status === 200)
  }

  async #list(person: Person): Promise<void> {
    const { items } = await person.sdk.spaces.list({ limit: 100 })
    for (const id of SPACES) {
      const room = this.#rooms.get(`${person.tenant}/${id}`)
      const listed = items.some((each) => each.id === id)
      this.#asking.judge('list spaces', room !== undefined && rules.readsRoom(room, person), listed)
    }
  }

  async #join(person: Person, id: string, room: Room): Promise<void> {
    const other = this.#random.pick(IDS)
    const role = this.#random.pick(ROLES)
    const path = `/api/spaces/${id}/members/human/${other}`
    const { status } = await this.#asking.ask(person.token, 'PUT', path, { role })
    const keepsAnOwner = role === 'owner' || !rules.lastOwner(room, other)
    const expected = rules.manages(room, person) && keepsAnOwner
    this.#asking.judge('change a member', expected, status === 200)
    if (expected) room.set(other, role)
  }

  async #leave(person: Person, id: string, room: Room): Promise<void> {
    const other = this.#random.chance(0.4) ? person.id : this.#random.pick(IDS)
    const { status } = await this.#asking.ask(person.token, 'DELETE', `/api/spaces/${id}/members/human/${other}`)
    const keepsAnOwner = room.size === 1 || !rules.lastOwner(room, other)
    const expected = (other === person.id || rules.manages(room, person)) && keepsAnOwner
    this.#asking.judge('remove a member', expected, status === 200)
    if (expected) room.delete(other)
  }
}
