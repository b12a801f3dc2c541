/**
 * Writes to spaces and to the inboxes of autonomous agents. A notice of another log is written under an idempotency key, so
 * a second delivery changes nothing.
 */
import { carriedRequesters, withPreview, type InboxItem, type Requesters } from '@holdpoint/core/internal/log/message'
import type { LogDelivery } from '@holdpoint/core/internal/log/notice'
import type { Address } from '@holdpoint/core/internal/log/store'
import { agentLogId, agentOfLog } from '@holdpoint/core/internal/log/agent-log'
import type { PostResult, ReadResult, SpaceAccess } from '../agent/space-access.ts'
import { ConversationLog } from '@holdpoint/runtime/internal/conversation/conversation-log'
import { withEvents } from '@holdpoint/runtime/internal/log/decision-events'
import { OtherMachine } from '@holdpoint/runtime/internal/log/other-machine'
import {
  decidePost,
  decideRead,
  decideShow,
  refuseErased,
  type PostMessage,
  type SpaceDecision,
  type SpaceRefusal,
} from './decide-space.ts'
import { memberKey, type Member } from '@holdpoint/core/internal/log/space-event'
import { ActiveSpace, type SpaceLog } from './active-space.ts'
import type { Space } from './space.ts'
import { emptySpaceState, type SpaceState } from './space-machine.ts'
import { decideInbox } from '@holdpoint/core/internal/turn/decide'
import { findCall } from '@holdpoint/core/internal/turn/find-call'
import { AgentMissing } from '@holdpoint/runtime/internal/node/agents'
import type { Engine } from '@holdpoint/runtime/internal/node/engine'
import { NO_NODE } from '@holdpoint/runtime/internal/node/no-node'
import type { OtherActiveLog } from '@holdpoint/runtime/internal/node/extension'
import { loadSpace, spaceMessages } from './space-pages.ts'

export type SpaceCommandResult =
  /** `seq`: where the log stood when it was true. */
  | { readonly ok: true; readonly seq: number; readonly repeated?: true }
  | { readonly ok: false; readonly refusal: SpaceRefusal | 'key-reused'; readonly message: string }

type Decide = (space: Space | undefined, state: SpaceState) => SpaceDecision

export class SpaceWriter {
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** Creates a space under an id that is free. */
  async open(address: Address, decide: Decide, key?: string): Promise<SpaceCommandResult> {
    // A log that exists already is not a new space. Check that before a new active log is made.
    const [head = 0] = await this.#engine.store.heads([address])
    if (head > 0 || agentOfLog(address.id) !== undefined) return this.change(address, decide, key)
    try {
      return await this.#engine.useOther(address, (active) => write(spaceOf(active), decide, key))
    } catch (error) {
      if (error instanceof OtherMachine) return taken(decide)
      throw error
    }
  }

  /** Decides on the newest state of the space, and appends. `key` is the caller's idempotency key. */
  async change(address: Address, decide: Decide, key?: string): Promise<SpaceCommandResult> {
    try {
      const answer = await this.#engine.useExistingOther(address, (active) => write(spaceOf(active), decide, key))
      if (answer) return answer
    } catch (error) {
      if (!(error instanceof AgentMissing)) throw error // the id is that of a conversation whose agent is missing
    }
    return taken(decide)
  }

  /**
   * Puts an item into an agent's inbox. `anyway`: also if the agent's definition is not usable now. The sender cannot change
   * that, and other receivers wait for it. An erased agent gets nothing: the item would bring its log back.
   */
  async toInbox(
    tenant: string,
    agent: string,
    item: InboxItem,
    anyway = false,
  ): Promise<'added' | 'repeated' | 'erased'> {
    const address = { tenant, id: agentLogId(agent) }
    const write = async (log: ConversationLog) => {
      const changed = await log.change((state) => withEvents(decideInbox(state, agent, item)), item.id)
      if ('repeated' in changed) return 'repeated'
      return changed.decision.ok ? 'added' : 'erased'
    }
    try {
      return await this.#engine.use(address, agent, ({ log }) => write(log))
    } catch (error) {
      if (this.#engine.closing || !(anyway || error instanceof AgentMissing)) throw error
      // The agent may be in another process, or be defined again: its inbox must not lose the item.
      return write(new ConversationLog(address, this.#engine.store, this.#engine.ports, { node: NO_NODE }))
    }
  }

  /** Delivers a notice of another log: to an agent's inbox, or to a space. */
  async deliver({ tenant, id: from }: Address, delivery: LogDelivery): Promise<void> {
    if ('agent' in delivery) {
      const { agent, at, message } = delivery
      const item: InboxItem = {
        kind: 'event',
        id: `space:${from}:${message.seq}`,
        at,
        event: { ...message, space: from },
      }
      await this.toInbox(tenant, agent, item, true)
      return
    }
    const { space, show, n } = delivery
    await this.#engine.useExistingOther({ tenant, id: space }, (active) =>
      spaceOf(active).change((state) => ({ events: decideShow(state.space, show) }), `told:${from}:${n}`),
    )
  }

  async isMember(address: Address, member: Member): Promise<boolean> {
    const state = await loadSpace(this.#engine.store, address)
    return state?.space?.members.has(memberKey(member)) ?? false
  }

  /** What an agent of this tenant can do in spaces. */
  access(tenant: string, agent: string): SpaceAccess {
    const self: Member = { kind: 'agent', id: agent }
    const at = (id: string): Address => ({ tenant, id })
    return {
      isMember: (space) => this.isMember(at(space), self),
      spaceOfCall: (callId) => {
        const state = this.#engine.peekConversation(at(agentLogId(agent)))?.log.state
        return state && findCall(state, callId)?.inSpace?.space
      },
      post: (space, { callId, ...message }) =>
        this.post(at(space), { from: self, ...message, ...this.#requesters(at(agentLogId(agent))) }, `call:${callId}`),
      messages: (space, offset, limit) => this.#read(at(space), self, offset, limit),
    }
  }

  /** The people for whom the agent writes: the requesters of its cycle, with those whose messages the prompt previews. */
  #requesters(log: Address): { readonly requesters?: Requesters } {
    const state = this.#engine.peekConversation(log)?.log.state
    if (!state || state.turn.phase === 'rest') return { requesters: 'many' }
    return carriedRequesters(withPreview(state.turn.askedBy, state.queue))
  }

  async post(
    address: Address,
    message: PostMessage,
    key: string,
  ): Promise<PostResult & { readonly refusal?: SpaceRefusal | 'key-reused'; readonly repeated?: true }> {
    const { replyTo } = message
    if (replyTo !== undefined && !(await this.#isMessage(address, replyTo))) {
      // A caller that may not post learns nothing about the messages.
      const decision = decidePost((await loadSpace(this.#engine.store, address))?.space, message)
      if (!decision.ok) return decision
      return { ok: false, refusal: 'not-a-message', message: `There is no message ${replyTo} to answer here.` }
    }
    let quiet = false
    const answer = await this.change(
      address,
      (space) => {
        const decision = decidePost(space, message)
        const [posted] = decision.ok ? decision.events : []
        quiet = posted?.type === 'message.posted' && posted.quiet === true
        return decision
      },
      key,
    )
    if (!answer.ok) return answer
    if (answer.repeated) return this.#again(address, answer.seq, message)
    return { ok: true, seq: answer.seq, quiet }
  }

  /** The key was used before: by the same message, or by another one. */
  async #again(
    address: Address,
    seq: number,
    { from, text, replyTo }: PostMessage,
  ): Promise<PostResult & { readonly refusal?: 'key-reused'; readonly repeated?: true }> {
    const [event] = await this.#engine.store.read(address, seq - 1, 1)
    const same = event?.type === 'message.posted' && event.text === text && event.replyTo === replyTo
    if (same && memberKey(event.from) === memberKey(from))
      return { ok: true, seq, quiet: event.quiet === true, repeated: true }
    return { ok: false, refusal: 'key-reused', message: 'This key was used for something else. Take a new one.' }
  }

  async #isMessage(address: Address, seq: number): Promise<boolean> {
    const [event] = await this.#engine.store.read(address, seq - 1, 1)
    return event?.seq === seq && event.type === 'message.posted'
  }

  async #read(address: Address, member: Member, offset: number, limit: number): Promise<ReadResult> {
    const found = await spaceMessages(this.#engine.store, address, offset, limit)
    const stranger = `${member.id} is not a member of a space "${address.id}".`
    if (!found?.state.space?.members.has(memberKey(member))) return { ok: false, message: stranger }
    const { state, messages } = found
    const { space } = state
    const read = await this.change(address, (now) => decideRead(now, state.seq, member, messages.at(-1)?.seq ?? 0))
    if (!read.ok || !space) return { ok: false, message: read.ok ? stranger : read.message }
    const members = Array.from(space.members.values(), (each) => each.member)
    return { ok: true, name: space.name, members, messages }
  }
}

/** Spaces are the only logs beside conversations. */
function spaceOf(active: OtherActiveLog): SpaceLog {
  if (active instanceof ActiveSpace) return active.log
  throw new OtherMachine(active.log.address)
}

async function write(log: SpaceLog, decide: Decide, key?: string): Promise<SpaceCommandResult> {
  const changed = await log.change((state) => {
    const decision = refuseErased(state) ?? decide(state.space, state)
    return { decision, events: decision.ok ? decision.events : [], seq: state.seq }
  }, key)
  if ('repeated' in changed) return { ok: true, seq: changed.repeated, repeated: true }
  const { decision, seq } = changed
  // A request that is refused now may have been accepted before, with its answer lost.
  const before = decision.ok || key === undefined ? undefined : await log.findKey(key)
  return before === undefined ? decided(decision, seq) : { ok: true, seq: before, repeated: true }
}

/** The decision when a conversation has the id: no space exists, and none can be created. */
function taken(decide: Decide): SpaceCommandResult {
  return decided(decide(undefined, { ...emptySpaceState, seq: 1 }), 0)
}

function decided(decision: SpaceDecision, seq: number): SpaceCommandResult {
  return decision.ok ? { ok: true, seq: seq + decision.events.length } : decision
}
