/** The agents of a runtime: those it was opened with, and those it asks for whenever one of their conversations is used. */
import { HoldpointError } from '../failure.ts'
import { isObject, show } from '../json.ts'
import type { Address } from '../log/store.ts'
import { agentOfLog } from '../log/agent-log.ts'
import type { Agent } from '../loop/agent.ts'
import type { Ports } from '../ports.ts'
import { checkNotSpace } from './check-request.ts'
import type { Extension } from './extension.ts'
import type { RuntimeOptions } from './runtime-options.ts'

/** The conversation cannot go on in this process until the agent is defined. */
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
  /** Each with this runtime's clock, which is the store's. The same one for the same one, so that a change can be told. */
  readonly #clocked = new WeakMap<Agent, Agent>()

  readonly #extension: Extension | undefined
  /** Each as it lives, for each tenant. */
  readonly #living = new WeakMap<Agent, Map<string, WeakRef<Agent>>>()

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

  /** Whether the agent of this name may be another one the next time. */
  mayChange(name: string): boolean {
    return this.#ask !== undefined && !this.#here.has(name)
  }

  async find(tenant: string, name: string): Promise<Agent | undefined> {
    const here = this.#here.get(name)
    if (here || !this.#ask) return here
    const found: unknown = (await this.#ask(tenant, name)) ?? undefined
    if (found === undefined) return undefined
    if (!isAgent(found))
      throw invalid(
        `agentFor was asked for agent "${name}" and gave no agent, as agent() makes them, but ${kind(found)}.`,
      )
    if (found.name !== name) throw invalid(`agentFor was asked for agent "${name}" and gave "${found.name}".`)
    return this.#withClock(found)
  }

  /** The one it began with, or for a conversation that does not exist yet, the one that is wanted. */
  async of({ tenant, id }: Address, known: string, wanted: string | undefined): Promise<Agent> {
    const names = [...this.#here.values()].filter(({ sender }) => sender === undefined).map((each) => each.name)
    // `agentFor` may know others, which are named by who wants one of them.
    const only = names.length === 1 ? names[0] : undefined
    const name = known === '' ? (wanted ?? agentOfLog(id) ?? only) : known
    const whose = agentOfLog(id)
    if (whose !== undefined && (name ?? whose) !== whose)
      throw invalid(`Conversation "${id}" is the life of agent "${whose}", and cannot be for "${name}".`)
    if (name === undefined) throw invalid(`Say which agent conversation "${id}" is for${this.#choice(names)}.`)
    if (typeof name !== 'string' || name === '') throw invalid(`The name of an agent is text, not ${show(name)}.`)
    const agent = await this.find(tenant, name)
    if (agent && whose !== undefined && agent.sender !== undefined)
      throw new AgentMissing(name, `Agent "${name}" has no life: only the code that made it may send to it.`)
    if (agent) return whose === undefined ? agent : this.#alive(agent, tenant)
    const where = tenant === '' ? '' : ` of tenant "${tenant}"`
    const advice = this.#ask
      ? `agentFor knows no such agent${where}. Define it, and the conversation goes on`
      : `there are ${names.join(', ')}. Open the runtime with it, or ask one that has it`
    throw new AgentMissing(name, `Conversation "${id}" is for agent "${name}", which is not here: ${advice}.`)
  }

  /** The same one for the same one, as with the clock. */
  #alive(agent: Agent, tenant: string): Agent {
    const known = this.#living.get(agent) ?? new Map<string, WeakRef<Agent>>()
    const alive = known.get(tenant)?.deref()
    if (alive) return alive
    const living = this.#extension?.autonomous(agent, tenant) ?? agent
    // Only while it is awake: many more agents sleep than work, and what they work with takes room.
    this.#living.set(agent, known.set(tenant, new WeakRef(living)))
    return living
  }

  /** Whether it is the one that a conversation would be used with now. */
  async isCurrent(address: Address, agent: Agent): Promise<boolean> {
    const found = await this.find(address.tenant, agent.name)
    return found !== undefined && (await this.of(address, agent.name, undefined)) === agent
  }

  #choice(names: readonly string[]): string {
    if (!this.#ask) return names.length > 0 ? `: ${names.join(', ')}` : ', with { agent }'
    return names.length > 0 ? `: ${names.join(', ')}, or one that agentFor knows` : ', with { agent }'
  }

  #withClock(agent: Agent): Agent {
    const known = this.#clocked.get(agent)
    if (known) return known
    const { compileJsonSchema } = agent.ports
    const made = { ...agent, ports: compileJsonSchema ? { ...this.#ports, compileJsonSchema } : this.#ports }
    this.#clocked.set(agent, made)
    return made
  }
}

export function isAgent(value: unknown): value is Agent {
  return isObject(value) && typeof value['name'] === 'string' && isObject(value['toolbox']) && isObject(value['ports'])
}

/** It may hold what belongs in no message. */
function kind(value: unknown): string {
  return typeof value === 'object' ? 'another object' : `a ${typeof value}`
}

function invalid(message: string): HoldpointError {
  return new HoldpointError('config-invalid', message)
}
