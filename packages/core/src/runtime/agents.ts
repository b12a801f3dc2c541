/** The agents of a runtime: those it was opened with, and those it asks for whenever one of their conversations is used. */
import { HoldpointError } from '../failure.ts'
import { isObject, show } from '../json.ts'
import type { Address } from '../log/store.ts'
import type { Agent } from '../loop/agent.ts'
import type { Ports } from '../ports.ts'
import type { RuntimeOptions } from './runtime-options.ts'

/** Nobody can go on with the conversation here, until the agent is there. */
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

  constructor({ agents = [], agentFor }: Pick<RuntimeOptions, 'agents' | 'agentFor'>, ports: Ports) {
    this.#ports = ports
    this.#ask = agentFor
    const here = new Map<string, Agent>()
    for (const agent of agents) {
      if (here.has(agent.name)) throw invalid(`There are two agents named "${agent.name}". Rename one.`)
      here.set(agent.name, this.#withClock(agent))
    }
    this.#here = here
  }

  /** Whose conversations can be driven here; undefined when nobody knows before asking. */
  get names(): readonly string[] | undefined {
    return this.#ask ? undefined : [...this.#here.keys()]
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
    const names = [...this.#here.keys()]
    const only = names.length === 1 && !this.#ask ? names[0] : undefined
    const name = known === '' ? (wanted ?? only) : known
    if (name === undefined) throw invalid(`Say which agent conversation "${id}" is for${this.#choice(names)}.`)
    if (typeof name !== 'string' || name === '') throw invalid(`The name of an agent is text, not ${show(name)}.`)
    const agent = await this.find(tenant, name)
    if (agent) return agent
    const where = tenant === '' ? '' : ` of tenant "${tenant}"`
    const advice = this.#ask
      ? `agentFor knows no such agent${where}. Define it, and the conversation goes on`
      : `there are ${names.join(', ')}. Open the runtime with it, or ask one that has it`
    throw new AgentMissing(name, `Conversation "${id}" is for agent "${name}", which is not here: ${advice}.`)
  }

  #choice(names: readonly string[]): string {
    if (!this.#ask) return `: ${names.join(', ')}`
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
