/**
 * Typed state of each plugin in each conversation. Reads see this work's own writes at once; what was written becomes
 * an event together with the outcome of the work, so a tool that crashed changed nothing. Calls of one round run at the
 * same time: the last `set` wins, and `update` is applied to what is there when it is written, so that none is lost.
 */
import { HoldpointError } from '../failure.ts'
import { copyJson, toJson, type Json } from '../json.ts'
import type { EventBody } from '../log/log-event.ts'
import type { Plugin } from './plugin.ts'

export interface StateAccess {
  /** A copy: what the caller does to it changes nothing until it is set. */
  get<S>(plugin: Plugin<S>): S | undefined
  /** Checked against the plugin's schema; throws when it does not fit. */
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

export class StateWrites implements StateAccess {
  readonly #stored: () => Stored
  /** What this work sees of its own writes. */
  #written: Map<string, Json> | undefined
  readonly #writes: (EventBody | StateUpdate)[] = []

  constructor(stored: () => Stored) {
    this.#stored = stored
  }

  get<S>(plugin: Plugin<S>): S | undefined {
    const { id } = plugin
    const written = this.#written?.get(id)
    return seen(plugin, written === undefined ? storedOf(this.#stored(), id) : written)
  }

  async set<S>(plugin: Plugin<S>, value: NoInfer<S>): Promise<void> {
    const json = await checked(plugin, value)
    this.#wrote(plugin.id, json)
    this.#writes.push({ type: 'state.changed', plugin: plugin.id, value: json })
  }

  async update<S>(plugin: Plugin<S>, change: (state: S | undefined) => NoInfer<S>): Promise<void> {
    const here = await checked(plugin, change(this.get(plugin)))
    this.#wrote(plugin.id, here)
    const apply = (state: Json | undefined): Json => {
      const json = toJson(change(seen(plugin, state)))
      return json.ok ? json.value : here
    }
    this.#writes.push(new StateUpdate(plugin.id, apply))
  }

  #wrote(plugin: string, value: Json): void {
    this.#written ??= new Map()
    this.#written.set(plugin, value)
  }

  /** Something else that is to be written with the outcome. */
  also(event: EventBody): void {
    this.#writes.push(event)
  }

  /** What was written, in order, to become events together with the outcome. */
  take(): readonly (EventBody | StateUpdate)[] {
    return this.#writes
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

function storedOf(stored: Stored, id: string): Json | undefined {
  return Object.hasOwn(stored, id) ? stored[id] : undefined
}

function seen<S>(plugin: Plugin<S>, value: Json | undefined): S | undefined {
  const state = value === undefined ? (plugin.initial as Json | undefined) : value
  return state === undefined ? undefined : (copyJson(state) as S)
}

async function checked<S>(plugin: Plugin<S>, value: unknown): Promise<Json> {
  const fits = plugin.state ? await plugin.state.check(value) : ({ ok: true, value } as const)
  const json = fits.ok ? toJson(fits.value) : fits
  if (json.ok) return json.value
  throw new HoldpointError('config-invalid', `The state of plugin "${plugin.id}" does not fit its schema: ${json.why}.`)
}
