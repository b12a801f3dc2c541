/** Everything one piece of driving works with: the agent, the log, on whose behalf, and where frames go. */
import { copyJson, toJson, type Json } from '../json.ts'
import type { Frame } from '../live/frame.ts'
import type { Resumption, ToolContext, Scope } from '../tool/context.ts'
import type { Tool } from '../tool/tool.ts'
import { planAccess, type PlanAccess } from '../plan/plan-access.ts'
import { StateWrites } from '../plugin/state.ts'
import type { Telling } from '../turn/notices.ts'
import type { Call } from '../turn/turn-state.ts'
import type { TurnPlan } from '../turn/decide.ts'
import type { Briefs } from '../hooks/before-message.ts'
import { toolboxOf, type Agent } from './agent.ts'
import type { LogView } from './log-view.ts'
import type { OutputRule } from './output.ts'
import type { Stop } from './stop.ts'

export interface World {
  readonly agent: Agent
  readonly log: LogView
  readonly scope: Scope
  /** Who asked, as far as the log knows, wherever that counts; otherwise what was given. */
  scopeFor(by: string | undefined, given: Scope): Scope
  readonly requestId: string | undefined
  readonly output: OutputRule | undefined
  /** What hooks made of what the turn is about. */
  readonly briefs: Briefs
  readonly maxSteps: number
  /** False while another process may have taken the conversation over: nothing new is begun until that is known. */
  mayWork(): boolean
  /** Another one whenever that was so for a while: what was to be begun before may be somebody else's by now. */
  term(): number
  /** Does something after the turn, in nobody's way. Under a name, once at a time. */
  later(name: string, work: (signal: AbortSignal) => Promise<unknown>): void
  /** Tells another log something. It may be told again, and is heard once. */
  tell(telling: Telling): Promise<void>
  /** Something went wrong that stops nobody. */
  problem(error: unknown): void
  /** Whether anybody sees frames: making them costs something for every piece of text. */
  watched(): boolean
  emit(frame: Frame): void
}

export function planTurn({ agent, output, maxSteps }: World): TurnPlan {
  const { maxTokens } = agent
  const limits = maxTokens === undefined ? { maxSteps } : { maxSteps, maxTokens }
  const plan = { turnId: agent.ports.id(), agent: agent.name, limits }
  return output ? { ...plan, output: output.plan } : plan
}

export interface Prepared {
  readonly tools: ReadonlyMap<string, Tool>
  /** From the vendors' form of a tool's name to ours. */
  readonly names: ReadonlyMap<string, string>
  readonly context: readonly string[]
  readonly inject: readonly string[]
  /** What the plugins wrote to their state while they prepared. */
  readonly writes: StateWrites
}

/** Asks every plugin what the model shall see in this step. Tools made from data exist only after this. */
export function prepare(world: World): Prepared | Promise<Prepared> {
  const { agent, log } = world
  const writes = new StateWrites(() => log.state.plugins)
  return agent.plugins.length > 0 ? askPlugins(world, writes) : { ...agent.toolbox, context: [], inject: [], writes }
}

async function askPlugins(world: World, writes: StateWrites): Promise<Prepared> {
  const { agent, log, scope } = world
  const configs = await agent.ready()
  const context: string[] = []
  const inject: string[] = []
  const tools = [...agent.tools]
  const { turn, queue, plans } = log.state
  const conversation = {
    ...log.address,
    turnId: turnIdOf(world),
    step: turn.phase === 'rest' ? 0 : turn.step,
    queue,
    plans: [...plans.values()],
  }
  for (const plugin of agent.plugins) {
    await plugin.prepare({
      config: configs.get(plugin.id),
      services: agent.services,
      conversation,
      scope,
      state: writes,
      tools,
      context,
      inject,
    })
  }
  return { ...toolboxOf(`Agent "${agent.name}"`, tools), context, inject, writes }
}

/** What most handlers never look at is made for those that do. */
export function toolContext(world: World, call: Call, input: unknown, writes: StateWrites, stop: Stop): ToolContext {
  const { agent, log, scope, requestId } = world
  const context = {
    input,
    call: {
      id: call.callId,
      name: call.name,
      args: copyJson(call.proposed),
      attempt: call.attempt,
      ...(call.approved && { fingerprint: call.approved.fingerprint }),
    },
    resumed: call.resumed && resumedWith(call.resumed),
    conversation: { ...log.address, turnId: turnIdOf(world) },
    scope,
    services: agent.services,
    state: writes,
    agent,
    requestId,
    progress: (value: Json) => {
      const json = toJson(value)
      if (json.ok && !stop.aborted) world.emit({ type: 'call-progress', callId: call.callId, value: json.value })
    },
  }
  const behind: Behind = { world, writes, stop, plans: undefined }
  Object.defineProperty(context, BEHIND, { value: behind })
  Object.defineProperty(context, 'plans', WHEN_ASKED.plans)
  Object.defineProperty(context, 'signal', WHEN_ASKED.signal)
  return context as typeof context & Pick<ToolContext, 'plans' | 'signal'>
}

/** What is made when a handler asks for it is made of this. Nobody sees it who looks at a context, or copies one. */
const BEHIND = Symbol('behind')

interface Behind {
  readonly world: World
  readonly writes: StateWrites
  readonly stop: Stop
  plans: PlanAccess | undefined
}

/**
 * The same two functions for every context, and its own properties: whoever copies it gets what they give. V8 keeps what a
 * getter of a single object can see, here the conversation with all it has in memory, until old garbage is collected.
 */
const WHEN_ASKED = {
  plans: {
    enumerable: true,
    get(this: { readonly [BEHIND]: Behind }): PlanAccess {
      const { world, writes } = this[BEHIND]
      return (this[BEHIND].plans ??= planAccess(world.log.state.plans, world.agent.ports, (event) =>
        writes.also(event),
      ))
    },
  },
  signal: {
    enumerable: true,
    get(this: { readonly [BEHIND]: Behind }): AbortSignal {
      return this[BEHIND].stop.signal
    },
  },
}

/** Copies: no code of the tool can reach into the log. */
function resumedWith({ state, answer, by }: Resumption): Resumption {
  return { state: state && copyJson(state), answer: answer && copyJson(answer), by }
}

function turnIdOf({ log }: World): string {
  return log.state.turn.phase === 'rest' ? '' : log.state.turn.turnId
}
