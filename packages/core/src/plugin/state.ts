/**
 * Typed state of each plugin in each conversation. Reads see this work's own writes at once; what was written becomes
 * an event together with the outcome of the work, so a tool that crashed changed nothing.
 */
import { HoldpointError } from '../failure.ts'
import { toJson, type Json } from '../json.ts'
import type { EventBody } from '../log/log-event.ts'
import type { Plugin } from './plugin.ts'

export interface StateAccess {
  /** A copy: what the caller does to it changes nothing until it is set. */
  get<S>(plugin: Plugin<S>): S | undefined
  /** Checked against the plugin's schema; throws when it does not fit. */
  set<S>(plugin: Plugin<S>, value: NoInfer<S>): Promise<void>
}

export class StateWrites implements StateAccess {
  readonly #stored: () => Readonly<Record<string, Json>>
  readonly #written = new Map<string, Json>()

  constructor(stored: () => Readonly<Record<string, Json>>) {
    this.#stored = stored
  }

  get<S>(plugin: Plugin<S>): S | undefined {
    const { id } = plugin
    const stored = this.#stored()
    const value = this.#written.has(id) ? this.#written.get(id) : Object.hasOwn(stored, id) ? stored[id] : undefined
    const seen = value === undefined ? plugin.initial : (value as S)
    return seen === undefined ? undefined : (JSON.parse(JSON.stringify(seen)) as S)
  }

  async set<S>(plugin: Plugin<S>, value: NoInfer<S>): Promise<void> {
    const checked = plugin.state ? await plugin.state.check(value) : ({ ok: true, value } as const)
    const json = checked.ok ? toJson(checked.value) : checked
    if (!json.ok)
      throw new HoldpointError(
        'config-invalid',
        `The state of plugin "${plugin.id}" does not fit its schema: ${json.why}.`,
      )
    this.#written.set(plugin.id, json.value)
  }

  /** What was written since the last call, as events. */
  take(): readonly EventBody[] {
    if (this.#written.size === 0) return []
    const events = Array.from(this.#written, ([plugin, value]): EventBody => ({ type: 'state.changed', plugin, value }))
    this.#written.clear()
    return events
  }
}
