/** The autonomous agents of one tenant: their state, and the triggers and plans that wake them. */
import { HoldpointError } from '@holdpoint/core/internal/failure'
import { toJson, type Json } from '@holdpoint/core/internal/json'
import { agentLogId } from '@holdpoint/core/internal/log/agent-log'
import { EMPTY_MIND, type Mind, type Note } from './self-tools.ts'
import { carriedRequesters, type Author, type Inbound, type InboxItem } from '@holdpoint/core/internal/log/message'
import type { Address, ConversationStatus } from '@holdpoint/core/internal/log/store'
import type { Plan } from '@holdpoint/core/internal/plan/plan'
import { planAccess } from '@holdpoint/core/internal/plan/plan-access'
import type { PlanMade, PlanRequest } from '@holdpoint/core/internal/plan/plan-request'
import type { EventBody } from '@holdpoint/core/internal/log/log-event'
import { foldLoaded, hasWork } from '@holdpoint/core/internal/log/machine'
import { conversationMachine } from '@holdpoint/core/internal/turn/conversation-machine'
import { emptyConversation, type Conversation } from '@holdpoint/core/internal/turn/turn-state'
import type { Erasure } from '@holdpoint/core/internal/turn/erased'
import { principalOf } from '@holdpoint/core/internal/principal'
import { checkAuthors } from '@holdpoint/runtime/internal/conversation/check-authors'
import { checkPrincipal } from '@holdpoint/runtime/internal/conversation/check-principal'
import { checkAgentName, checkId, checkRequestOptions } from '@holdpoint/runtime/internal/runtime/check-request'
import type { Engine } from '@holdpoint/runtime/internal/node/engine'
import { erase, eraseRequest } from '@holdpoint/runtime/internal/runtime/erase'
import type { EraseOptions } from '@holdpoint/runtime/internal/runtime/runtime-options'
import type { CancelResult } from '@holdpoint/runtime/internal/conversation/active-conversation'
import type { SpaceWriter } from '../space/space-writer.ts'
import { MIND } from './autonomous-agent.ts'

export interface Trigger {
  /** Makes the trigger unique: one that is sent twice is handled once. Default: a new id. */
  readonly id?: string
  /** The name of what happened: `invoice.paid`. */
  readonly name: string
  readonly data?: Json
  readonly by?: string
  /** In a tool's handler: the `askedBy` of its context. Then the people who asked for the call are requesters of what follows. */
  readonly askedBy?: readonly Author[]
}

export interface SetPlanOptions {
  /** The author of the cycle that the plan starts. */
  readonly by?: string
  /** In a tool's handler: the `askedBy` of its context. */
  readonly askedBy?: readonly Author[]
}

export type TriggerResult =
  /** `repeated`: it was sent before. */
  | { readonly ok: true; readonly id: string; readonly repeated?: true }
  /** The agent was erased: it wakes no more. */
  | { readonly ok: false; readonly refusal: 'erased'; readonly message: string }

export interface AutonomousAgentView {
  /** The id of its log, which can be viewed and followed like any conversation. */
  readonly conversationId: string
  /** `asleep` until something is in its inbox. */
  readonly status: 'asleep' | Exclude<ConversationStatus, 'idle'>
  /** The items for the next cycle. */
  readonly inbox: readonly Inbound[]
  /** The space it is in at the moment. */
  readonly space?: string
  readonly goals: readonly Note[]
  readonly memories: readonly Note[]
  readonly plans: readonly Plan[]
  /** Set once the agent was erased. Then nothing else is left of it. */
  readonly erased?: Erasure
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

  /** Wakes the agent. Once this resolves, the trigger is durable. */
  async trigger(agent: string, trigger: Trigger): Promise<TriggerResult> {
    checkRequestOptions(trigger, { id: 1, name: 1, data: 1, by: 1, askedBy: 1 })
    const id = checkId('The id of a trigger', trigger.id ?? this.#engine.ports.id())
    const name = checkId('The name of a trigger', trigger.name)
    const by = principalOf(checkPrincipal(trigger.by))?.id
    const data = toJson(trigger.data ?? null)
    if (!data.ok) throw new HoldpointError('config-invalid', `"data" is not JSON: ${data.why}.`)
    const item: InboxItem = {
      kind: 'event',
      id: `trigger:${id}`,
      at: this.#engine.ports.now(),
      event: {
        type: 'trigger',
        name,
        data: data.value,
        ...(by !== undefined && { by }),
        ...carriedRequesters(checkAuthors(trigger.askedBy)),
      },
    }
    await this.#engine.quotas.admitMessage(this.#address(agent))
    switch (await this.#writer.toInbox(this.#tenant, checkAgentName(agent), item)) {
      case 'added':
        return { ok: true, id }
      case 'repeated':
        return { ok: true, id, repeated: true }
      case 'erased':
        return { ok: false, refusal: 'erased', message: wasErased(agent) }
    }
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
      ...(state.space !== undefined && { space: state.space }),
      goals: mind.goals,
      memories: mind.memories,
      plans: [...state.plans.values()].toSorted((a, b) => a.nextAt - b.nextAt),
      ...(state.erased && { erased: state.erased }),
    }
  }

  /** Makes a plan for the agent, or replaces the one with the same id. */
  async setPlan(agent: string, request: PlanRequest, options: SetPlanOptions = {}): Promise<PlanMade> {
    const { by: given, askedBy } = checkRequestOptions(options, { by: 1, askedBy: 1 })
    const by = principalOf(checkPrincipal(given))?.id
    const author: Author = {
      via: 'plan',
      ...(by !== undefined && { by }),
      ...carriedRequesters(checkAuthors(askedBy)),
    }
    const { quotas, ports } = this.#engine
    await quotas.countPlans(this.#tenant)
    const admitted = {
      ...ports,
      admitPlan: () => {
        quotas.admitPlan(this.#tenant)
        return undefined
      },
    }
    return this.#change(agent, (state, write) =>
      state.erased
        ? { ok: false, why: wasErased(agent) }
        : planAccess(state.plans, admitted, write, [author]).set(request),
    )
  }

  /** Whether there was one. */
  async removePlan(agent: string, id: string): Promise<boolean> {
    return this.#change(agent, (state, write) => planAccess(state.plans, this.#engine.ports, write).remove(id))
  }

  /**
   * Erases the agent's log: its messages, calls, holds, goals, memories and plans. A tombstone remains, and the agent wakes no
   * more. What it said in spaces stays there. Refused while it works, a call is held or a plan waits, unless `cancel` is set.
   */
  async erase(agent: string, options: EraseOptions = {}): Promise<CancelResult> {
    return erase(this.#engine, this.#address(agent), eraseRequest(options))
  }

  async #change<T>(agent: string, change: (state: Conversation, write: (event: EventBody) => void) => T): Promise<T> {
    const address = this.#address(agent)
    return this.#engine.use(address, agent, async ({ log }) => {
      const { result } = await log.change((state) => {
        const events: EventBody[] = []
        const changed = change(state, (event) => events.push(event))
        const opened: EventBody = { type: 'conversation.opened', agent }
        return { result: changed, events: state.seq === 0 && events.length > 0 ? [opened, ...events] : events }
      })
      return result
    })
  }

  #address(agent: string): Address {
    return { tenant: this.#tenant, id: agentLogId(checkAgentName(agent)) }
  }
}

function wasErased(agent: string): string {
  return `Agent "${agent}" was erased. Give the agent another name.`
}

function statusOf(state: Conversation): AutonomousAgentView['status'] {
  if (hasWork(conversationMachine, state)) return 'running'
  return state.turn.phase === 'calls' ? 'held' : 'asleep'
}
