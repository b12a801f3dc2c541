/**
 * The clients that are connected to a conversation, on any node, and the tools that they can run. A node writes one document
 * for each conversation that has clients there, when a client connects or disconnects. Every few seconds it also writes that
 * it is alive, so that the clients of a killed node are recognised as gone. A connected client needs no other writes.
 *
 * A client that may still be connected counts as connected, so no call fails too early.
 */
import type { Json } from '@holdpoint/core/internal/json'
import type { Address, Store } from '@holdpoint/core/internal/log/store'
import { OVER, type Ports } from '@holdpoint/core/internal/ports'
import { keyOf } from './active-logs.ts'

const CLIENTS = 'client'
const NODE = 'client.node'
const BEAT_MS = 5000
/** A node that has not written for so long is gone, and so are its clients. */
const SILENT_MS = 3 * BEAT_MS
/** How long a document lasts. It is written again before that, while clients are connected. */
const KEPT_MS = 86_400_000
/** How long the time of a disconnect is kept. */
const LEFT_MS = 3_600_000
const PAGE = 100

/** The clients of one conversation on this node. */
interface Here {
  readonly address: Address
  /** The tools that each client can run. */
  readonly clients: Set<readonly string[]>
  /** By tool: when the last client that could run it disconnected. */
  readonly left: Map<string, number>
  writing: Promise<void>
  /** When the document was last written; undefined when it has to be written again. */
  writtenAt: number | undefined
}

/** The document of a node's clients. `left` is a list of pairs, because a tool's name can be any key. */
interface ClientsDocument {
  readonly node: string
  readonly here: readonly string[]
  readonly left: readonly (readonly [tool: string, at: number])[]
}

interface ClientsOptions {
  readonly store: Store
  /** Their clock is the store's. */
  readonly ports: Ports
  readonly node: string
  failed(error: unknown, address?: Address): void
}

export class ConnectedClients {
  readonly #options: ClientsOptions
  readonly #here = new Map<string, Here>()
  #beatAt = -Infinity
  #startedAt = Infinity
  #keeping: Promise<void> | undefined
  readonly #closing = new AbortController()

  constructor(options: ClientsOptions) {
    this.#options = options
  }

  /** Registers a client that can run these tools. When this resolves, every node can see it. Call the result to disconnect. */
  async attend(address: Address, tools: readonly string[]): Promise<() => Promise<void>> {
    const here = this.#hereOf(address)
    here.clients.add(tools)
    this.#keeping ??= this.#keep()
    await this.#write(here)
    let connected = true
    return async () => {
      // `close` writes for all clients at once.
      if (!connected || this.#closing.signal.aborted) return
      connected = false
      this.#leave(here, tools)
      await this.#write(here)
    }
  }

  /** When a client that can run this tool was last connected: now, if one is. */
  async seenAt({ tenant, id }: Address, tool: string): Promise<number> {
    const { store } = this.#options
    // No client can have connected before this process started.
    let last = this.#startedAt
    let after: string | undefined
    do {
      const page = await store.documents({
        tenant,
        kind: CLIENTS,
        prefix: prefixOf(id),
        limit: PAGE,
        ...(after !== undefined && { after }),
      })
      for (const { data } of page.items)
        last = Math.max(last, await this.#seenBy(data as unknown as ClientsDocument, tool))
      after = page.next
    } while (after !== undefined)
    return last
  }

  /** From now on, clients can connect to this process. */
  start(): void {
    this.#startedAt = this.#options.ports.now()
  }

  /** Disconnects all clients of this process. */
  async close(): Promise<void> {
    this.#closing.abort(OVER)
    const all = [...this.#here.values()]
    for (const here of all) for (const tools of here.clients) this.#leave(here, tools)
    await Promise.all([this.#keeping, ...all.map((here) => this.#write(here))])
  }

  /** Writes that this node is alive while it has clients, and repeats writes that failed. */
  async #keep(): Promise<void> {
    const { ports, failed } = this.#options
    const { signal } = this.#closing
    while (this.#here.size > 0) {
      await ports.sleep(BEAT_MS, signal)
      if (signal.aborted) return
      await this.#beat().catch((error: unknown) => failed(error))
      const old = ports.now() - KEPT_MS / 2
      for (const here of this.#here.values()) if ((here.writtenAt ?? -Infinity) < old) void this.#write(here)
    }
    this.#keeping = undefined
  }

  #hereOf(address: Address): Here {
    const key = keyOf(address)
    const known = this.#here.get(key)
    if (known) return known
    const here = {
      address,
      clients: new Set<readonly string[]>(),
      left: new Map<string, number>(),
      writing: Promise.resolve(),
      writtenAt: undefined,
    }
    this.#here.set(key, here)
    return here
  }

  #leave(here: Here, tools: readonly string[]): void {
    here.clients.delete(tools)
    for (const tool of tools) here.left.set(tool, this.#options.ports.now())
  }

  /** Writes one after the other, each with the clients of that moment. A failed write is reported and repeated at the next beat. */
  #write(here: Here): Promise<void> {
    here.writtenAt = undefined
    here.writing = here.writing.then(async () => {
      try {
        await this.#put(here)
      } catch (error) {
        here.writtenAt = undefined
        this.#options.failed(error, here.address)
      }
    })
    return here.writing
  }

  async #put(here: Here): Promise<void> {
    if (here.writtenAt !== undefined) return
    const { store, ports, node } = this.#options
    const { address, clients } = here
    if (ports.now() - this.#beatAt > BEAT_MS) await this.#beat()
    const now = ports.now()
    here.writtenAt = now
    const can = new Set([...clients].flat())
    const left = [...here.left].filter(([tool, at]) => !can.has(tool) && now - at < LEFT_MS)
    const data: Json = { node, here: [...can], left: left.map((each) => [...each]) }
    const ttlMs = can.size > 0 ? KEPT_MS : LEFT_MS
    await store.put({ tenant: address.tenant, kind: CLIENTS, id: prefixOf(address.id) + node, data, ttlMs })
    if (clients.size === 0 && here.writtenAt === now) this.#here.delete(keyOf(address))
  }

  async #beat(): Promise<void> {
    const { store, ports, node } = this.#options
    await store.put({ tenant: '', kind: NODE, id: node, data: {}, ttlMs: KEPT_MS })
    this.#beatAt = ports.now()
  }

  async #seenBy({ node, here, left }: ClientsDocument, tool: string): Promise<number> {
    if (!here.includes(tool)) return left.find(([name]) => name === tool)?.[1] ?? -Infinity
    const { store, ports } = this.#options
    if (node === this.#options.node) return ports.now()
    const beat = await store.get('', NODE, node)
    if (!beat) return -Infinity
    return beat.at > ports.now() - SILENT_MS ? ports.now() : beat.at
  }
}

/** With the length, the prefix of one conversation is never a prefix of another's. */
function prefixOf(id: string): string {
  return `${id.length}:${id}:`
}
