/** Living agents as a runtime offers them: what they are up to, and what wakes them. Everything here is for one tenant. */
import { HoldpointError } from '../failure.ts'
import { toJson, type Json } from '../json.ts'
import { agentLogId } from '../log/agent-log.ts'
import { EMPTY_MIND, type Mind, type Note } from '../life/self-tools.ts'
import type { Author, Inbound, InboxItem } from '../log/message.ts'
import type { Address, ConversationStatus } from '../log/store.ts'
import type { Plan } from '../plan/plan.ts'
import { planAccess } from '../plan/plan-access.ts'
import type { PlanMade, PlanRequest } from '../plan/plan-request.ts'
import type { EventBody } from '../log/log-event.ts'
import { foldLoaded, hasWork } from '../log/machine.ts'
import { conversationMachine } from '../turn/conversation-machine.ts'
import { emptyConversation, type Conversation } from '../turn/turn-state.ts'
import { checkAgentName, checkBy, checkId, checkOptions } from './check-request.ts'
import type { Engine } from './engine.ts'
import type { SpaceWriter } from './space-writer.ts'
import { MIND } from './autonomous-agent.ts'

export interface Trigger {
  /** Tells it from every other one, so that it is handled once. Default: a new id. */
  readonly id?: string
  /** What happened, in a word: `invoice.paid`. */
  readonly name: string
  readonly data?: Json
  readonly by?: string
}

export interface AutonomousAgentView {
  /** Its life as a conversation, to be viewed and followed like any other. */
  readonly conversationId: string
  /** `asleep` until something is in its inbox. */
  readonly status: 'asleep' | Exclude<ConversationStatus, 'idle'>
  /** What waits for the next cycle. */
  readonly inbox: readonly Inbound[]
  /** The space it is in at the moment. */
  readonly space?: string
  readonly goals: readonly Note[]
  readonly memories: readonly Note[]
  readonly plans: readonly Plan[]
}

export class AutonomousAgents {
  readonly #engine: Engine
  readonly #writer: SpaceWriter
  readonly #tenant: string

  constructor(engine: Engine, writer: SpaceWriter, tenant: string) {
    this.#engine = engine
    this.#writer = writer
    this.#tenant = tenant
  }

  /** Wakes the agent. Once this resolves it is durable; `repeated` when it was told before. */
  async trigger(agent: string, trigger: Trigger): Promise<{ readonly id: string; readonly repeated?: true }> {
    checkOptions(trigger, { id: 1, name: 1, data: 1, by: 1 })
    const id = checkId('The id of a trigger', trigger.id ?? this.#engine.ports.id())
    const name = checkId('The name of a trigger', trigger.name)
    const by = checkBy(trigger.by)
    const data = toJson(trigger.data ?? null)
    if (!data.ok) throw new HoldpointError('config-invalid', `"data" is not JSON: ${data.why}.`)
    const item: InboxItem = {
      kind: 'event',
      id: `trigger:${id}`,
      at: this.#engine.ports.now(),
      event: { type: 'trigger', name, data: data.value, ...(by !== undefined && { by }) },
    }
    const fresh = await this.#writer.toInbox(this.#tenant, checkAgentName(agent), item)
    return fresh ? { id } : { id, repeated: true }
  }

  async view(agent: string): Promise<AutonomousAgentView> {
    const address = this.#address(agent)
    const loaded = await this.#engine.store.load(address)
    const state = loaded ? foldLoaded(conversationMachine, loaded) : emptyConversation
    const mind = (state.plugins[MIND] as unknown as Mind | undefined) ?? EMPTY_MIND
    return {
      conversationId: address.id,
      status: statusOf(state),
      inbox: state.queue.map(({ item }) => item),
      ...(state.place !== undefined && { space: state.place }),
      goals: mind.goals,
      memories: mind.memories,
      plans: [...state.plans.values()].toSorted((a, b) => a.nextAt - b.nextAt),
    }
  }

  /** Makes a plan for the agent, or changes the one with that id. `by` is its author when it fires. */
  async setPlan(agent: string, request: PlanRequest, options: { readonly by?: string } = {}): Promise<PlanMade> {
    const by = checkBy(checkOptions(options, { by: 1 }).by)
    const author: Author = { via: 'plan', ...(by !== undefined && { by }) }
    return this.#change(agent, (state, write) =>
      planAccess(state.plans, this.#engine.ports, write, [author]).set(request),
    )
  }

  /** Whether there was one. */
  async removePlan(agent: string, id: string): Promise<boolean> {
    return this.#change(agent, (state, write) => planAccess(state.plans, this.#engine.ports, write).remove(id))
  }

  async #change<T>(agent: string, change: (state: Conversation, write: (event: EventBody) => void) => T): Promise<T> {
    const address = this.#address(agent)
    return this.#engine.use(address, agent, async ({ log }) => {
      const { told } = await log.change((state) => {
        const events: EventBody[] = []
        const result = change(state, (event) => events.push(event))
        const opened: EventBody = { type: 'conversation.opened', agent }
        return { told: result, events: state.seq === 0 && events.length > 0 ? [opened, ...events] : events }
      })
      return told
    })
  }

  #address(agent: string): Address {
    return { tenant: this.#tenant, id: agentLogId(checkAgentName(agent)) }
  }
}

function statusOf(state: Conversation): AutonomousAgentView['status'] {
  if (hasWork(conversationMachine, state)) return 'running'
  return state.turn.phase === 'calls' ? 'held' : 'asleep'
}
