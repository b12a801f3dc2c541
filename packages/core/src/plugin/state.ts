/**
 * The typed state of each plugin in each conversation. A handler reads its own writes at once. The writes become events
 * together with the outcome of the handler, so a handler that crashes changes nothing. The calls of one round run at the same
 * time: the last `set` wins, and `update` changes the newest state when it is written, so no update is lost. The runtime waits
 * for the validation of all writes, also of those that the handler does not await. An invalid value fails the call.
 */
import { HoldpointError } from '../failure.ts'
import { copyJson, jsonBytes, toJson, type Json } from '../json.ts'
import type { EventBody } from '../log/log-event.ts'
import { losslessJson } from '../lossless-json.ts'
import type { Checked } from '../ports.ts'
import type { Plugin } from './plugin.ts'

export interface StateAccess {
  /** Returns a copy. A change of it has no effect until `set`. */
  get<S>(plugin: Plugin<S>): S | undefined
  /** Validates the value against the plugin's schema. An invalid value rejects; without `await`, it fails the call. */
  set<S>(plugin: Plugin<S>, value: NoInfer<S>): Promise<void>
  /**
   * Computes a new state from the current one. `change` may run again, on a newer state, when the outcome is written. So it must
   * depend on the state only, and return a valid state.
   */
  update<S>(plugin: Plugin<S>, change: (state: S | undefined) => NoInfer<S>): Promise<void>
}

/** An update. It is applied to the newest state when it is written. */
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
 * The promise of a write. It knows what the handler chained to it with `then`, `catch` or `finally`, and so whether the handler
 * handles a rejection. A rejected promise without handlers is an unhandled rejection.
 */
class Write<T> extends Promise<T> {
  /** `super.then` returns an ordinary promise; `then` makes it a `Write`. */
  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  readonly #chained: Write<unknown>[] = []

  /** Never rejects, so a write that the handler does not await cannot end the process. */
  readonly #refused: Promise<Refused | undefined> = super.then(
    () => undefined,
    (error: unknown) => ({ error }),
  )

  /** Waits for this and everything chained to it. Returns the first rejection that the handler does not handle. */
  async unhandled(): Promise<Refused | undefined> {
    const refused = await this.#refused
    if (this.#chained.length === 0) return refused
    for (const write of this.#chained) {
      const unhandled = await write.unhandled()
      if (unhandled) return unhandled
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
  /** The handler's own writes, by plugin, for its reads. */
  #written: Map<string, Json> | undefined
  /** In the order of the writes. A write that is being validated has its place already. */
  readonly #writes: (EventBody | StateUpdate | undefined)[] = []
  readonly #asked: Write<void>[] = []
  /** Set once the handler is done, or from the start if it may only read. */
  #closed: string | undefined

  /** `problem` is called for a write that came too late and that no code awaits. */
  constructor(stored: () => Stored, problem: (error: unknown) => void = () => {}) {
    this.#stored = stored
    this.#problem = problem
  }

  /** For code that may read the state but not change it. */
  static readOnly(stored: () => Stored, what: string): StateWrites {
    const writes = new StateWrites(stored)
    writes.#closed = `${what} only reads. Write in "run" instead.`
    return writes
  }

  get<S>(plugin: Plugin<S>): S | undefined {
    const { id } = plugin
    const written = this.#written?.get(id)
    return copyOf(plugin, written === undefined ? storedOf(this.#stored(), id) : written)
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
          const json = toJson(change(copyOf(plugin, state)))
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
    if (this.#closed !== undefined) void write.unhandled().then((why) => why && this.#problem(why.error))
    return write
  }

  #checkOpen(): void {
    if (this.#closed !== undefined) throw new HoldpointError('config-invalid', this.#closed)
  }

  #wrote(plugin: string, value: Json): void {
    this.#written ??= new Map()
    this.#written.set(plugin, value)
  }

  /** Adds another event to be written with the outcome. */
  also(event: EventBody): void {
    this.#checkOpen()
    this.#writes.push(event)
  }

  /** Whether there are writes. */
  get asked(): boolean {
    return this.#asked.length > 0
  }

  /** Waits until every write is validated. Throws the error of a write that the handler does not handle. */
  async settle(): Promise<void> {
    for (const write of this.#asked) {
      const refused = await write.unhandled()
      if (refused) throw refused.error
    }
  }

  /** Returns the writes, in order, to be stored with the outcome. After this, writes are refused. */
  take(): readonly (EventBody | StateUpdate)[] {
    this.#closed ??=
      'The handler changed the state after it had returned, so the change is not stored. Await everything in the handler before it returns.'
    return this.#writes.filter((write) => write !== undefined)
  }
}

/** Turns updates into events. Each update gets the state after those before it. */
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

/** Subscribers get each state as an event, and the store keeps it, so its size is limited. */
function checkSize(plugin: string, json: Json): void {
  const bytes = jsonBytes(json)
  if (bytes <= MAX_STATE_BYTES) return
  const why = `The state of "${plugin}" has ${bytes} bytes, but the limit is ${MAX_STATE_BYTES}. Store the data elsewhere, and its address here.`
  throw new HoldpointError('config-invalid', why)
}

function storedOf(stored: Stored, id: string): Json | undefined {
  return Object.hasOwn(stored, id) ? stored[id] : undefined
}

function copyOf<S>(plugin: Plugin<S>, value: Json | undefined): S | undefined {
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
