/**
 * One client to one server for one tenant. It connects when it is needed, and again after it broke, with growing pauses in
 * which everybody is told at once why not. Nothing it holds is needed again after a restart.
 */
import { Client, type Transport } from '@modelcontextprotocol/client'
import { setTimeout as sleep } from 'node:timers/promises'
import { readDefinition, type Definition } from './definition.ts'
import { LIMITS } from './limits.ts'
import { Tasks } from './tasks.ts'

export interface ConnectionEvents {
  /** The server asks something in the middle of a call; older servers only. */
  elicit(params: unknown, line: Line): Promise<unknown>
  listChanged(): void
  /** Of whatever was thrown, what can be said to anybody. */
  inShort(error: unknown): string
  now(): number
}

/** A connection that stands. */
export interface Line {
  readonly client: Client
  readonly tasks: Tasks
  readonly era: 'modern' | 'legacy'
  readonly version: string
  /** It has one process behind it, whose questions do not say which call they belong to. */
  readonly stdio: boolean
  /** Something that the line must stay for. */
  use<T>(work: () => Promise<T>): Promise<T>
  /** Closes it, once nothing is open on it any more. */
  leave(): void
  close(): Promise<void>
}

export interface Listed {
  readonly tools: readonly Definition[]
  /** What was not taken, and why. */
  readonly refused: readonly { readonly name: string; readonly why: string }[]
}

/** A server that could not be reached: said to the model, and tried again later. */
export class ServerAway extends Error {
  override readonly name = 'ServerAway'
}

export class Connection {
  readonly #name: string
  readonly #wire: () => Transport
  readonly #stdio: boolean
  readonly #events: ConnectionEvents
  #line: Promise<Line> | undefined
  /** The same, once it stands. */
  #usual: Line | undefined
  #failures = 0
  #notBefore = 0
  #lastError: string | undefined
  #closed = false

  constructor(name: string, wire: () => Transport, stdio: boolean, events: ConnectionEvents) {
    this.#name = name
    this.#wire = wire
    this.#stdio = stdio
    this.#events = events
  }

  get lastError(): string | undefined {
    return this.#lastError
  }

  /** The line, made now if there is none. Those who come while it is made wait for the same one. */
  line(): Promise<Line> {
    if (this.#closed) return Promise.reject(new ServerAway(`The MCP server "${this.#name}" is no longer used here.`))
    if (this.#line) return this.#line
    const wait = this.#notBefore - this.#events.now()
    if (wait > 0)
      return Promise.reject(
        new ServerAway(`The MCP server "${this.#name}" is away (${this.#lastError}). It is tried again by itself.`),
      )
    const line = this.open()
    this.#line = line
    line.then(
      (made) => {
        this.#failures = 0
        this.#lastError = undefined
        if (this.#line === line) this.#usual = made
      },
      (error: unknown) => this.#failed(line, error),
    )
    return line
  }

  /** A line beside the usual one, for a call that has it to itself. */
  async open(): Promise<Line> {
    const client = new Client(
      { name: 'holdpoint', version: '0.1.0' },
      {
        capabilities: {
          elicitation: { form: {}, url: {} },
          extensions: { 'io.modelcontextprotocol/tasks': {} },
        },
        versionNegotiation: { mode: 'auto', probe: { timeoutMs: this.#stdio ? LIMITS.probeMs : LIMITS.connectMs } },
        listMaxPages: LIMITS.pages,
        listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => this.#events.listChanged() } },
      },
    )
    const transport = this.#wire()
    const close = async (): Promise<void> => {
      await client.close().catch(() => {})
      await transport.close().catch(() => {})
    }
    try {
      await inTime(client.connect(transport, { timeout: LIMITS.connectMs }), LIMITS.openMs)
    } catch (error) {
      await close()
      const why = this.#events.inShort(error)
      throw new ServerAway(`The MCP server "${this.#name}" cannot be reached: ${why}`, { cause: error })
    }
    const era = client.getProtocolEra() ?? 'legacy'
    const version = client.getNegotiatedProtocolVersion() ?? 'unknown'
    const line: Line = {
      client,
      tasks: new Tasks(client),
      era,
      version,
      stdio: this.#stdio,
      ...whileUsed(close),
      close,
    }
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      return (await this.#events.elicit(params, line)) as never
    })
    // Closed by the other side: nothing went wrong yet for anybody.
    client.onclose = () => this.detach(line)
    return line
  }

  async tools(): Promise<Listed> {
    const tools: Definition[] = []
    const refused: { name: string; why: string }[] = []
    const line = await this.line()
    try {
      const listed = await line.client.listTools(undefined, { timeout: LIMITS.connectMs, cacheMode: 'refresh' })
      for (const [index, each] of listed.tools.entries()) {
        const read = index < LIMITS.tools ? readDefinition(each) : `a server may have ${LIMITS.tools} tools`
        const why =
          typeof read !== 'string' && tools.some(({ name }) => name === read.name) ? 'it is there twice' : read
        if (typeof why === 'string') refused.push({ name: String(each.name).slice(0, 100), why })
        else tools.push(why)
      }
    } catch (error) {
      this.broken(error, line)
      const why = this.#events.inShort(error)
      throw new ServerAway(`The MCP server "${this.#name}" did not tell its tools: ${why}`, { cause: error })
    }
    return { tools, refused }
  }

  /** Something went wrong on a line: the next one to need it makes a new one. Whoever has something open on it keeps it. */
  broken(error: unknown, line: Line): void {
    this.#lastError = this.#events.inShort(error)
    this.detach(line)
    line.leave()
  }

  /** Nobody has needed it for a while: the line is let go, and made again for the next one. */
  async rest(): Promise<void> {
    const line = this.#line
    this.#line = undefined
    this.#usual = undefined
    await line?.then(({ close }) => close()).catch(() => {})
  }

  isUsual(line: Line): boolean {
    return this.#usual === line
  }

  /** The line is somebody's own from now on: the next to ask gets another. */
  detach(line: Line): void {
    if (this.#usual !== line) return
    this.#line = undefined
    this.#usual = undefined
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#line?.then(({ close }) => close()).catch(() => {})
  }

  #failed(line: Promise<Line>, error: unknown): void {
    if (this.#line !== line) return
    this.#line = undefined
    this.#lastError = this.#events.inShort(error)
    const pause = Math.min(LIMITS.firstPauseMs * 2 ** this.#failures++, LIMITS.longestPauseMs)
    this.#notBefore = this.#events.now() + pause
  }
}

/** What is sent without an answer has no time of its own: a server that never takes it would be waited for without end. */
async function inTime(connecting: Promise<void>, ms: number): Promise<void> {
  const over = new AbortController()
  const late = sleep(ms, undefined, over).then(() => {
    throw new Error(`it took longer than ${ms} ms.`)
  })
  // Whichever comes second is heard by nobody.
  for (const each of [connecting, late]) each.catch(() => {})
  await Promise.race([connecting, late]).finally(() => over.abort())
}

function whileUsed(close: () => Promise<void>): Pick<Line, 'use' | 'leave'> {
  let uses = 0
  let leaving = false
  const closeIfUnused = (): void => {
    if (leaving && uses === 0) void close()
  }
  return {
    use: async (work) => {
      uses++
      try {
        return await work()
      } finally {
        uses--
        closeIfUnused()
      }
    },
    leave: () => {
      leaving = true
      closeIfUnused()
    },
  }
}
