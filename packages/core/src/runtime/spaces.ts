/**
 * Spaces and lives, as the conversations of a runtime: who writes to which log, and under which key. Whatever is written
 * for somebody else is written under a key that only it has, so telling it again changes nothing.
 */
import type { EventBody } from '../log/log-event.ts'
import type { InboxItem } from '../log/message.ts'
import type { Address } from '../log/store.ts'
import { agentOfLife, lifeId, type Heard, type Life, type Said } from '../life/life.ts'
import { Log } from '../loop/log.ts'
import { Belongs } from '../loop/whose.ts'
import { decidePost, decideRead, decideShow, type SpaceDecision, type SpaceRefusal } from '../space/decide-space.ts'
import { memberKey, type Member } from '../space/space-event.ts'
import { SPACE, type Space } from '../space/space.ts'
import { decideInbox, findCall } from '../turn/decide.ts'
import type { Telling } from '../turn/notices.ts'
import { emptyConversation, type Conversation } from '../turn/turn-state.ts'
import { AgentMissing } from './agents.ts'
import type { Engine } from './engine.ts'
import { loadSpace, spaceMessages } from './space-pages.ts'

export type SpaceAnswer =
  /** `seq`: where the log stood when it was true. */
  | { readonly ok: true; readonly seq: number; readonly repeated?: true }
  | { readonly ok: false; readonly refusal: SpaceRefusal | 'key-reused'; readonly message: string }

type Decide = (space: Space | undefined, state: Conversation) => SpaceDecision

export class Spaces {
  readonly #engine: Engine
  /** Takes what nobody here can drive, until somebody looks who can. */
  readonly #nobody: string

  constructor(engine: Engine, nobody: string) {
    this.#engine = engine
    this.#nobody = nobody
  }

  /** Makes a space where there is nothing yet. */
  async open(address: Address, decide: Decide, key?: string): Promise<SpaceAnswer> {
    // Whatever is there already, and whoever it belongs to, is told from nothing before anybody is asked to drive it.
    const [head = 0] = await this.#engine.store.heads([address])
    if (head > 0 || agentOfLife(address.id) !== undefined) return this.change(address, decide, key)
    return this.#engine
      .use(address, SPACE, ({ log }) => write(log, decide, key))
      .catch((error: unknown) => {
        if (error instanceof Belongs) return this.change(address, decide, key)
        throw error
      })
  }

  /** Decides on the newest state of the space and writes it; `key` is the caller's own. */
  async change(address: Address, decide: Decide, key?: string): Promise<SpaceAnswer> {
    try {
      const answer = await this.#engine.useExisting(address, async ({ log }) =>
        log.state.space ? write(log, decide, key) : undefined,
      )
      if (answer) return answer
    } catch (error) {
      if (!(error instanceof AgentMissing)) throw error // it is the conversation of somebody who is not here
    }
    // There may be a conversation: for whoever wants a space there is none, and no room for one.
    return decided(decide(undefined, { ...emptyConversation, seq: 1 }), 0)
  }

  /**
   * Something for an agent's inbox. False when it was there before. `anyway`: also if it cannot live as it is defined now;
   * whoever tells it can do nothing about that, and others wait to be told.
   */
  async deliver(tenant: string, agent: string, item: InboxItem, anyway = false): Promise<boolean> {
    const address = { tenant, id: lifeId(agent) }
    const write = async (log: Log): Promise<boolean> => {
      const decide = (state: Conversation) => {
        const decision = decideInbox(state, agent, item)
        return { events: decision.ok ? decision.events : ([] as readonly EventBody[]) }
      }
      return !('repeated' in (await log.change(decide, item.id)))
    }
    try {
      return await this.#engine.use(address, agent, ({ log }) => write(log))
    } catch (error) {
      if (this.#engine.closing || !(anyway || error instanceof AgentMissing)) throw error
      // The agent lives elsewhere, or comes back: what is in its inbox then is not lost.
      return write(new Log(address, this.#engine.store, this.#engine.ports, { node: this.#nobody }))
    }
  }

  /** What the outbox of a log is for. */
  async tell({ tenant, id: from }: Address, telling: Telling): Promise<void> {
    if ('agent' in telling) {
      const { agent, at, message } = telling
      const item: InboxItem = {
        kind: 'event',
        id: `space:${from}:${message.seq}`,
        at,
        event: { ...message, space: from },
      }
      await this.deliver(tenant, agent, item, true)
      return
    }
    const { space, show, n } = telling
    await this.#engine.useExisting({ tenant, id: space }, ({ log }) =>
      log.change((state) => ({ events: decideShow(state.space, show) }), `told:${from}:${n}`),
    )
  }

  /** What an agent of this tenant can do, in its own name. */
  life(tenant: string, agent: string): Life {
    const self: Member = { kind: 'agent', id: agent }
    const at = (id: string): Address => ({ tenant, id })
    return {
      isMember: async (space) => {
        const state = await loadSpace(this.#engine.store, at(space))
        return state?.space?.members.has(memberKey(self)) ?? false
      },
      placeOf: (callId) => {
        const state = this.#engine.residents.peek(at(lifeId(agent)))?.log.state
        return state && findCall(state, callId)?.place?.space
      },
      post: (space, text, callId, replyTo) =>
        this.post(at(space), { from: self, text, ...(replyTo !== undefined && { replyTo }) }, `call:${callId}`),
      messages: (space, offset, limit) => this.#read(at(space), self, offset, limit),
    }
  }

  async post(
    address: Address,
    message: { readonly from: Member; readonly text: string; readonly replyTo?: number },
    key: string,
  ): Promise<Said & { readonly refusal?: SpaceRefusal | 'key-reused'; readonly repeated?: true }> {
    const { replyTo } = message
    if (replyTo !== undefined && !(await this.#isMessage(address, replyTo))) {
      // Whoever may not speak here learns nothing of what is said.
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

  /** The key was used before: by this very message, or by mistake. */
  async #again(
    address: Address,
    seq: number,
    { from, text, replyTo }: { readonly from: Member; readonly text: string; readonly replyTo?: number },
  ): Promise<Said & { readonly refusal?: 'key-reused'; readonly repeated?: true }> {
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

  async #read(address: Address, member: Member, offset: number, limit: number): Promise<Heard> {
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

async function write(log: Log, decide: Decide, key?: string): Promise<SpaceAnswer> {
  const changed = await log.change((state) => {
    const decision = decide(state.space, state)
    return { decision, events: decision.ok ? decision.events : [], seq: state.seq }
  }, key)
  if ('repeated' in changed) return { ok: true, seq: changed.repeated, repeated: true }
  const { decision, seq } = changed
  // What is refused now may have been taken before, when whoever asks again had not heard of it.
  const before = decision.ok || key === undefined ? undefined : await log.findKey(key)
  return before === undefined ? decided(decision, seq) : { ok: true, seq: before, repeated: true }
}

function decided(decision: SpaceDecision, seq: number): SpaceAnswer {
  return decision.ok ? { ok: true, seq: seq + decision.events.length } : decision
}
