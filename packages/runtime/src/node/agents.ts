/** The agents of a runtime: those that it was opened with (`agents`), and those that `agentFor` returns. */
import { HoldpointError } from '@holdpoint/core/internal/failure'
import { isObject, describeValue } from '@holdpoint/core/internal/json'
import type { Address } from '@holdpoint/core/internal/log/store'
import { agentOfLog } from '@holdpoint/core/internal/log/agent-log'
import type { Agent } from '@holdpoint/core/internal/agent/agent'
import type { Ports } from '@holdpoint/core/internal/ports'
import { checkNotSpace } from '../runtime/check-request.ts'
import type { Extension } from './extension.ts'
import type { RuntimeOptions } from '../runtime/runtime-options.ts'

/** The conversation cannot continue in this process until the agent is defined. */
export class AgentMissing extends HoldpointError {
  readonly agent: string

  constructor(agent: string, message: string) {
    super('agent-missing', message)
    this.agent = agent
  }
}

export class Agents {
  readonly #here: ReadonlyMap<string, Agent>
  readonly #ask: RuntimeOptions['agentFor']
  readonly #ports: Ports
  /** Each agent with the runtime's clock. One object per agent, so that a changed definition is recognised. */
  readonly #withStoreClock = new WeakMap<Agent, Agent>()

  readonly #extension: Extension | undefined
  /** The autonomous form of an agent, by tenant. */
  readonly #autonomous = new WeakMap<Agent, Map<string, WeakRef<Agent>>>()

  constructor(
    { agents = [], agentFor }: Pick<RuntimeOptions, 'agents' | 'agentFor'>,
    ports: Ports,
    extension: Extension | undefined,
  ) {
    this.#extension = extension
    this.#ports = ports
    this.#ask = agentFor
    const here = new Map<string, Agent>()
    for (const agent of agents) {
      checkNotSpace(agent.name)
      if (here.has(agent.name)) throw invalid(`There are two agents named "${agent.name}". Rename one.`)
      here.set(agent.name, this.#withClock(agent))
    }
    this.#here = here
  }

  /** The agents whose conversations can be driven here; undefined when `agentFor` decides. */
  get names(): readonly string[] | undefined {
    const others = this.#extension ? [this.#extension.logAgent] : []
    return this.#ask ? undefined : [...this.#here.keys(), ...others]
  }

  /** Whether the definition of this agent may change while the runtime is open. */
  mayChange(name: string): boolean {
    return this.#ask !== undefined && !this.#here.has(name)
  }

  async find(tenant: string, name: string): Promise<Agent | undefined> {
    const here = this.#here.get(name)
    if (here || !this.#ask) return here
    const found: unknown = (await this.#ask(tenant, name)) ?? undefined
    if (found === undefined) return undefined
    if (!isAgent(found))
      throw invalid(`agentFor was asked for agent "${name}" and returned ${kind(found)}, not an agent made by agent().`)
    if (found.name !== name) throw invalid(`agentFor was asked for agent "${name}" and returned "${found.name}".`)
    return this.#withClock(found)
  }

  /** The agent of a conversation: the one it began with (`known`), or for a new conversation the one that the caller wants. */
  async of({ tenant, id }: Address, known: string, wanted: string | undefined): Promise<Agent> {
    const names = [...this.#here.values()].filter(({ sender }) => sender === undefined).map((each) => each.name)
    // The default for a new conversation. Agents of `agentFor` have to be named.
    const only = names.length === 1 ? names[0] : undefined
    const name = known === '' ? (wanted ?? agentOfLog(id) ?? only) : known
    const autonomous = agentOfLog(id)
    if (autonomous !== undefined && (name ?? autonomous) !== autonomous)
      throw invalid(`Conversation "${id}" is the log of autonomous agent "${autonomous}", and cannot be for "${name}".`)
    if (name === undefined) throw invalid(`Say which agent conversation "${id}" is for${this.#choice(names)}.`)
    if (typeof name !== 'string' || name === '')
      throw invalid(`The name of an agent must be a string, not ${describeValue(name)}.`)
    const agent = await this.find(tenant, name)
    if (agent && autonomous !== undefined && agent.sender !== undefined)
      throw new AgentMissing(name, `Agent "${name}" cannot be autonomous: only the code that made it may send to it.`)
    if (agent) return autonomous === undefined ? agent : this.#autonomousOf(agent, tenant)
    const where = tenant === '' ? '' : ` of tenant "${tenant}"`
    const advice = this.#ask
      ? `agentFor returns no such agent${where}. Define it, and the conversation continues`
      : `this process has ${names.join(', ')}. Open the runtime with it, or ask a process that has it`
    throw new AgentMissing(name, `Conversation "${id}" is for agent "${name}", which is missing: ${advice}.`)
  }

  #autonomousOf(agent: Agent, tenant: string): Agent {
    const known = this.#autonomous.get(agent) ?? new Map<string, WeakRef<Agent>>()
    const before = known.get(tenant)?.deref()
    if (before) return before
    const made = this.#extension?.autonomous(agent, tenant) ?? agent
    // A weak reference: most agents are asleep, and their tools need memory.
    this.#autonomous.set(agent, known.set(tenant, new WeakRef(made)))
    return made
  }

  /** Whether a conversation that is loaded now would have this agent. */
  async isCurrent(address: Address, agent: Agent): Promise<boolean> {
    const found = await this.find(address.tenant, agent.name)
    return found !== undefined && (await this.of(address, agent.name, undefined)) === agent
  }

  #choice(names: readonly string[]): string {
    if (!this.#ask) return names.length > 0 ? `: ${names.join(', ')}` : ', with { agent }'
    return names.length > 0 ? `: ${names.join(', ')}, or one that agentFor returns` : ', with { agent }'
  }

  #withClock(agent: Agent): Agent {
    const known = this.#withStoreClock.get(agent)
    if (known) return known
    const { compileJsonSchema } = agent.ports
    const made = { ...agent, ports: compileJsonSchema ? { ...this.#ports, compileJsonSchema } : this.#ports }
    this.#withStoreClock.set(agent, made)
    return made
  }
}

export function isAgent(value: unknown): value is Agent {
  return isObject(value) && typeof value['name'] === 'string' && isObject(value['toolbox']) && isObject(value['ports'])
}

/** Only the type: the value may hold secrets. */
function kind(value: unknown): string {
  return typeof value === 'object' ? 'another object' : `a ${typeof value}`
}

function invalid(message: string): HoldpointError {
  return new HoldpointError('config-invalid', message)
}
