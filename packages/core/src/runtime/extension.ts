/**
 * What a runtime keeps beside conversations: logs of another machine, and agents that act by themselves. `@holdpoint/spaces`
 * is one. Without an extension, a runtime has conversations alone.
 */
import type { MachineEffect, MachineState } from '../log/machine.ts'
import type { Delivery } from '../log/notice.ts'
import type { Address } from '../log/store.ts'
import type { ActiveLog } from '../loop/active-log.ts'
import type { Agent } from '../loop/agent.ts'
import type { LogOptions } from '../loop/log-options.ts'
import type { Relay } from '../loop/world.ts'

export type OtherActiveLog = ActiveLog<MachineState, MachineEffect>

export interface Extension {
  /** What the rows of its logs have in place of an agent's name. */
  readonly logAgent: string
  /** Reads the log at this address. Throws `OtherMachine` for a conversation. */
  load(address: Address, options: LogOptions): Promise<OtherActiveLog>
  /** Delivers a notice to an agent's inbox or to one of its logs. */
  deliver(from: Address, delivery: Delivery): Promise<void>
  /** Shows the frames of an autonomous agent to subscribers of another log. */
  relay(address: Address): Relay | undefined
  /** The agent with which its own log is driven: the same agent, with built-in tools. */
  autonomous(agent: Agent, tenant: string): Agent
}
