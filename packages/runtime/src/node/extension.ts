/**
 * Adds logs of another machine and autonomous agents to a runtime: `@holdpoint/spaces` is an extension. Without one, a
 * runtime has only conversations.
 */
import type { Machine, MachineEffect, MachineState } from '@holdpoint/core/internal/log/machine'
import type { LogDelivery } from '@holdpoint/core/internal/log/notice'
import type { Address } from '@holdpoint/core/internal/log/store'
import type { ActiveLog } from '../log/active-log.ts'
import type { Agent } from '@holdpoint/core/internal/agent/agent'
import type { LogOptions } from '../log/log-options.ts'
import type { Relay } from '../drive/log-host.ts'

export type OtherActiveLog = ActiveLog<MachineState, MachineEffect>

export interface Extension {
  /** The agent's name in the rows of its logs. */
  readonly logAgent: string
  /** The machine of its logs. */
  readonly machine: Machine<MachineState, MachineEffect>
  /** Reads the log at this address. Throws `OtherMachine` for a conversation. */
  load(address: Address, options: LogOptions): Promise<OtherActiveLog>
  /** Delivers a notice to an agent's inbox or to one of its logs. */
  deliver(from: Address, delivery: LogDelivery): Promise<void>
  /** Whether the person is a member of the space at this address. */
  isMember(space: Address, person: string): Promise<boolean>
  /** Shows the frames of an autonomous agent to subscribers of another log. */
  relay(address: Address): Relay | undefined
  /** The agent with which its own log is driven: the same agent, with built-in tools. */
  autonomous(agent: Agent, tenant: string): Agent
}
