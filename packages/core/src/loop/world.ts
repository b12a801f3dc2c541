/**
 * The process that logs are active in, one for all of them. A runtime is one; a session is a small one of its own, without
 * leases, other processes or other logs.
 */
import type { Frame } from '../live/frame.ts'
import type { LogEvent } from '../log/log-event.ts'
import type { Author } from '../log/message.ts'
import type { Delivery } from '../log/notice.ts'
import type { Address, Store } from '../log/store.ts'
import type { Ports } from '../ports.ts'
import type { Scope } from '../tool/context.ts'
import type { Conversation } from '../turn/turn-state.ts'
import type { Agent } from './agent.ts'
import { noReceivers } from './deliver-notices.ts'
import type { Tenure } from './driver.ts'

export interface World extends Tenure {
  readonly store: Store
  readonly ports: Ports
  /** The name under which this process owns logs. Undefined when it drives nothing in the background. */
  readonly node: string | undefined
  /** Whether a message for another agent than the conversation's own is refused. */
  readonly oneAgent: boolean
  /** Made from what the log knows of the asker. Undefined: a turn has the scope that its caller gave. */
  scope(address: Address, by: string | undefined, askedBy: readonly Author[]): Scope | undefined
  /** Shows frames of an autonomous agent in the space it is in. */
  relay(address: Address): Relay | undefined
  /** Delivers a notice to another log. */
  deliver(from: Address, delivery: Delivery): Promise<void>
  /** Reports an error that stops no caller; undefined when the caller has to be told. */
  readonly problem: ((error: unknown, address: Address) => void) | undefined
  /** Events of this process are in the log of a conversation. */
  wrote(events: readonly LogEvent[], state: Conversation, address: Address): void
  /** A process should look at the log at that time. */
  wakeAt(at: number): void
  /** The log is due, and there is nothing to do here before that time. */
  postpone(address: Address, until: number): void
  /** When a client that can carry out this tool was last connected. */
  clientSeenAt(address: Address, tool: string): Promise<number>
}

/** Shows frames to subscribers of another log. */
export interface Relay {
  watched(state: Conversation): boolean
  show(frame: Frame, state: Conversation, agent: Agent): void
}

export function sessionWorld(store: Store, ports: Ports): World {
  return {
    store,
    ports,
    node: undefined,
    oneAgent: false,
    mayWork: () => true,
    term: () => 0,
    scope: () => undefined,
    relay: () => undefined,
    deliver: noReceivers,
    problem: undefined,
    wrote: () => {},
    wakeAt: () => {},
    postpone: () => {},
    clientSeenAt: () => Promise.resolve(-Infinity),
  }
}
