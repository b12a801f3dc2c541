/**
 * The callers in this process, by turn. One driver works for all callers of a conversation, but a turn runs with the scope,
 * the limits and the schema of its own message, never with those of the caller that started the driver.
 */
import { principalOf } from '@holdpoint/core/internal/principal'
import type { Inbound } from '@holdpoint/core/internal/log/message'
import { scopeOf, type Scope } from '@holdpoint/core/internal/tool/context'
import type { OpenTurn, Queued } from '@holdpoint/core/internal/turn/turn-state'
import type { SendOptions } from '../session/session-options.ts'
import type { TurnContext } from './turn-context.ts'

export class TurnCallers {
  readonly #turns = new Map<string, TurnContext>()
  /** Callers whose message is in the queue. */
  readonly #waiting = new Map<TurnContext, { readonly seq: number; readonly message: string }>()
  /** A caller without a message, who continues with the queue. */
  #goesOn: TurnContext | undefined

  /** The turn is the caller's: it sent the message, or continued the turn. */
  takes(turnId: string, caller: TurnContext): void {
    this.#turns.set(turnId, caller)
  }

  /** The caller's message is queued at this seq. Called before the append, because a driver may take the message at once. */
  waits(caller: TurnContext, seq: number, item: Inbound): void {
    this.#waiting.set(caller, { seq, message: JSON.stringify(item) })
  }

  /** The caller continues with the queue. */
  goesOn(caller: TurnContext): void {
    this.#goesOn = caller
  }

  of(turnId: string): TurnContext | undefined {
    return this.#turns.get(turnId)
  }

  /**
   * The next turn takes queued items of one author. `most`: how many of them came with the same scope. `caller`: the newest
   * caller among those. `others` are turns in the same append: a caller that continued with one of them gets no second turn.
   */
  next(
    queue: readonly Queued[],
    others: readonly string[],
  ): { readonly caller: TurnContext | undefined; readonly most: number } {
    const callers = queue.map((each) => this.#callerOf(each))
    const other = callers.findIndex((context) => context?.given !== callers[0]?.given)
    const most = other < 0 ? callers.length : other
    const goesOn = others.some((turnId) => this.of(turnId) === this.#goesOn) ? undefined : this.#goesOn
    return { caller: callers.slice(0, most).findLast((context) => context !== undefined) ?? goesOn, most }
  }

  /** The turn is in the log, so its callers no longer wait in the queue. */
  served({ turnId, upTo = 0 }: { readonly turnId: string; readonly upTo?: number }): void {
    if (this.of(turnId) === this.#goesOn) this.#goesOn = undefined
    for (const [caller, { seq }] of this.#waiting) if (seq <= upTo) this.#waiting.delete(caller)
  }

  /** Forgets the caller when its call of `send` or `continue` ends. */
  leaves(caller: TurnContext): void {
    for (const [turnId, each] of this.#turns) if (each === caller) this.#turns.delete(turnId)
    this.#waiting.delete(caller)
    if (this.#goesOn === caller) this.#goesOn = undefined
  }

  /** Compares the message too: after a failed append, its seq belongs to the message of another caller. */
  #callerOf({ seq, item }: Queued): TurnContext | undefined {
    for (const [context, waiting] of this.#waiting)
      if (waiting.seq === seq && waiting.message === JSON.stringify(item)) return context
    return undefined
  }
}

/** The scope of a turn. A caller's scope is not used for the turn of another author. */
export function scopeFor({ by, askedBy }: Pick<OpenTurn, 'by' | 'askedBy'>, given: SendOptions): Scope {
  const caller = principalOf(given.by)?.id
  const another = by !== undefined && caller !== undefined && caller !== by
  return (another ? undefined : given.scope) ?? scopeOf(by, askedBy)
}
