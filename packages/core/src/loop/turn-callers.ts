/**
 * On whose behalf each turn is driven. One driver works for everybody who talks to a conversation, but a turn runs with
 * the scope, the limits and the schema that came with its own message, never with those of the caller that drives.
 */
import type { Inbound } from '../log/message.ts'
import { scopeOf, type Scope } from '../tool/context.ts'
import type { OpenTurn, Queued } from '../turn/turn-state.ts'
import type { SendOptions } from './session-options.ts'
import type { TurnContext } from './turn-context.ts'

export class TurnCallers {
  readonly #turns = new Map<string, TurnContext>()
  /** The message of each caller that waits. */
  readonly #waiting = new Map<TurnContext, { readonly seq: number; readonly message: string }>()
  /** A caller without a message of its own, who goes on with what waits. */
  #goesOn: TurnContext | undefined

  /** This turn is the caller's: it sent the message, or took the turn up again. */
  takes(turnId: string, caller: TurnContext): void {
    this.#turns.set(turnId, caller)
  }

  /** The caller's message is written at this seq and waits. Said before it is written: a driver may meet it at once. */
  waits(caller: TurnContext, seq: number, item: Inbound): void {
    this.#waiting.set(caller, { seq, message: JSON.stringify(item) })
  }

  /** The caller takes up what waits. */
  goesOn(caller: TurnContext): void {
    this.#goesOn = caller
  }

  of(turnId: string): TurnContext | undefined {
    return this.#turns.get(turnId)
  }

  /**
   * For the turn of what waits from one author: how many of the first came with the same scope, and the newest caller of
   * those. `others` are turns that are about to be written: who goes on with one of them takes up no second.
   */
  next(
    queue: readonly Queued[],
    others: readonly string[],
  ): { readonly caller: TurnContext | undefined; readonly most: number } {
    const worlds = queue.map((each) => this.#callerOf(each))
    const other = worlds.findIndex((context) => context?.given !== worlds[0]?.given)
    const most = other < 0 ? worlds.length : other
    const goesOn = others.some((turnId) => this.of(turnId) === this.#goesOn) ? undefined : this.#goesOn
    return { caller: worlds.slice(0, most).findLast((context) => context !== undefined) ?? goesOn, most }
  }

  /** This turn is written. Its callers wait no more; what waits from now on belongs to others. */
  served({ turnId, upTo = 0 }: { readonly turnId: string; readonly upTo?: number }): void {
    if (this.of(turnId) === this.#goesOn) this.#goesOn = undefined
    for (const [caller, { seq }] of this.#waiting) if (seq <= upTo) this.#waiting.delete(caller)
  }

  /** Nothing of a caller is kept beyond its call. */
  leaves(caller: TurnContext): void {
    for (const [turnId, each] of this.#turns) if (each === caller) this.#turns.delete(turnId)
    this.#waiting.delete(caller)
    if (this.#goesOn === caller) this.#goesOn = undefined
  }

  /** A write that came to nothing leaves its seq to the message of another caller. */
  #callerOf({ seq, item }: Queued): TurnContext | undefined {
    for (const [context, waiting] of this.#waiting)
      if (waiting.seq === seq && waiting.message === JSON.stringify(item)) return context
    return undefined
  }
}

/** What a caller gave is not for the turn of another author. */
export function scopeFor({ by, askedBy }: Pick<OpenTurn, 'by' | 'askedBy'>, given: SendOptions): Scope {
  const another = by !== undefined && given.by !== undefined && given.by !== by
  return (another ? undefined : given.scope) ?? scopeOf(by, askedBy)
}
