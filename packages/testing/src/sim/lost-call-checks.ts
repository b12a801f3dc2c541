/**
 * Checks calls that a node treats as lost or reruns. That is allowed only if the node that started the call died, seemed to be dead
 * for a while, or got no answer to a write. A node that is alive knows which calls it started.
 */
import type { LogEvent } from '@holdpoint/core'
import type { ConversationRecord } from './conversation-record.ts'
import type { Scheduler } from './scheduler.ts'
import type { Judge } from './violation.ts'

interface Begun {
  readonly node: string
  readonly at: number
}

export class LostCallChecks {
  readonly #judge: Judge
  readonly #scheduler: Scheduler
  readonly #hasLease: (node: string) => boolean
  readonly #begun = new Map<string, Begun>()
  /** By node and generation, and by conversation: when the node last had a reason to lose track of its calls. */
  readonly #reasons = new Map<string, number>()

  /** `hasLease`: the node runs and holds a valid lease. */
  constructor(judge: Judge, scheduler: Scheduler, hasLease: (node: string) => boolean) {
    this.#judge = judge
    this.#scheduler = scheduler
    this.#hasLease = hasLease
  }

  /** Gives the node a reason, in one conversation or in all. */
  excuse(node: string, conversation = ''): void {
    this.#reasons.set(`${node} ${conversation}`, this.#scheduler.now)
  }

  follow({ id }: ConversationRecord, events: readonly LogEvent[], writer = ''): void {
    for (const event of events) {
      if (event.type === 'call.started') {
        this.#givenUp(id, event.callId)
        // Counted from the start of the write: it may have taken long enough for the node to lose its lease.
        this.#begun.set(event.callId, { node: writer, at: event.at })
      } else if (event.type === 'call.held') {
        if (event.hold.cause === 'lost') this.#givenUp(id, event.callId)
        this.#begun.delete(event.callId)
      } else if (event.type === 'call.settled') {
        if (!event.outcome.ok && event.outcome.error.code === 'lost') this.#givenUp(id, event.callId)
        this.#begun.delete(event.callId)
      }
    }
  }

  #givenUp(conversation: string, callId: string): void {
    const begun = this.#begun.get(callId)
    if (!begun || !this.#hasLease(begun.node)) return
    const { node, at } = begun
    const since = Math.max(...[conversation, ''].map((which) => this.#reasons.get(`${node} ${which}`) ?? -1))
    const say = (): string =>
      `${conversation}: ${callId} is treated as lost, although ${node}, which started it, is alive`
    this.#judge.require(since >= at, 'lost-for-a-reason', say)
  }
}
