/**
 * What the process provides to the logs that are active in it. A runtime has one host for all its logs. Each session has its
 * own, without leases, other processes or other logs.
 */
import type { Frame } from '@holdpoint/core/internal/live/frame'
import type { LogEvent } from '@holdpoint/core/internal/log/log-event'
import type { Author } from '@holdpoint/core/internal/log/message'
import type { Delivery } from '@holdpoint/core/internal/log/notice'
import type { Address, Store } from '@holdpoint/core/internal/log/store'
import type { Ports } from '@holdpoint/core/internal/ports'
import type { Scope } from '@holdpoint/core/internal/tool/context'
import type { Conversation } from '@holdpoint/core/internal/turn/turn-state'
import type { Agent } from '@holdpoint/core/internal/agent/agent'
import type { Files } from '../files/files.ts'
import type { RuleStore } from '../rules/rule-store.ts'
import { noReceivers } from './deliver-notices.ts'
import type { Tenure } from './driver.ts'
import type { ObservedRun } from './observer.ts'

export interface LogHost extends Tenure {
  readonly store: Store
  readonly ports: Ports
  /** The name under which this process owns logs. Undefined when it drives nothing in the background. */
  readonly node: string | undefined
  /** Whether a conversation refuses messages for another agent than its own. */
  readonly oneAgent: boolean
  /** The scope of a turn, made from its author. Undefined: the turn has the scope that its caller gave. */
  scope(address: Address, by: string | undefined, askedBy: readonly Author[]): Scope | undefined
  /** Whether the person is a member of this space. */
  isMember(space: Address, person: string): Promise<boolean>
  /** Shows the frames of an autonomous agent in the space that it is in. */
  relay(address: Address): Relay | undefined
  /** Turns that begin here have news for channels and webhooks. */
  readonly tellsNews: boolean
  /** Delivers a notice to another log, or to the store's outbox. */
  deliver(from: Address, delivery: Delivery): Promise<void>
  /** Reports an error that stops no caller. Undefined when errors go to the caller. */
  readonly problem: ((error: unknown, address: Address) => void) | undefined
  /** Called with the events of each append of this process to a conversation. */
  wrote(events: readonly LogEvent[], state: Conversation, address: Address): void
  traceparent(run: ObservedRun): string | undefined
  /** The scheduler looks at due logs at this time, at the latest. */
  wakeAt(at: number): void
  /** The log is due, but there is nothing to do before this time. */
  postpone(address: Address, until: number): void
  /** When a client that can run this tool was last connected. */
  clientSeenAt(address: Address, tool: string): Promise<number>
  /** Files of messages, replies and results; undefined in a session, which keeps them in its log. */
  readonly files: Files | undefined
  /** The rules about calls; undefined in a session, and in a runtime that does not consult rules. */
  readonly rules: RuleStore | undefined
  /** Counts model calls against the quota of the tenant; undefined for a session. */
  readonly quotas: { metered(address: Address, agent: Agent): Agent } | undefined
}

/** Shows frames to subscribers of another log. */
export interface Relay {
  watched(state: Conversation): boolean
  show(frame: Frame, state: Conversation, agent: Agent): void
}

export function sessionHost(store: Store, ports: Ports): LogHost {
  return {
    store,
    ports,
    node: undefined,
    oneAgent: false,
    mayWork: () => true,
    term: () => 0,
    scope: () => undefined,
    isMember: () => Promise.resolve(false),
    relay: () => undefined,
    tellsNews: false,
    deliver: noReceivers,
    problem: undefined,
    wrote: () => {},
    traceparent: () => undefined,
    wakeAt: () => {},
    postpone: () => {},
    clientSeenAt: () => Promise.resolve(-Infinity),
    files: undefined,
    rules: undefined,
    quotas: undefined,
  }
}
