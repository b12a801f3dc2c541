/**
 * A server as one tenant uses it: its line, its tools as they were allowed, what is open on it. A server that is away, slow
 * or hostile costs its own tools only: those it had are still shown, and a call of them says why not.
 */
import { messageOf, milliseconds, type Address, type Json, type Store, type Tool } from '@holdpoint/core'
import { withoutSecrets } from 'holdpoint'
import { createHash } from 'node:crypto'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { Connection, ServerAway, type Line } from './connection.ts'
import { fingerprintOf, type Definition } from './definition.ts'
import { readElicitation } from './elicitation.ts'
import { LIMITS } from './limits.ts'
import { mcpTool } from './mcp-tool.ts'
import { OpenCalls, type OpenCall } from './open-call.ts'
import { Pins, type Pin, type Pinned } from './pins.ts'
import { isCommand, type AnyServer } from './server-config.ts'
import { few, toolStatus, type McpServerStatus, type Refused } from './server-status.ts'
import type { Watch } from './watch.ts'
import { wireTo, type WireOptions } from './wire.ts'

interface Known extends Pinned {
  readonly refused: readonly Refused[]
}

export interface Using extends Omit<WireOptions, 'used' | 'discreet'> {
  readonly store: Store
  readonly watch: Watch
  readonly now: () => number
}

export class ServerInUse {
  readonly name: string
  /** Tells it from every other server of the tenant, also from one of the same name elsewhere. */
  readonly key: string
  readonly onLost: 'retry' | 'fail' | 'ask'
  readonly taskTimeoutMs: number
  readonly connection: Connection
  readonly open: OpenCalls = new OpenCalls()
  readonly watch: Watch
  readonly #server: AnyServer
  readonly #using: Using
  readonly #pins: Pins
  readonly #secrets = new Map<string, string>()
  readonly #taken = new Set<Line>()
  readonly #taskLines = new Map<string, Line>()
  #opening = 0
  /** Whether the next step waits for the list: `slow` is a server that let somebody wait in vain. */
  #patience: 'wait' | 'waited' | 'slow' = 'wait'
  #known: Known | undefined
  readonly #byDefinition = new Map<string, Tool | string>()
  #listing: Promise<void> | undefined
  #listedAt = -Infinity
  #usedAt = 0
  #line: Line | undefined
  #lastError: string | undefined

  constructor(using: Using) {
    const { server, tenant, store, watch, now } = using
    this.#using = using
    this.#server = server
    this.name = server.name
    this.key = `${server.name}@${identity(server)}`
    this.onLost = server.onLost ?? 'ask'
    this.taskTimeoutMs = milliseconds(server.taskTimeout ?? '7 days')
    this.watch = watch
    this.#pins = new Pins(store, tenant, this.key)
    const used = (name: string, value: string): void => void this.#secrets.set(name, value)
    const discreet = <T>(value: T): T => this.#discreet(value)
    this.connection = new Connection(server.name, () => wireTo({ ...using, used, discreet }), isCommand(server), {
      elicit: (params, line) => this.#elicited(params, line),
      listChanged: () => this.#outdated(),
      inShort: (error) => this.inShort(error),
      now,
    })
  }

  /** A process that was started here, or a server without encryption, is in the operator's own network, and so are its pages. */
  get plainHttp(): boolean {
    return isCommand(this.#server) || new URL(this.#server.url ?? '').protocol === 'http:'
  }

  /** What the model may call. Waits for the server the first time only, and not for long. */
  async tools(): Promise<readonly Tool[]> {
    this.#usedAt = this.#using.now()
    await this.#fresh()
    const pins = (this.#known?.pins ?? []).filter((pin) => this.#allowed(pin.definition.name) && !pin.gone)
    return pins.flatMap((pin) => {
      const made = this.#made(pin.definition, pin.fingerprint)
      return typeof made === 'string' ? [] : [made]
    })
  }

  async #fresh(): Promise<void> {
    if (this.#using.now() - this.#listedAt > LIMITS.listMs) void this.#listed()
    if (this.#patience === 'wait') {
      this.#patience = (await inTime(this.#listing)) ? 'waited' : 'slow'
      if (this.#patience === 'slow') this.#lastError = 'It has not told its tools yet.'
      // It is slow, and nobody waits any longer: what it had before will do until it has answered.
      this.#known ??= { ...(await this.#pins.all()), refused: [] }
    }
    // Another process may have seen a change, or somebody have accepted one there.
    if (this.#known && (await this.#pins.revision()) !== this.#known.revision)
      this.#known = { refused: this.#known.refused, ...(await this.#pins.all()) }
  }

  #listed(): Promise<void> {
    this.#listing ??= this.#list().finally(() => (this.#listing = undefined))
    return this.#listing
  }

  async #list(): Promise<void> {
    try {
      const { tools, refused } = await this.connection.tools()
      this.#line = await this.connection.line()
      const unfit: Refused[] = []
      const fit: Definition[] = []
      for (const definition of tools) {
        if (!this.#allowed(definition.name)) continue
        const made = this.#made(definition)
        if (typeof made === 'string') unfit.push({ name: definition.name, why: made })
        else fit.push(definition)
        // Hundreds of schemas take a while, in which others want to do something, too.
        if (fit.length % 20 === 0) await nextTurn()
      }
      const { tooMany, ...pinned } = await this.#pins.see(fit)
      const why = `of this server, ${LIMITS.pins} tools are known already`
      this.#known = { ...pinned, refused: few([...refused, ...unfit, ...tooMany.map((name) => ({ name, why }))]) }
      this.#listedAt = this.#using.now()
      this.#lastError = undefined
      this.#forgetOthers()
      if (this.#patience === 'slow') this.#patience = 'waited'
      await this.#takeUpTasks()
    } catch (error) {
      this.#lastError = this.inShort(error)
      // What it had before is still its own; the next step tries again, once the pause is over.
      this.#known ??= { ...(await this.#pins.all()), refused: [] }
    }
  }

  /** Of the tools that were made, those are kept that somebody may still be shown. */
  #forgetOthers(): void {
    const pins = this.#known?.pins ?? []
    const used = new Set(pins.map(({ fingerprint }) => fingerprint))
    for (const key of this.#byDefinition.keys()) if (!used.has(key)) this.#byDefinition.delete(key)
  }

  #allowed(name: string): boolean {
    return this.#server.allowedTools?.includes(name) ?? true
  }

  pinOf(name: string): Pin | undefined {
    return this.#known?.pins.find((each) => each.definition.name === name)
  }

  /** Looks what the server says of its tools now, as long as anybody has patience. */
  async listAgain(): Promise<void> {
    await inTime(this.#listed())
  }

  /** The tool, or why it cannot be one. It is made once of each definition. */
  #made(definition: Definition, key = fingerprintOf(definition)): Tool | string {
    const made = this.#byDefinition.get(key) ?? this.#make(definition)
    this.#byDefinition.set(key, made)
    return made
  }

  #make(definition: Definition): Tool | string {
    try {
      return mcpTool(this, this.#server, definition)
    } catch (error) {
      return this.inShort(error)
    }
  }

  /** A line that a call may use. An older server behind a process gives it to one at a time: its questions do not say whose they are. */
  async lineForCall(): Promise<Line> {
    const line = await this.connection.line()
    if (!line.stdio || line.era === 'modern') return line
    if (!this.#taken.has(line)) {
      this.#taken.add(line)
      return line
    }
    if (this.#taken.size + this.#opening >= LIMITS.processes)
      throw new ServerAway(`The MCP server "${this.name}" is busy with ${LIMITS.processes} calls. Try again later.`)
    this.#opening++
    try {
      const own = await this.connection.open()
      this.#taken.add(own)
      return own
    } finally {
      this.#opening--
    }
  }

  /** Where a task is known: of a server behind a process, that very process. */
  async lineForTask(taskId: string): Promise<Line> {
    return this.#taskLines.get(taskId) ?? this.connection.line()
  }

  /** The call waits for a person: the line is its own until it is over, and it ends with the call. */
  holdLine(call: OpenCall, address: Address, callId: string): void {
    if (call.line.stdio) this.connection.detach(call.line)
    this.watch.add(address, callId, async () => {
      call.abort()
      await this.release(call)
    })
  }

  async release(call: OpenCall): Promise<void> {
    const { line } = call
    this.open.remove(call)
    this.#taken.delete(line)
    const needed = [...this.#taskLines.values()].includes(line) || this.open.on(line).length > 0
    if (line.stdio && !needed && !this.connection.isUsual(line)) await line.close()
  }

  taskBegan(taskId: string, line: Line): void {
    if (line.stdio) this.#taskLines.set(taskId, line)
  }

  taskEnded(taskId: string): void {
    this.#taskLines.delete(taskId)
  }

  watchTask(address: Address, callId: string, taskId: string): void {
    this.watch.add(address, callId, async () => {
      const { tasks } = await this.lineForTask(taskId)
      await tasks.cancel(taskId)
      this.taskEnded(taskId)
      await this.watch.forgetTask(address, callId)
    })
  }

  async #takeUpTasks(): Promise<void> {
    const { tenant } = this.#using
    for (const { conversation, callId, taskId } of await this.watch.tasks(tenant, this.key))
      this.watchTask({ tenant, id: conversation }, callId, taskId)
  }

  async #elicited(params: unknown, line: Line): Promise<unknown> {
    const asked = readElicitation(params, this.plainHttp)
    const call = this.open.asking(line)
    // What nobody can be asked, or nobody knows for whom, is put aside: the server goes on without.
    return asked && call ? call.ask(asked) : { action: 'cancel' }
  }

  async accept(toolName: string, fingerprint: string): ReturnType<Pins['accept']> {
    const answer = await this.#pins.accept(toolName, fingerprint)
    this.#outdated()
    return answer
  }

  /** The next step waits for the list: it is known to be another one. Not for a server that was waited for in vain. */
  #outdated(): void {
    this.#listedAt = -Infinity
    if (this.#patience === 'waited') this.#patience = 'wait'
  }

  async status(): Promise<McpServerStatus> {
    const { pins } = await this.#pins.all()
    const lastError = this.#lastError ?? this.connection.lastError
    const known = this.#known !== undefined
    return {
      name: this.name,
      at: isCommand(this.#server)
        ? [this.#server.command, ...(this.#server.args ?? [])].join(' ')
        : (this.#server.url ?? ''),
      transport: isCommand(this.#server) ? 'stdio' : 'http',
      health: lastError !== undefined ? 'away' : known ? 'ready' : 'new',
      ...(this.#line && { era: this.#line.era, version: this.#line.version }),
      ...(lastError !== undefined && { lastError }),
      tools: pins
        .filter((pin) => this.#allowed(pin.definition.name) && !pin.gone)
        .map((pin) => toolStatus(this.name, pin)),
      refused: this.#known?.refused ?? [],
    }
  }

  /** Of whatever was thrown, what can be said to anybody. Secrets are taken out before it is cut, so that no half is left. */
  inShort(error: unknown): string {
    return this.#discreet(messageOf(error)).replaceAll(/\s+/g, ' ').slice(0, 300)
  }

  /** A server may repeat what it was sent: its answers are read before anybody else sees them. */
  #discreet<T>(value: T): T {
    return this.#secrets.size === 0 ? value : (withoutSecrets(this.#secrets, value as Json) as T)
  }

  /** When somebody last needed it. */
  get usedAt(): number {
    return this.#usedAt
  }

  get busy(): boolean {
    return this.open.all().length > 0 || this.#taskLines.size > 0 || this.#listing !== undefined
  }

  /** Lets go of a line that nobody has used for a while, unless something is open on it. */
  async restIfIdle(): Promise<void> {
    if (!this.busy && this.#using.now() - this.#usedAt > LIMITS.idleMs) await this.connection.rest()
  }

  async close(): Promise<void> {
    const lines = new Set([...this.open.all().map((call) => call.line), ...this.#taskLines.values()])
    this.open.abortAll()
    await this.connection.close()
    await Promise.all([...lines].map((line) => line.close()))
  }
}

/** What makes it the server it is. Credentials may change, and it is still the same. */
function identity(server: AnyServer): string {
  const what = isCommand(server) ? [server.command, ...(server.args ?? [])] : [server.url]
  return createHash('sha256').update(JSON.stringify(what)).digest('hex').slice(0, 16)
}

/** Whether it was there before anybody lost patience. */
async function inTime(work: Promise<void> | undefined): Promise<boolean> {
  const patience = new AbortController()
  const late = sleep(LIMITS.patienceMs, true, patience).catch(() => true)
  const isLate = await Promise.race([work, late])
  patience.abort()
  return isLate !== true
}
