/**
 * A server as one tenant uses it: its line, its tools as they were allowed, what is open on it. A server that is away, slow
 * or hostile costs its own tools only: those it had are still shown, and a call of them says why not.
 */
import { messageOf, type Address, type Json, type Resumption, type Store, type Tool } from '@holdpoint/core'
import { tool, withoutSecrets } from 'holdpoint'
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { stateOf } from './call-state.ts'
import { Connection, ServerAway, short, type Line } from './connection.ts'
import { inWords, type Difference } from './definition.ts'
import { readElicitation } from './elicitation.ts'
import { LIMITS } from './limits.ts'
import { OpenCalls, type OpenCall } from './open-call.ts'
import { Pins, type Pin } from './pins.ts'
import { runCall } from './run-call.ts'
import { isCommand, type AnyServer } from './server-config.ts'
import type { Watch } from './watch.ts'
import { wireTo, type WireOptions } from './wire.ts'

export interface McpServerStatus {
  readonly name: string
  /** Its address, or the command that it is started with. */
  readonly at: string
  readonly transport: 'http' | 'stdio'
  /** `new`: nobody has needed it yet. */
  readonly health: 'new' | 'ready' | 'away'
  readonly era?: 'modern' | 'legacy'
  readonly version?: string
  readonly lastError?: string
  readonly tools: readonly McpToolStatus[]
  /** Tools of the server that are not offered, and why. */
  readonly refused: readonly { readonly name: string; readonly why: string }[]
}

export interface McpToolStatus {
  /** As the model knows it. */
  readonly name: string
  readonly tool: string
  readonly description: string
  readonly fingerprint: string
  /** What the server says of it now, when that is not what was allowed: calls are held until it is accepted. */
  readonly changed?: { readonly fingerprint: string; readonly changes: readonly Difference[] }
}

type Refused = McpServerStatus['refused'][number]

export interface Using extends Omit<WireOptions, 'used'> {
  readonly store: Store
  readonly watch: Watch
  readonly now: () => number
}

export class ServerInUse {
  readonly name: string
  /** Tells it from every other server of the tenant, also from one of the same name elsewhere. */
  readonly key: string
  readonly onLost: 'retry' | 'fail' | 'ask'
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
  /** Somebody waited for the list, and it was there or took too long. */
  #waited = false
  #known: { readonly pins: readonly Pin[]; readonly refused: readonly Refused[] } | undefined
  #tools: { readonly of: readonly Pin[]; readonly tools: readonly Tool[] } | undefined
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
    this.watch = watch
    this.#pins = new Pins(store, tenant, this.key)
    const used = (name: string, value: string): void => void this.#secrets.set(name, value)
    this.connection = new Connection(server.name, () => wireTo({ ...using, used }), isCommand(server), {
      elicit: (params, line) => this.#elicited(params, line),
      listChanged: () => this.#outdated(),
      now,
    })
  }

  /** What the model may call. Waits for the server the first time only, and not for long. */
  async tools(): Promise<readonly Tool[]> {
    this.#usedAt = this.#using.now()
    await this.#fresh()
    const pins = (this.#known?.pins ?? []).filter((pin) => this.#allowed(pin.definition.name) && !pin.gone)
    if (this.#tools && sameList(this.#tools.of, pins)) return this.#tools.tools
    const refused: Refused[] = []
    const tools = pins.flatMap((pin) => {
      try {
        return [this.#toolOf(pin)]
      } catch (error) {
        refused.push({ name: pin.definition.name, why: short(messageOf(error)) })
        return []
      }
    })
    if (this.#known) this.#known = { ...this.#known, refused: [...this.#known.refused, ...refused] }
    this.#tools = { of: pins, tools }
    return tools
  }

  async #fresh(): Promise<void> {
    const { now } = this.#using
    if (now() - this.#listedAt > LIMITS.listMs)
      this.#listing ??= this.#list().finally(() => (this.#listing = undefined))
    if (this.#waited) return
    const patience = new AbortController()
    await Promise.race([this.#listing, sleep(LIMITS.patienceMs, undefined, patience).catch(() => {})])
    patience.abort()
    this.#waited = true
    // It is slow, and nobody waits any longer: what it had before will do until it has answered.
    this.#known ??= { pins: await this.#pins.all(), refused: [] }
  }

  async #list(): Promise<void> {
    try {
      const { tools, refused } = await this.connection.tools()
      this.#line = await this.connection.line()
      this.#known = { pins: await this.#pins.see(tools.filter(({ name }) => this.#allowed(name))), refused }
      this.#listedAt = this.#using.now()
      this.#lastError = undefined
      await this.#takeUpTasks()
    } catch (error) {
      this.#lastError = this.discreet(short(error))
      // What it had before is still its own; the next step tries again, once the pause is over.
      this.#known ??= { pins: await this.#pins.all(), refused: [] }
    }
  }

  #allowed(name: string): boolean {
    return this.#server.allowedTools?.includes(name) ?? true
  }

  #toolOf(pin: Pin): Tool {
    const { definition } = pin
    const { approval, timeout = '2 minutes', questionTimeout = '7 days' } = this.#server
    const plain = approval === undefined || approval === 'auto' ? { required: false } : approval
    return tool({
      name: `${this.name}.${definition.name}`,
      description: definition.description,
      input: definition.inputSchema,
      ...(definition.outputSchema && { output: definition.outputSchema }),
      visible: false,
      streaming: true,
      timeout,
      approvalTimeout: questionTimeout,
      // Whoever was only looking how a task is may look again, whatever else is the rule.
      onLost:
        this.onLost === 'ask' ? ({ resumed }) => ({ happened: onlyLooked(resumed) ? false : 'unknown' }) : this.onLost,
      approval: () => {
        const set = plain === 'required' ? { required: true } : plain
        const now = this.#known?.pins.find((each) => each.definition.name === definition.name) ?? pin
        return now.changed ? { ...set, required: true, reason: inWords(now.changes) } : set
      },
      run: (context) => runCall(this, definition, context),
    })
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
    if (line.stdio && !needed && !(await this.connection.isUsual(line))) await line.close()
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
    const asked = readElicitation(params)
    const call = this.open.asking(line)
    // What nobody can be asked, or nobody knows for whom, is put aside: the server goes on without.
    return asked && call ? call.ask(asked) : { action: 'cancel' }
  }

  async accept(toolName: string, fingerprint: string): ReturnType<Pins['accept']> {
    const answer = await this.#pins.accept(toolName, fingerprint)
    this.#outdated()
    return answer
  }

  /** The next step waits for the list: it is known to be another one. */
  #outdated(): void {
    this.#listedAt = -Infinity
    this.#waited = false
  }

  async status(): Promise<McpServerStatus> {
    const pins = this.#known?.pins ?? (await this.#pins.all())
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
      ...(lastError !== undefined && { lastError: this.discreet(lastError) }),
      tools: pins.filter((pin) => this.#allowed(pin.definition.name) && !pin.gone).map((pin) => this.#toolStatus(pin)),
      refused: this.#known?.refused ?? [],
    }
  }

  #toolStatus({ definition: { name, description }, fingerprint, changed, changes }: Pin): McpToolStatus {
    return {
      name: `${this.name}.${name}`,
      tool: name,
      description,
      fingerprint,
      ...(changed && { changed: { fingerprint: changed.fingerprint, changes } }),
    }
  }

  /** A server may repeat what it was sent: its answers are read before anybody else sees them. */
  discreet<T>(value: T): T {
    return this.#secrets.size === 0 ? value : (withoutSecrets(this.#secrets, value as Json) as T)
  }

  /** Lets go of a line that nobody has used for a while, unless something is open on it. */
  async restIfIdle(): Promise<void> {
    const busy = this.open.all().length > 0 || this.#taskLines.size > 0 || this.#listing !== undefined
    if (!busy && this.#using.now() - this.#usedAt > LIMITS.idleMs) await this.connection.rest()
  }

  async close(): Promise<void> {
    const lines = new Set([...this.open.all().map((call) => call.line), ...this.#taskLines.values()])
    this.open.abortAll()
    await this.connection.close()
    await Promise.all([...lines].map((line) => line.close()))
  }
}

function onlyLooked(resumed: Resumption | undefined): boolean {
  return stateOf(resumed?.state)?.at === 'task'
}

/** What makes it the server it is. Credentials may change, and it is still the same. */
function identity(server: AnyServer): string {
  const what = isCommand(server) ? [server.command, ...(server.args ?? [])] : [server.url]
  return createHash('sha256').update(JSON.stringify(what)).digest('hex').slice(0, 16)
}

function sameList(a: readonly Pin[], b: readonly Pin[]): boolean {
  return a.length === b.length && a.every((pin, index) => pin.fingerprint === b[index]?.fingerprint)
}
