/**
 * Typed state of each plugin in each conversation. Reads see this work's own writes at once; what was written becomes
 * an event together with the outcome of the work, so a tool that crashed changed nothing. Calls of one round run at the
 * same time: the last `set` wins, and `update` is applied to what is there when it is written, so that none is lost.
 * A write belongs to its work whether the handler awaits it or not: the work is over when its writes are checked, and
 * a value that does not fit makes it fail.
 */
import { HoldpointError } from '../failure.ts'
import { copyJson, jsonBytes, toJson, type Json } from '../json.ts'
import type { EventBody } from '../log/log-event.ts'
import { losslessJson } from '../lossless-json.ts'
import type { Checked } from '../ports.ts'
import type { Plugin } from './plugin.ts'

export interface StateAccess {
  /** A copy: what the caller does to it changes nothing until it is set. */
  get<S>(plugin: Plugin<S>): S | undefined
  /** Checked against the plugin's schema. A value that does not fit rejects; without `await`, it fails the call. */
  set<S>(plugin: Plugin<S>, value: NoInfer<S>): Promise<void>
  /**
   * Makes a new state of the one that is there. `change` may be called again, on a newer state, when the outcome is
   * written: it must depend on nothing else, and keep to the schema.
   */
  update<S>(plugin: Plugin<S>, change: (state: S | undefined) => NoInfer<S>): Promise<void>
}

/** A change that is made of the newest state, at the moment it is written. */
export class StateUpdate {
  readonly plugin: string
  readonly apply: (state: Json | undefined) => Json

  constructor(plugin: string, apply: (state: Json | undefined) => Json) {
    this.plugin = plugin
    this.apply = apply
  }
}

type Stored = Readonly<Record<string, Json>>

const MAX_STATE_BYTES = 1_000_000

/** The reason why a promise was rejected. */
interface Refused {
  readonly error: unknown
}

/**
 * A write that a handler asked for, and what the handler chained to it with `then`, `catch` or `finally`. Knows whether
 * the handler takes care of a refusal: a rejected promise that nothing was chained to was not taken care of.
 */
class Write<T> extends Promise<T> {
  /** `super.then` makes an ordinary promise; `then` makes a `Write` of it. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  readonly #chained: Write<unknown>[] = []

  /** Never rejects, so that a write that the handler does not wait for cannot end the process. */
  readonly #refused: Promise<Refused | undefined> = super.then(
    () => undefined,
    (error: unknown) => ({ error }),
  )

  /** Waits for this and what is chained to it. Gives the first refusal that the handler does not take care of. */
  async unheard(): Promise<Refused | undefined> {
    const refused = await this.#refused
    if (this.#chained.length === 0) return refused
    for (const write of this.#chained) {
      const unheard = await write.unheard()
      if (unheard) return unheard
    }
    return undefined
  }

  override then<A = T, B = never>(
    onfulfilled?: ((value: T) => A | PromiseLike<A>) | null,
    onrejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    const next = super.then(onfulfilled, onrejected)
    const chained = new Write<A | B>((resolve, reject) => void next.then(resolve, reject))
    this.#chained.push(chained)
    return chained
  }
}

export class StateWrites implements StateAccess {
  readonly #stored: () => Stored
  readonly #problem: (error: unknown) => void
  /** What this work sees of its own writes. */
  #written: Map<string, Json> | undefined
  /** In the order they were asked for: one that is still being checked has its place. */
  readonly #writes: (EventBody | StateUpdate | undefined)[] = []
  readonly #asked: Write<void>[] = []
  /** Set once the work is over, or from the start where it only reads. */
  #closed: string | undefined

  /** `problem` hears of a write that came too late and that nothing waits for. */
  constructor(stored: () => Stored, problem: (error: unknown) => void = () => {}) {
    this.#stored = stored
    this.#problem = problem
  }

  /** For code that decides and changes nothing. */
  static readOnly(stored: () => Stored, what: string): StateWrites {
    const writes = new StateWrites(stored)
    writes.#closed = `${what} only reads. Write in "run" instead.`
    return writes
  }

  get<S>(plugin: Plugin<S>): S | undefined {
    const { id } = plugin
    const written = this.#written?.get(id)
    return seen(plugin, written === undefined ? storedOf(this.#stored(), id) : written)
  }

  set<S>(plugin: Plugin<S>, value: NoInfer<S>): Promise<void> {
    return this.#write(
      plugin,
      () => value,
      (json) => ({ type: 'state.changed', plugin: plugin.id, value: json }),
    )
  }

  update<S>(plugin: Plugin<S>, change: (state: S | undefined) => NoInfer<S>): Promise<void> {
    return this.#write(
      plugin,
      () => change(this.get(plugin)),
      (here) =>
        new StateUpdate(plugin.id, (state) => {
          const json = toJson(change(seen(plugin, state)))
          return json.ok ? json.value : here
        }),
    )
  }

  #write<S>(plugin: Plugin<S>, make: () => unknown, entry: (json: Json) => EventBody | StateUpdate): Write<void> {
    const place = this.#writes.push(undefined) - 1
    const put = (json: Json): void => {
      this.#checkOpen()
      checkSize(plugin.id, json)
      this.#wrote(plugin.id, json)
      this.#writes[place] = entry(json)
    }
    const write = new Write<void>((resolve) => {
      this.#checkOpen()
      const checking = checked(plugin, make())
      resolve(checking instanceof Promise ? checking.then(put) : put(checking))
    })
    this.#asked.push(write)
    if (this.#closed !== undefined) void write.unheard().then((why) => why && this.#problem(why.error))
    return write
  }

  #checkOpen(): void {
    if (this.#closed !== undefined) throw new HoldpointError('config-invalid', this.#closed)
  }

  #wrote(plugin: string, value: Json): void {
    this.#written ??= new Map()
    this.#written.set(plugin, value)
  }

  /** Something else that is to be written with the outcome. */
  also(event: EventBody): void {
    this.#checkOpen()
    this.#writes.push(event)
  }

  /** Whether there is anything to settle. */
  get asked(): boolean {
    return this.#asked.length > 0
  }

  /** Waits until every write is checked. Throws why one was refused that the handler does not wait for. */
  async settle(): Promise<void> {
    for (const write of this.#asked) {
      const refused = await write.unheard()
      if (refused) throw refused.error
    }
  }

  /** What was written, in order, to become events together with the outcome. Nothing can be written after this. */
  take(): readonly (EventBody | StateUpdate)[] {
    this.#closed ??=
      'This came after its work was over, and is not kept. Await what the handler starts before it returns.'
    return this.#writes.filter((write) => write !== undefined)
  }
}

/** Makes events of updates, each on the state that those before it left. */
export function applyUpdates(writes: readonly (EventBody | StateUpdate)[], stored: Stored): readonly EventBody[] {
  if (!writes.some((write) => write instanceof StateUpdate)) return writes as readonly EventBody[]
  const newest: Record<string, Json> = { ...stored }
  return writes.map((write) => {
    const event: EventBody =
      write instanceof StateUpdate
        ? {
            type: 'state.changed',
            plugin: write.plugin,
            value: write.apply(storedOf(newest, write.plugin)),
          }
        : write
    if (event.type === 'state.changed') newest[event.plugin] = event.value
    return event
  })
}

/** Every state is an event that subscribers get, and part of the state that the store keeps. */
function checkSize(plugin: string, json: Json): void {
  const bytes = jsonBytes(json)
  if (bytes <= MAX_STATE_BYTES) return
  const why = `The state of "${plugin}" has ${bytes} bytes, and at most ${MAX_STATE_BYTES} are kept. Keep it elsewhere, and its address here.`
  throw new HoldpointError('config-invalid', why)
}

function storedOf(stored: Stored, id: string): Json | undefined {
  return Object.hasOwn(stored, id) ? stored[id] : undefined
}

function seen<S>(plugin: Plugin<S>, value: Json | undefined): S | undefined {
  const state = value === undefined ? (plugin.initial as Json | undefined) : value
  return state === undefined ? undefined : (copyJson(state) as S)
}

function checked<S>(plugin: Plugin<S>, value: unknown): Json | Promise<Json> {
  const fits = plugin.state ? plugin.state.check(value) : ({ ok: true, value } as const)
  return fits instanceof Promise ? fits.then((each) => asState(plugin, each)) : asState(plugin, fits)
}

function asState<S>(plugin: Plugin<S>, fits: Checked): Json {
  const json = fits.ok ? losslessJson(fits.value) : fits
  if (json.ok) return json.value
  throw new HoldpointError('config-invalid', `The state of plugin "${plugin.id}" does not fit its schema: ${json.why}.`)
}
