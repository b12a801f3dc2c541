/** Spaces as a runtime offers them: made, joined, spoken in, read and left. Everything here is for one tenant. */
import { HoldpointError } from '../failure.ts'
import { isObject, show } from '../json.ts'
import type { Address, Page } from '../log/store.ts'
import {
  AGENT_MESSAGES,
  decideJoin,
  decideLeave,
  decideOpen,
  decideRead,
  type SpaceDecision,
} from '../space/decide-space.ts'
import { memberKey, SPACE, type Member, type Role } from '../log/space-event.ts'
import type { Space } from '../space/space.ts'
import type { SpaceState } from '../space/space-machine.ts'
import type { SpaceView } from '../space/space-view.ts'
import { checkAgentName, checkId, checkLimit, checkOptions, checkSeq } from './check-request.ts'
import type { Engine } from './engine.ts'
import { loadSpace, spacePage } from './space-pages.ts'
import type { SpaceAnswer, SpaceWriter } from './space-writer.ts'

export interface CreateSpace {
  /** Default: a new id. */
  readonly id?: string
  readonly name: string
  /** How many messages of agents in a row wake other agents. Default: 12. */
  readonly agentMessages?: number
  /** The creator, who is its first owner. Without one, the operator manages its members. */
  readonly by?: Member
  readonly members?: readonly { readonly member: Member; readonly role?: Role }[]
  /** The caller's own: the same request again is told of the space that it made. */
  readonly key?: string
}

export interface PostOptions {
  readonly from: Member
  /** The seq of the message that it answers. */
  readonly replyTo?: number
  /** The caller's own: what was posted under it before is not posted again. */
  readonly key?: string
}

export type Posted =
  | { readonly ok: true; readonly seq: number; readonly quiet: boolean; readonly repeated?: true }
  | Extract<SpaceAnswer, { readonly ok: false }>

export interface SpaceRow {
  readonly id: string
  readonly name: string
  readonly members: number
  readonly seq: number
  readonly createdAt: number
  readonly updatedAt: number
}

const LONGEST_MESSAGE = 100_000
const ROLES: readonly Role[] = ['owner', 'member', 'reader']

export class Spaces {
  readonly #engine: Engine
  readonly #writer: SpaceWriter
  readonly #tenant: string

  constructor(engine: Engine, writer: SpaceWriter, tenant: string) {
    this.#engine = engine
    this.#writer = writer
    this.#tenant = tenant
  }

  /** Its id, or why there is none. Without a key, the same request again is told that the id is taken. */
  async create(options: CreateSpace): Promise<SpaceAnswer & { readonly id: string }> {
    checkOptions(options, { id: 1, name: 1, agentMessages: 1, by: 1, members: 1, key: 1 })
    const { id = this.#engine.ports.id(), agentMessages = AGENT_MESSAGES } = options
    const name = checkId('The name of a space', options.name)
    if (!Number.isInteger(agentMessages) || agentMessages < 0 || agentMessages > 1000)
      throw invalid(`"agentMessages" is a whole number from 0 to 1000, not ${show(agentMessages)}.`)
    const by = options.by && checkMember(options.by)
    const members = (options.members ?? []).map(({ member, role = 'member' }) => ({
      member: checkMember(member),
      role: checkRole(role),
    }))
    const key = options.key === undefined ? undefined : `create:${checkId('A key', options.key)}`
    const decide = (space: Space | undefined, state: SpaceState): SpaceDecision => {
      const opened = decideOpen(space, state.seq === 0, { name, agentMessages, by })
      if (!opened.ok) return opened
      const others = members.filter(({ member }) => !by || memberKey(member) !== memberKey(by))
      const joined = others.map(({ member, role }) => ({ type: 'member.joined', member, role }) as const)
      return { ok: true, events: [...opened.events, ...joined] }
    }
    return { ...(await this.#writer.open(this.#address(id), decide, key)), id }
  }

  /** `by` must be an owner; without it, the operator does it. Joining again changes the role. */
  join(
    id: string,
    member: Member,
    { role = 'member', by }: { readonly role?: Role; readonly by?: Member } = {},
  ): Promise<SpaceAnswer> {
    const who = checkMember(member)
    const asker = by && checkMember(by)
    const as = checkRole(role)
    return this.#writer.change(this.#address(id), (space) => decideJoin(space, who, as, asker))
  }

  leave(id: string, member: Member, { by }: { readonly by?: Member } = {}): Promise<SpaceAnswer> {
    const who = checkMember(member)
    const asker = by && checkMember(by)
    return this.#writer.change(this.#address(id), (space) => decideLeave(space, who, asker))
  }

  /** Once this answers, it is durable, and every other agent in the space will hear of it once. */
  async post(id: string, text: string, options: PostOptions): Promise<Posted> {
    const { from, replyTo, key = this.#engine.ports.id() } = checkOptions(options, { from: 1, replyTo: 1, key: 1 })
    if (typeof text !== 'string' || text.trim() === '' || text.length > LONGEST_MESSAGE)
      throw invalid(`A message is text of 1 to ${LONGEST_MESSAGE} characters.`)
    const message = {
      from: checkMember(from),
      text,
      ...(replyTo !== undefined && { replyTo: checkSeq('replyTo', replyTo) }),
    }
    const said = await this.#writer.post(this.#address(id), message, `post:${checkId('A key', key)}`)
    if (said.ok) return { ok: true, seq: said.seq, quiet: said.quiet, ...(said.repeated && { repeated: true }) }
    return { ok: false, refusal: said.refusal ?? 'space-missing', message: said.message }
  }

  /** This member has read everything up to that seq. */
  read(id: string, member: Member, upTo: number): Promise<SpaceAnswer> {
    const who = checkMember(member)
    const until = checkSeq('upTo', upTo)
    return this.#writer.change(this.#address(id), (space, { seq }) => decideRead(space, seq, who, until))
  }

  /** Who is there, and the newest messages, or with `before` those that come before that seq (`view.from`). */
  view(
    id: string,
    options: { readonly limit?: number; readonly before?: number } = {},
  ): Promise<SpaceView | undefined> {
    const { limit, before } = checkOptions(options, { limit: 1, before: 1 })
    return spacePage(this.#engine.store, this.#address(id), {
      limit: checkLimit(limit),
      ...(before !== undefined && { before: checkSeq('before', before) }),
    })
  }

  /** What this one is there; undefined for a stranger, and where there is no space. */
  async roleOf(id: string, member: Member): Promise<Role | undefined> {
    const state = await loadSpace(this.#engine.store, this.#address(id))
    return state?.space?.members.get(memberKey(member))?.role
  }

  /** The newest first. With `member`, only those it is in: a page may then be short, and still not be the last. */
  async list(
    filter: { readonly member?: Member; readonly after?: string; readonly limit?: number } = {},
  ): Promise<Page<SpaceRow>> {
    const { member, after, limit } = checkOptions(filter, { member: 1, after: 1, limit: 1 })
    const who = member && memberKey(checkMember(member))
    const page = await this.#engine.store.list({
      tenant: this.#tenant,
      agent: SPACE,
      limit: checkLimit(limit),
      ...(after !== undefined && { after: checkId('"after"', after) }),
    })
    const found = await Promise.all(
      page.items.map(async ({ id, seq, createdAt, updatedAt }): Promise<readonly SpaceRow[]> => {
        const space = (await loadSpace(this.#engine.store, { tenant: this.#tenant, id }))?.space
        if (!space || (who !== undefined && !space.members.has(who))) return []
        return [{ id, name: space.name, members: space.members.size, seq, createdAt, updatedAt }]
      }),
    )
    return { items: found.flat(), next: page.next }
  }

  #address(id: string): Address {
    return { tenant: this.#tenant, id: checkId('The id of a space', id) }
  }
}

function checkMember(member: unknown): Member {
  if (isObject(member) && member['kind'] === 'human')
    return { kind: 'human', id: checkId('The id of a member', member['id']) }
  if (isObject(member) && member['kind'] === 'agent') return { kind: 'agent', id: checkAgentName(member['id']) }
  throw invalid(`A member is { kind: 'human' or 'agent', id }, not ${show(member)}.`)
}

function checkRole(role: unknown): Role {
  const found = ROLES.find((each) => each === role)
  if (found) return found
  throw invalid(`A role is ${ROLES.join(', ')}, not ${show(role)}.`)
}

function invalid(message: string): HoldpointError {
  return new HoldpointError('config-invalid', message)
}
