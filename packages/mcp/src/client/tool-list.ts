/**
 * The tools of one server: listed, compared with their pins, and made into tools of ours. The list is updated in the
 * background when it is old or the server says that it changed.
 *
 * | wait | the next step |
 * |---|---|
 * | `wait` | waits for the list: it was never read, or is known to be outdated |
 * | `waited` | uses the known tools |
 * | `slow` | uses the known tools, even outdated ones: the server's last answer came too late |
 */
import type { Tool } from '@holdpoint/core'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import type { Connection, Connector } from './connector.ts'
import { fingerprintOf, type Definition } from './tool-definition.ts'
import { LIMITS } from './limits.ts'
import type { Pin, Pinned, Pins } from './pins.ts'
import { isCommand, type AnyServer } from './server-config.ts'
import { limitRefused, type Refused } from './server-status.ts'

interface KnownTools extends Pinned {
  readonly refused: readonly Refused[]
}

export interface ToolListOptions {
  readonly server: AnyServer
  readonly connector: Connector
  readonly pins: Pins
  readonly now: () => number
  readonly describe: (error: unknown) => string
  /** Throws if the definition cannot be a tool. */
  readonly makeTool: (definition: Definition) => Tool
  /** Called after each successful listing. */
  readonly listed: () => Promise<void>
}

export class ToolList {
  readonly #options: ToolListOptions
  /** Each definition is made into a tool once. A string says why it cannot be one. */
  readonly #made = new Map<string, Tool | string>()
  #known: KnownTools | undefined
  #listing: Promise<void> | undefined
  #listedAt = -Infinity
  #wait: 'wait' | 'waited' | 'slow' = 'wait'
  #connection: Connection | undefined
  #lastError: string | undefined

  constructor(options: ToolListOptions) {
    this.#options = options
  }

  /** The connection of the last listing. */
  get connection(): Connection | undefined {
    return this.#connection
  }

  get lastError(): string | undefined {
    return this.#lastError
  }

  get isKnown(): boolean {
    return this.#known !== undefined
  }

  get isListing(): boolean {
    return this.#listing !== undefined
  }

  get refused(): readonly Refused[] {
    return this.#known?.refused ?? []
  }

  /** Waits for the server if necessary, up to a limit. */
  async tools(): Promise<readonly Tool[]> {
    await this.#update()
    return (this.#known?.pins ?? []).flatMap((pin) => {
      const made = this.isOffered(pin) ? this.#toolOf(pin.definition, pin.fingerprint) : ''
      return typeof made === 'string' ? [] : [made]
    })
  }

  isOffered({ definition, gone }: Pin): boolean {
    return this.#isAllowed(definition.name) && !gone
  }

  pinOf(name: string): Pin | undefined {
    return this.#known?.pins.find((each) => each.definition.name === name)
  }

  /**
   * Reads the list again before a call is sent, if it is older than `maxAgeMs`. Resolves to an error message if the
   * list is unknown. A local process may be busy and slow to answer. It was started here and does not change, so its older
   * list is used.
   */
  async refresh(maxAgeMs: number): Promise<string | undefined> {
    const { server, now } = this.#options
    const isLocal = isCommand(server)
    if (now() - this.#listedAt < (isLocal ? LIMITS.listMaxAgeMs : maxAgeMs)) return undefined
    const listing = this.#list()
    // Do not wait again for a server that was too slow before.
    if (this.#wait !== 'slow' && (await inTime(listing))) return this.#lastError
    this.#wait = 'slow'
    return isLocal ? undefined : `The MCP server "${server.name}" did not list its tools in time, so nothing was sent.`
  }

  /** The next step waits for a new list, except for a server that was too slow before. */
  markOutdated(): void {
    this.#listedAt = -Infinity
    if (this.#wait === 'waited') this.#wait = 'wait'
  }

  async #update(): Promise<void> {
    const { pins, now } = this.#options
    if (now() - this.#listedAt > LIMITS.listMaxAgeMs) void this.#list()
    if (this.#wait === 'wait') {
      this.#wait = (await inTime(this.#listing)) ? 'waited' : 'slow'
      if (this.#wait === 'slow') this.#lastError = 'It has not listed its tools yet.'
      // Until the server has answered, its stored tools are used.
      this.#known ??= { ...(await pins.all()), refused: [] }
    }
    // Another process may have seen a change, or a person may have accepted one there.
    if (this.#known && (await pins.revision()) !== this.#known.revision)
      this.#known = { refused: this.#known.refused, ...(await pins.all()) }
  }

  #list(): Promise<void> {
    this.#listing ??= this.#readList().finally(() => (this.#listing = undefined))
    return this.#listing
  }

  async #readList(): Promise<void> {
    const { server, connector, pins, now, describe, listed } = this.#options
    try {
      const { tools, refused } = await connector.listTools()
      this.#connection = await connector.connection()
      const { valid, invalid } = await this.#validate(tools)
      const { tooMany, ...pinned } = await pins.record(valid, (name) => server.allowedTools?.includes(name) ?? false)
      const why = `${LIMITS.pins} tools of this server are stored already`
      this.#known = {
        ...pinned,
        refused: limitRefused([...refused, ...invalid, ...tooMany.map((name) => ({ name, why }))]),
      }
      this.#listedAt = now()
      this.#lastError = undefined
      this.#dropUnusedTools()
      if (this.#wait === 'slow') this.#wait = 'waited'
      await listed()
    } catch (error) {
      this.#lastError = describe(error)
      // The stored tools stay. The next step after the retry delay tries again.
      this.#known ??= { ...(await pins.all()), refused: [] }
    }
  }

  async #validate(tools: readonly Definition[]): Promise<{ valid: Definition[]; invalid: Refused[] }> {
    const valid: Definition[] = []
    const invalid: Refused[] = []
    for (const definition of tools) {
      if (!this.#isAllowed(definition.name)) continue
      const made = this.#toolOf(definition)
      if (typeof made === 'string') invalid.push({ name: definition.name, why: made })
      else valid.push(definition)
      // Hundreds of schemas take long to compile, so let other work run in between.
      if (valid.length % 20 === 0) await nextTurn()
    }
    return { valid, invalid }
  }

  #dropUnusedTools(): void {
    const used = new Set(this.#known?.pins.map(({ fingerprint }) => fingerprint))
    for (const key of this.#made.keys()) if (!used.has(key)) this.#made.delete(key)
  }

  #isAllowed(name: string): boolean {
    return this.#options.server.allowedTools?.includes(name) ?? true
  }

  #toolOf(definition: Definition, key = fingerprintOf(definition)): Tool | string {
    const made = this.#made.get(key) ?? this.#make(definition)
    this.#made.set(key, made)
    return made
  }

  #make(definition: Definition): Tool | string {
    try {
      return this.#options.makeTool(definition)
    } catch (error) {
      return this.#options.describe(error)
    }
  }
}

/** Whether the work was done within the limit. */
async function inTime(work: Promise<void> | undefined): Promise<boolean> {
  const timer = new AbortController()
  const late = sleep(LIMITS.listWaitMs, true, timer).catch(() => true)
  const isLate = await Promise.race([work, late])
  timer.abort()
  return isLate !== true
}
