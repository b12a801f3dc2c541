/** Spaces and autonomous agents in a runtime: see `Extension`. */
import { agentOfLog } from '../log/agent-log.ts'
import type { Delivery } from '../log/notice.ts'
import { SPACE } from '../log/space-event.ts'
import type { Address } from '../log/store.ts'
import type { Agent } from '../loop/agent.ts'
import type { LogOptions } from '../loop/log-options.ts'
import type { Relay } from '../loop/world.ts'
import { ActiveSpace, spaceLog } from './active-space.ts'
import { AgentRelay } from './agent-relay.ts'
import { autonomousAgent } from './autonomous-agent.ts'
import type { Engine } from './engine.ts'
import type { Extension } from './extension.ts'
import { SpaceWriter } from './space-writer.ts'

export class SpaceExtension implements Extension {
  readonly logAgent: string = SPACE
  readonly writer: SpaceWriter
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
    this.writer = new SpaceWriter(engine)
  }

  async load(address: Address, options: LogOptions): Promise<ActiveSpace> {
    const log = spaceLog(address, this.#engine.store, this.#engine.ports, options)
    await log.refresh()
    return new ActiveSpace(log, this.#engine)
  }

  deliver(from: Address, delivery: Delivery): Promise<void> {
    return this.writer.deliver(from, delivery)
  }

  relay({ tenant, id }: Address): Relay | undefined {
    const agent = agentOfLog(id)
    if (agent === undefined) return undefined
    return new AgentRelay(tenant, agent, this.#engine.subscribers, (space) =>
      this.writer.access(tenant, agent).isMember(space),
    )
  }

  autonomous(agent: Agent, tenant: string): Agent {
    return autonomousAgent(agent, this.writer.access(tenant, agent.name))
  }
}
