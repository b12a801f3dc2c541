/**
 * Callers with limited rights: a worker may answer external holds, a page those of client tools. They answer every
 * hold they find, also holds that are not for them, and calls that are not held yet but may be a moment later. Each signs
 * with its name, so the log says who answered what.
 */
import type { HoldKind } from '@holdpoint/core'
import type { Random } from './random.ts'
import { request } from './requests.ts'
import type { Process } from './scheduler.ts'
import type { World } from './world.ts'

const RIGHTS: Readonly<Record<string, readonly HoldKind[]>> = { worker: ['external'], page: ['client'] }

export const programNames: readonly string[] = Object.keys(RIGHTS)

/** Whether this caller may answer a hold of this kind. */
export function mayAnswer(by: string | undefined, kind: HoldKind): boolean {
  return RIGHTS[by ?? '']?.includes(kind) ?? true
}

export class Program {
  readonly #world: World
  readonly #process: Process
  readonly #random: Random
  readonly #name: string
  /** Holds it works on and answers later, as a worker does with a claim. */
  readonly #claimed: Target[] = []

  constructor(world: World, name: string, random: Random) {
    this.#world = world
    this.#random = random
    this.#name = name
    this.#process = world.scheduler.process(name)
  }

  async live(): Promise<void> {
    const { faults, scheduler } = this.#world
    const random = this.#random
    for (let n = random.between(0, 25); n > 0 && faults.active; n--) {
      await scheduler.wait(this.#process, 'thinks', random.between(0, 2500))
      const target = this.#claimed.length > 0 && random.chance(0.5) ? this.#claimed.shift() : this.#find()
      if (target && target.hold !== undefined && random.chance(0.4)) this.#claimed.push(target)
      else if (target) await this.#answer(target)
    }
  }

  /** Mostly finds a call that is not held at the moment, so its next hold is unknown. */
  #find(): Target | undefined {
    const { truth } = this.#world
    const random = this.#random
    const calls = [...truth.conversations.values()].flatMap(({ id, calls: all }) =>
      [...all.values()].filter(({ at, open }) => at !== 'settled' || open).map((call) => ({ conversation: id, call })),
    )
    const early = calls.filter(({ call }) => !call.waits)
    if (calls.length === 0) return undefined
    const { conversation, call } = random.pick(early.length > 0 && random.chance(0.6) ? early : calls)
    const { callId, nth } = call
    return { conversation, callId, hold: call.hold && random.chance(0.5) ? nth : undefined }
  }

  #answer({ conversation, callId, hold }: Target): Promise<unknown> {
    const { answers, nodes } = this.#world
    const random = this.#random
    const resolution = { kind: 'answer', value: `${this.#name} says ${random.below(100)}` } as const
    const [by, kinds] = [this.#name, RIGHTS[this.#name] ?? []]
    const named = hold === undefined ? {} : { hold }
    return request(this.#world, this.#process, random.pick(nodes), {
      label: `answers ${callId}`,
      ask: (runtime) => runtime.resolve(conversation, callId, resolution, { by, kinds, ...named }),
      begins: (node) => ({ told: answers.begins({ conversation, callId, resolution, by, hold }, node) }),
    })
  }
}

interface Target {
  readonly conversation: string
  readonly callId: string
  readonly hold: number | undefined
}
