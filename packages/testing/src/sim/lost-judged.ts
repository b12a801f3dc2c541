/**
 * Calls that somebody gives up for lost, or begins again by themselves: only where the node that began them is gone, was
 * believed gone for a while, or was not told what became of what it wrote. One that lives knows what it began.
 */
import type { LogEvent } from '@holdpoint/core'
import type { ConversationRecord } from './conversation-record.ts'
import type { Scheduler } from './scheduler.ts'
import type { Judge } from './violation.ts'

interface Begun {
  readonly node: string
  readonly at: number
}

export class LostJudged {
  readonly #judge: Judge
  readonly #scheduler: Scheduler
  readonly #lives: (node: string) => boolean
  readonly #begun = new Map<string, Begun>()
  /** By node, in one of its lives, and by conversation: when there was last a reason to lose track of what it began. */
  readonly #reasons = new Map<string, number>()

  /** `lives`: the node is there, and counts on being believed so. */
  constructor(judge: Judge, scheduler: Scheduler, lives: (node: string) => boolean) {
    this.#judge = judge
    this.#scheduler = scheduler
    this.#lives = lives
  }

  /** In one conversation, or in all. */
  excuse(node: string, conversation = ''): void {
    this.#reasons.set(`${node} ${conversation}`, this.#scheduler.now)
  }

  follow({ id }: ConversationRecord, events: readonly LogEvent[], writer = ''): void {
    for (const event of events) {
      if (event.type === 'call.started') {
        this.#givenUp(id, event.callId)
        // From when it was to be written: that may have taken its time, and the node have lost its lease meanwhile.
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
    if (!begun || !this.#lives(begun.node)) return
    const { node, at } = begun
    const since = Math.max(...[conversation, ''].map((which) => this.#reasons.get(`${node} ${which}`) ?? -1))
    const say = (): string => `${conversation}: ${callId} is lost, and ${node}, which began it, is there`
    this.#judge.require(since >= at, 'lost-for-a-reason', say)
  }
}
