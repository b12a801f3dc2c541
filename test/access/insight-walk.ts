/** What shows more than one conversation at once, or a conversation in another form: search, files, exports, evidence, reports. */
import type { Asking } from './asking.ts'
import { IDS, rules, type Person, type randomly, type Talk } from './rules.ts'
import type { World } from './world.ts'

/** The conversations, as the walk knows them. */
interface Known {
  talk(person: Person, id: string): Talk | undefined
  /** The ids that are in use. */
  ids(person: Person): readonly string[]
}

interface SentFile {
  readonly id: string
  readonly by: string
  /** None for a file that no message has. */
  readonly conversation: string | undefined
}

const ADMIN_PAGES = ['/api/usage', '/api/usage/report', '/api/system', '/api/channels/deliveries', '/api/admin-log']

export class InsightWalk {
  readonly #random: ReturnType<typeof randomly>
  readonly #world: World
  readonly #asking: Asking
  readonly #known: Known
  readonly #files: Record<string, SentFile[]> = {}

  constructor(random: ReturnType<typeof randomly>, world: World, asking: Asking, known: Known) {
    this.#random = random
    this.#world = world
    this.#asking = asking
    this.#known = known
  }

  async step(person: Person, id: string): Promise<void> {
    const act = this.#random.pick([
      this.#search,
      this.#sendFile,
      this.#sendFile,
      this.#readFile,
      this.#readFile,
      this.#copies,
      this.#evidence,
      this.#replay,
      this.#adminPages,
      this.#devices,
    ])
    this.#asking.note(`${person.tenant}/${person.id} (${[...person.scopes].join(' ')}) ${act.name} ${id}`)
    await act.call(this, person, id)
  }

  async #search(person: Person): Promise<void> {
    const query = this.#random.pick(['', '&text=SAYS', '&in=messages', '&text=says&in=messages'])
    const { status, body } = await this.#asking.ask(person.token, 'GET', `/api/search?limit=100${query}`)
    this.#asking.require(status === 200 && body.next === undefined, `a search got ${status}`)
    const items: readonly { readonly id: string; readonly found: readonly unknown[] }[] = body.items
    for (const id of this.#known.ids(person)) {
      const talk = this.#known.talk(person, id)
      const expected = talk !== undefined && rules.reads(talk, person, this.#now())
      const found = items.find((each) => each.id === id)
      this.#asking.judge('search', expected, found !== undefined)
      const marks = JSON.stringify(found ?? '').match(/says \w+ in [\w.]+!/g) ?? []
      const others = marks.find((mark) => mark !== `says ${person.tenant} in ${id}!`)
      this.#asking.require(others === undefined, `a search of ${id} found "${others}"`)
    }
  }

  async #sendFile(person: Person, id: string): Promise<void> {
    const talk = this.#known.talk(person, id)
    if (!talk || talk.held) return
    const text = `of ${person.tenant}/${person.id} ${this.#random.below(1_000_000)}`
    const uploaded = await this.#asking.upload(person.token, text)
    const files = (this.#files[person.tenant] ??= [])
    files.push({ id: uploaded, by: person.id, conversation: undefined })
    const file = this.#random.chance(0.5) ? files.at(-1)! : this.#random.pick(files)
    const named = {
      type: 'file',
      mediaType: 'text/plain',
      file: { kind: 'stored', id: file.id, bytes: 1, sha256: 'x' },
    }
    const content = [{ type: 'text', text: `Hello, says ${person.tenant} in ${id}!` }, named]
    const path = `/api/conversations/${id}/messages?wait=10`
    const { status } = await this.#asking.ask(person.token, 'POST', path, { content })
    const own = !this.#isGone(person, file) && (file.by === person.id || this.#has(person, file, id))
    this.#asking.judge('send a file', rules.writes(talk, person) && own, status === 200)
    if (status === 200 && !this.#has(person, file, id)) files.push({ ...file, conversation: id })
  }

  /** It was erased with the last conversation that had it. */
  #isGone(person: Person, { id }: SentFile): boolean {
    const given = (this.#files[person.tenant] ?? []).filter((each) => each.id === id && each.conversation !== undefined)
    return given.length > 0 && given.every(({ conversation = '' }) => !this.#known.talk(person, conversation))
  }

  #has({ tenant }: Person, file: SentFile, conversation: string): boolean {
    return (this.#files[tenant] ?? []).some((each) => each.id === file.id && each.conversation === conversation)
  }

  /** Its uploader reads a file, and so does each reader of a conversation that has it. It goes with the last of those. */
  async #readFile(person: Person): Promise<void> {
    const files = this.#files[person.tenant] ?? []
    const [other] = Object.entries(this.#files).flatMap(([tenant, all]) => (tenant === person.tenant ? [] : all))
    if (other) this.#asking.judge('read a file of another tenant', false, await this.#readsFile(person, other.id))
    for (const file of [this.#random.pick(files), files.at(-1)]) if (file) await this.#judgeFile(person, file, files)
  }

  async #judgeFile(person: Person, file: SentFile, files: readonly SentFile[]): Promise<void> {
    const { id, by } = file
    const given = files.filter((each) => each.id === id && each.conversation !== undefined)
    const talks = given.flatMap(({ conversation = '' }) => this.#known.talk(person, conversation) ?? [])
    const reader = given.length === 0 ? person.scopes.has('admin') : talks.some((talk) => this.#reads(talk, person))
    const expected = !this.#isGone(person, file) && (by === person.id || reader)
    this.#asking.judge('read a file', expected, await this.#readsFile(person, id))
  }

  async #readsFile({ token }: Person, id: string): Promise<boolean> {
    const { status } = await this.#asking.ask(token, 'GET', `/api/files/${id}`)
    this.#asking.require(status === 200 || status === 404, `a file got ${status}`)
    return status === 200
  }

  async #copies(person: Person, id: string): Promise<void> {
    const talk = this.#known.talk(person, id)
    if (!talk) return
    const what = this.#random.pick(['export', 'export?hashes=true', 'signed-heads'])
    const { status } = await this.#asking.ask(person.token, 'GET', `/api/conversations/${id}/${what}`)
    this.#asking.judge('export', this.#reads(talk, person), status === 200)
  }

  async #evidence(person: Person, id: string): Promise<void> {
    const talk = this.#known.talk(person, id)
    if (!talk?.held) return
    const { status } = await this.#asking.ask(person.token, 'GET', `/api/holds/${id}/${talk.held.callId}/evidence`)
    this.#asking.judge('evidence', this.#reads(talk, person), status === 200)
  }

  async #replay(person: Person, id: string): Promise<void> {
    const talk = this.#known.talk(person, id)
    if (!talk) return
    const { status } = await this.#asking.ask(person.token, 'POST', `/api/conversations/${id}/replay`, {})
    this.#asking.judge('replay', rules.writes(talk, person), status !== 403)
  }

  async #adminPages(person: Person): Promise<void> {
    const other = person.tenant === 'acme' ? 'umbrella' : 'acme'
    const exports = ['/api/export', `/api/people/${this.#random.pick(IDS)}/export`]
    for (const path of [this.#random.pick(ADMIN_PAGES), this.#random.pick(exports)]) {
      const { status, body } = await this.#asking.ask(person.token, 'GET', path)
      this.#asking.judge('pages of an admin', person.scopes.has('admin'), status === 200)
      this.#asking.require(!JSON.stringify(body).includes(other), `${path} names ${other}`)
    }
    const foreign = await this.#asking.ask(person.token, 'GET', `/api/search?tenant=${other}`)
    this.#asking.judge('search another tenant', false, foreign.status === 200)
  }

  /** Only the person, also when an admin asks. */
  async #devices(person: Person): Promise<void> {
    const other = this.#random.pick(IDS)
    const path = `/api/people/${other}/channels/devices`
    const keys = { p256dh: 'x', auth: 'y' }
    const body = { endpoint: `https://push.test/${person.tenant}/${person.id}`, keys }
    const added = await this.#asking.ask(person.token, 'POST', path, body)
    this.#asking.judge('register a browser', other === person.id, added.status === 201)
    const listed = await this.#asking.ask(person.token, 'GET', path)
    this.#asking.judge('list browsers', other === person.id, listed.status === 200)
  }

  #reads(talk: Talk, person: Person): boolean {
    return rules.reads(talk, person, this.#now())
  }

  #now(): number {
    return this.#world.clock.now()
  }
}
