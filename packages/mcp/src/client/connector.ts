/**
 * Connects to one server for one tenant: when a connection is first needed, and again after it broke. After a failure there
 * is a growing delay, in which every caller gets the error at once. Nothing here has to survive a restart.
 */
import { Client, type Transport } from '@modelcontextprotocol/client'
import { setTimeout as sleep } from 'node:timers/promises'
import { readDefinition, type Definition } from './tool-definition.ts'
import { LIMITS } from './limits.ts'
import { Tasks } from './tasks.ts'

export interface ConnectorEvents {
  /** The server asks a question during a call. Only legacy servers do. */
  elicit(params: unknown, connection: Connection): Promise<unknown>
  listChanged(): void
  /** The error as a short text without secrets. */
  describe(error: unknown): string
  now(): number
}

/** An established connection. */
export interface Connection {
  readonly client: Client
  readonly tasks: Tasks
  readonly era: 'modern' | 'legacy'
  readonly version: string
  /** The server is a local process. The questions of a legacy one do not say which call they belong to. */
  readonly stdio: boolean
  /** Runs work that needs the connection. */
  use<T>(work: () => Promise<T>): Promise<T>
  /** Closes the connection once no work uses it. */
  closeWhenUnused(): void
  close(): Promise<void>
}

export interface ListedTools {
  readonly tools: readonly Definition[]
  /** The tools that cannot be used, and why. */
  readonly refused: readonly { readonly name: string; readonly why: string }[]
}

/** The server cannot be reached. The model gets the message, and a later call tries again. */
export class ServerUnavailable extends Error {
  override readonly name = 'ServerUnavailable'
}

export class Connector {
  readonly #name: string
  readonly #createTransport: () => Transport
  readonly #stdio: boolean
  readonly #events: ConnectorEvents
  #connecting: Promise<Connection> | undefined
  /** The shared connection, once it is established. */
  #shared: Connection | undefined
  #failures = 0
  #notBefore = 0
  #lastError: string | undefined
  #closed = false

  constructor(name: string, createTransport: () => Transport, stdio: boolean, events: ConnectorEvents) {
    this.#name = name
    this.#createTransport = createTransport
    this.#stdio = stdio
    this.#events = events
  }

  get lastError(): string | undefined {
    return this.#lastError
  }

  /** The shared connection. Connects if there is none. Concurrent callers wait for the same one. */
  connection(): Promise<Connection> {
    if (this.#closed) return Promise.reject(new ServerUnavailable(`The MCP server "${this.#name}" is closed.`))
    if (this.#connecting) return this.#connecting
    const wait = this.#notBefore - this.#events.now()
    if (wait > 0)
      return Promise.reject(
        new ServerUnavailable(
          `The MCP server "${this.#name}" is unavailable (${this.#lastError}). It is retried automatically.`,
        ),
      )
    const connecting = this.open()
    this.#connecting = connecting
    connecting.then(
      (made) => {
        this.#failures = 0
        this.#lastError = undefined
        if (this.#connecting === connecting) this.#shared = made
      },
      (error: unknown) => this.#failed(connecting, error),
    )
    return connecting
  }

  /** Opens another connection, which is not shared. */
  async open(): Promise<Connection> {
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
    const transport = this.#createTransport()
    const close = async (): Promise<void> => {
      await client.close().catch(() => {})
      await transport.close().catch(() => {})
    }
    try {
      await inTime(client.connect(transport, { timeout: LIMITS.connectMs }), LIMITS.openMs)
    } catch (error) {
      await close()
      const why = this.#events.describe(error)
      throw new ServerUnavailable(`The MCP server "${this.#name}" cannot be reached: ${why}`, { cause: error })
    }
    const era = client.getProtocolEra() ?? 'legacy'
    const version = client.getNegotiatedProtocolVersion() ?? 'unknown'
    const connection: Connection = {
      client,
      tasks: new Tasks(client),
      era,
      version,
      stdio: this.#stdio,
      ...countUses(close),
      close,
    }
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      return (await this.#events.elicit(params, connection)) as never
    })
    // The server disconnected during an answer, and the SDK stopped reconnecting. Without this, callers would wait forever.
    client.onerror = (error) => {
      if (!error.message.startsWith('Maximum reconnection attempts')) return
      this.reportBroken(error, connection)
      void close()
    }
    // Closed by the server: not an error until a call needs the connection.
    client.onclose = () => this.detach(connection)
    return connection
  }

  async listTools(): Promise<ListedTools> {
    const tools: Definition[] = []
    const refused: { name: string; why: string }[] = []
    const connection = await this.connection()
    try {
      const listed = await connection.client.listTools(undefined, { timeout: LIMITS.connectMs, cacheMode: 'refresh' })
      for (const [index, each] of listed.tools.entries()) {
        const read = index < LIMITS.tools ? readDefinition(each) : `the limit is ${LIMITS.tools} tools per server`
        const why =
          typeof read !== 'string' && tools.some(({ name }) => name === read.name) ? 'the name occurs twice' : read
        if (typeof why === 'string') refused.push({ name: String(each.name).slice(0, 100), why })
        else tools.push(why)
      }
    } catch (error) {
      this.reportBroken(error, connection)
      const why = this.#events.describe(error)
      throw new ServerUnavailable(`The MCP server "${this.#name}" did not list its tools: ${why}`, { cause: error })
    }
    return { tools, refused }
  }

  /** After an error, the next caller gets a new connection. Work in progress keeps the old one. */
  reportBroken(error: unknown, connection: Connection): void {
    this.#lastError = this.#events.describe(error)
    this.detach(connection)
    connection.closeWhenUnused()
  }

  /** Closes the shared connection. The next caller connects again. */
  async disconnect(): Promise<void> {
    const connecting = this.#connecting
    this.#connecting = undefined
    this.#shared = undefined
    await connecting?.then(({ close }) => close()).catch(() => {})
  }

  isShared(connection: Connection): boolean {
    return this.#shared === connection
  }

  /** The connection is no longer shared. The next caller gets a new one. */
  detach(connection: Connection): void {
    if (this.#shared !== connection) return
    this.#connecting = undefined
    this.#shared = undefined
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#connecting?.then(({ close }) => close()).catch(() => {})
  }

  #failed(connecting: Promise<Connection>, error: unknown): void {
    if (this.#connecting !== connecting) return
    this.#connecting = undefined
    this.#lastError = this.#events.describe(error)
    const pause = Math.min(LIMITS.firstRetryMs * 2 ** this.#failures++, LIMITS.maxRetryMs)
    this.#notBefore = this.#events.now() + pause
  }
}

/** A notification has no timeout in the SDK, so a server that never accepts it would block the connection forever. */
async function inTime(connecting: Promise<void>, ms: number): Promise<void> {
  const timer = new AbortController()
  const late = sleep(ms, undefined, timer).then(() => {
    throw new Error(`it took longer than ${ms} ms.`)
  })
  // The later of the two must not be an unhandled rejection.
  for (const each of [connecting, late]) each.catch(() => {})
  await Promise.race([connecting, late]).finally(() => timer.abort())
}

function countUses(close: () => Promise<void>): Pick<Connection, 'use' | 'closeWhenUnused'> {
  let uses = 0
  let closing = false
  const closeIfUnused = (): void => {
    if (closing && uses === 0) void close()
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
    closeWhenUnused: () => {
      closing = true
      closeIfUnused()
    },
  }
}
