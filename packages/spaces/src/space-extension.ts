/** Spaces and autonomous agents in a runtime: see `Extension`. */
import { agentOfLog } from '@holdpoint/core/internal/log/agent-log'
import type { LogDelivery } from '@holdpoint/core/internal/log/notice'
import { SPACE } from '@holdpoint/core/internal/log/space-event'
import type { Address } from '@holdpoint/core/internal/log/store'
import type { Agent } from '@holdpoint/core/internal/agent/agent'
import type { LogOptions } from '@holdpoint/runtime/internal/log/log-options'
import type { Relay } from '@holdpoint/runtime/internal/drive/log-host'
import { ActiveSpace, spaceLog } from './space/active-space.ts'
import { AgentRelay } from './agent/agent-relay.ts'
import { autonomousAgent } from './agent/autonomous-agent.ts'
import type { Engine } from '@holdpoint/runtime/internal/node/engine'
import type { Extension } from '@holdpoint/runtime/internal/node/extension'
import { spaceMachine } from './space/space-machine.ts'
import { SpaceWriter } from './space/space-writer.ts'

export class SpaceExtension implements Extension {
  readonly logAgent: string = SPACE
  readonly machine: Extension['machine'] = spaceMachine
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

  deliver(from: Address, delivery: LogDelivery): Promise<void> {
    return this.writer.deliver(from, delivery)
  }

  isMember(space: Address, person: string): Promise<boolean> {
    return this.writer.isMember(space, { kind: 'human', id: person })
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
