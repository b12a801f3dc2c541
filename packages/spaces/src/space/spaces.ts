/** The spaces of one tenant: create, join, leave, post, read. `runtime.spaces`. */
import { HoldpointError } from '@holdpoint/core/internal/failure'
import { isObject, describeValue } from '@holdpoint/core/internal/json'
import { carriedRequesters, type Author } from '@holdpoint/core/internal/log/message'
import type { Address, Page } from '@holdpoint/core/internal/log/store'
import { principalOf, type Principal } from '@holdpoint/core/internal/principal'
import type { Erasure } from '@holdpoint/core/internal/turn/erased'
import {
  AGENT_MESSAGES,
  decideEraseSpace,
  decideJoin,
  decideLeave,
  decideOpen,
  decideRead,
  type SpaceDecision,
} from './decide-space.ts'
import { memberKey, SPACE, type Member, type Role } from '@holdpoint/core/internal/log/space-event'
import type { Space } from './space.ts'
import type { SpaceState } from './space-machine.ts'
import type { SpaceView } from './space-view.ts'
import { checkAuthors } from '@holdpoint/runtime/internal/conversation/check-authors'
import { checkPrincipal } from '@holdpoint/runtime/internal/conversation/check-principal'
import { removeDocuments } from '@holdpoint/runtime/internal/runtime/erase'
import {
  checkAgentName,
  checkId,
  checkLimit,
  checkReason,
  checkRequestOptions,
  checkSeq,
} from '@holdpoint/runtime/internal/runtime/check-request'
import type { Engine } from '@holdpoint/runtime/internal/node/engine'
import { loadSpace, spacePage } from './space-pages.ts'
import type { SpaceCommandResult, SpaceWriter } from './space-writer.ts'

export interface CreateSpace {
  /** Default: a new id. */
  readonly id?: string
  readonly name: string
  /** How many messages of agents in a row wake other agents. Default: 12. */
  readonly agentMessages?: number
  /** The creator, who is its first owner. Without one, the operator manages its members. */
  readonly by?: Member
  readonly members?: readonly { readonly member: Member; readonly role?: Role }[]
  /** An idempotency key: the same request again gets the space that the first one created. */
  readonly key?: string
}

export interface PostOptions {
  readonly from: Member
  /** The seq of the message that it answers. */
  readonly replyTo?: number
  /** In a tool's handler that posts as an agent: the `askedBy` of its context. */
  readonly askedBy?: readonly Author[]
  /** An idempotency key: a message that is posted again with the same key is posted once. */
  readonly key?: string
}

export interface EraseSpace {
  readonly by?: string | Principal
  /** At most 1000 characters. It stays in the tombstone. */
  readonly reason?: string
}

export type Posted =
  | { readonly ok: true; readonly seq: number; readonly quiet: boolean; readonly repeated?: true }
  | Extract<SpaceCommandResult, { readonly ok: false }>

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

  /** Creates a space. Without a key, a repeated request is refused with `id-taken`. */
  async create(options: CreateSpace): Promise<SpaceCommandResult & { readonly id: string }> {
    checkRequestOptions(options, { id: 1, name: 1, agentMessages: 1, by: 1, members: 1, key: 1 })
    const { id = this.#engine.ports.id(), agentMessages = AGENT_MESSAGES } = options
    const name = checkId('The name of a space', options.name)
    if (!Number.isInteger(agentMessages) || agentMessages < 0 || agentMessages > 1000)
      throw invalid(`"agentMessages" is a whole number from 0 to 1000, not ${describeValue(agentMessages)}.`)
    const by = options.by && checkMember(options.by)
    const members = (options.members ?? []).map(({ member, role = 'member' }) => ({
      member: checkMember(member),
      role: checkRole(role),
    }))
    const key = options.key === undefined ? undefined : `create:${checkId('A key', options.key)}`
    await this.#engine.quotas.admitWrite(this.#address(id))
    const decide = (space: Space | undefined, state: SpaceState): SpaceDecision => {
      const opened = decideOpen(space, state.seq === 0, { name, agentMessages, by })
      if (!opened.ok) return opened
      const others = members.filter(({ member }) => !by || memberKey(member) !== memberKey(by))
      const joined = others.map(({ member, role }) => ({ type: 'member.joined', member, role }) as const)
      return { ok: true, events: [...opened.events, ...joined] }
    }
    return { ...(await this.#writer.open(this.#address(id), decide, key)), id }
  }

  /** Adds a member, or changes its role. `by` must be an owner; without it, the operator makes the request. */
  join(
    id: string,
    member: Member,
    { role = 'member', by }: { readonly role?: Role; readonly by?: Member } = {},
  ): Promise<SpaceCommandResult> {
    const who = checkMember(member)
    const asker = by && checkMember(by)
    const as = checkRole(role)
    return this.#writer.change(this.#address(id), (space) => decideJoin(space, who, as, asker))
  }

  leave(id: string, member: Member, { by }: { readonly by?: Member } = {}): Promise<SpaceCommandResult> {
    const who = checkMember(member)
    const asker = by && checkMember(by)
    return this.#writer.change(this.#address(id), (space) => decideLeave(space, who, asker))
  }

  /**
   * Erases the space: its members and its messages. A tombstone remains. `by` with `access: 'own'` must be an owner. `reason`
   * is kept, so it must not contain what is erased. To erase it again changes nothing. What agents read of it stays in their
   * logs.
   */
  async erase(id: string, options: EraseSpace = {}): Promise<SpaceCommandResult> {
    const { by: given, reason } = checkRequestOptions(options, { by: 1, reason: 1 })
    if (reason !== undefined) checkReason(reason)
    const request = { by: principalOf(checkPrincipal(given)), ...(reason !== undefined && { reason }) }
    const address = this.#address(id)
    const erased = await this.#writer.change(address, (space) => decideEraseSpace(space, request))
    if (!erased.ok && erased.refusal !== 'erased') return erased
    // Also when it was erased before: a process may have died in between.
    await removeDocuments(this.#engine.store, address)
    const [seq = 0] = await this.#engine.store.heads([address])
    return { ok: true, seq }
  }

  /** Undefined for a space that was not erased, or does not exist. */
  async erasure(id: string): Promise<Erasure | undefined> {
    return (await loadSpace(this.#engine.store, this.#address(id)))?.erased
  }

  /** Posts a message. Once this resolves, the message is durable, and each other agent in the space gets it once. */
  async post(id: string, text: string, options: PostOptions): Promise<Posted> {
    const {
      from,
      replyTo,
      askedBy,
      key = this.#engine.ports.id(),
    } = checkRequestOptions(options, { from: 1, replyTo: 1, askedBy: 1, key: 1 })
    if (typeof text !== 'string' || text.trim() === '' || text.length > LONGEST_MESSAGE)
      throw invalid(`A message is text of 1 to ${LONGEST_MESSAGE} characters.`)
    const message = {
      from: checkMember(from),
      text,
      ...(replyTo !== undefined && { replyTo: checkSeq('replyTo', replyTo) }),
      ...carriedRequesters(checkAuthors(askedBy)),
    }
    await this.#engine.quotas.admitMessage(this.#address(id))
    const posted = await this.#writer.post(this.#address(id), message, `post:${checkId('A key', key)}`)
    if (posted.ok) return { ok: true, seq: posted.seq, quiet: posted.quiet, ...(posted.repeated && { repeated: true }) }
    return { ok: false, refusal: posted.refusal ?? 'space-missing', message: posted.message }
  }

  /** Marks messages up to this seq as read by the member. */
  read(id: string, member: Member, upTo: number): Promise<SpaceCommandResult> {
    const who = checkMember(member)
    const until = checkSeq('upTo', upTo)
    return this.#writer.change(this.#address(id), (space, { seq }) => decideRead(space, seq, who, until))
  }

  /** The members, and the newest messages; with `before`, those before that seq (`view.from`). */
  view(
    id: string,
    options: { readonly limit?: number; readonly before?: number } = {},
  ): Promise<SpaceView | undefined> {
    const { limit, before } = checkRequestOptions(options, { limit: 1, before: 1 })
    return spacePage(this.#engine.store, this.#address(id), {
      limit: checkLimit(limit),
      ...(before !== undefined && { before: checkSeq('before', before) }),
    })
  }

  /** The role of a member; undefined when it is not a member, or the space does not exist. */
  async roleOf(id: string, member: Member): Promise<Role | undefined> {
    const state = await loadSpace(this.#engine.store, this.#address(id))
    return state?.space?.members.get(memberKey(member))?.role
  }

  /** Spaces, newest first. With `member`, only the spaces of that member: then a page may be short without being the last. */
  async list(
    filter: { readonly member?: Member; readonly after?: string; readonly limit?: number } = {},
  ): Promise<Page<SpaceRow>> {
    const { member, after, limit } = checkRequestOptions(filter, { member: 1, after: 1, limit: 1 })
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
  throw invalid(`A member is { kind: 'human' or 'agent', id }, not ${describeValue(member)}.`)
}

function checkRole(role: unknown): Role {
  const found = ROLES.find((each) => each === role)
  if (found) return found
  throw invalid(`A role is ${ROLES.join(', ')}, not ${describeValue(role)}.`)
}

function invalid(message: string): HoldpointError {
  return new HoldpointError('config-invalid', message)
}
