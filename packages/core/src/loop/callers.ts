/**
 * On whose behalf each turn is driven. One driver works for everybody who talks to a conversation, but a turn runs with
 * the scope, the limits and the schema that came with its own message, never with those of whoever drives.
 */
import type { World } from './world.ts'

export class Callers {
  readonly #turns = new Map<string, World>()
  #waiting: World | undefined

  /** This turn is the caller's: it sent the message, or took the turn up again. */
  takes(turnId: string, world: World): void {
    this.#turns.set(turnId, world)
  }

  /** The caller's message waits. Of several that wait together, the newest speaks for their turn. */
  waits(world: World): void {
    this.#waiting = world
  }

  of(turnId: string): World | undefined {
    return this.#turns.get(turnId)
  }

  /** For the turn of what waits, if somebody here asked for it, whose turn is none of these that are about to be written. */
  next(others: readonly string[]): World | undefined {
    return others.some((turnId) => this.of(turnId) === this.#waiting) ? undefined : this.#waiting
  }

  /** This turn is written. Whoever waited for it waits no more; what waits from now on is somebody else's. */
  served(turnId: string): void {
    if (this.of(turnId) === this.#waiting) this.#waiting = undefined
  }

  /** Nothing of a caller is kept beyond its call. */
  leaves(world: World): void {
    for (const [turnId, caller] of this.#turns) if (caller === world) this.#turns.delete(turnId)
    if (this.#waiting === world) this.#waiting = undefined
  }
}
