/**
 * Which conversations have a client that can carry calls out, on whatever node it is connected: documents that every node
 * can read. A node writes one for each conversation that it has clients of, when they come and when they go, and says
 * every few seconds that it lives; so one that was killed is found out, and being there costs nothing while nothing
 * happens.
 *
 * What is told of a client is never early: one that may still be there counts as there.
 */
import type { Json } from '../json.ts'
import type { Address, Store } from '../log/store.ts'
import { OVER, type Ports } from '../ports.ts'
import { keyOf } from './active-logs.ts'

const PLACE = 'client'
const NODE = 'client.node'
const BEAT_MS = 5000
/** A node that was not heard of for so long is gone, and so are its clients. */
const SILENT_MS = 3 * BEAT_MS
/** Written again before that, while they are there. */
const KEPT_MS = 86_400_000
/** How long it is known when a client was last there. */
const LEFT_MS = 3_600_000
const PAGE = 100

/** The clients of one conversation on this node. */
interface Here {
  readonly address: Address
  /** What each of them can carry out. */
  readonly clients: Set<readonly string[]>
  /** When the last one left that could. */
  readonly left: Map<string, number>
  writing: Promise<void>
  /** When that was last written; undefined when it has to be written again. */
  writtenAt: number | undefined
}

/** Pairs, since a name may be any. */
interface Place {
  readonly node: string
  readonly here: readonly string[]
  readonly left: readonly (readonly [tool: string, at: number])[]
}

interface Around {
  readonly store: Store
  /** With the store's time. */
  readonly ports: Ports
  readonly node: string
  failed(error: unknown, address?: Address): void
}

export class Clients {
  readonly #around: Around
  readonly #here = new Map<string, Here>()
  #beatAt = -Infinity
  #startedAt = Infinity
  #keeping: Promise<void> | undefined
  readonly #closing = new AbortController()

  constructor(around: Around) {
    this.#around = around
  }

  /** A client is there that can carry these out, until what it resolves to is called. It is known to all by then. */
  async attend(address: Address, tools: readonly string[]): Promise<() => Promise<void>> {
    const here = this.#hereOf(address)
    here.clients.add(tools)
    this.#keeping ??= this.#keep()
    await this.#write(here)
    let there = true
    return async () => {
      // `close` writes for all clients at once.
      if (!there || this.#closing.signal.aborted) return
      there = false
      this.#leave(here, tools)
      await this.#write(here)
    }
  }

  /** When a client that can carry this tool out was last there: now, if one is. */
  async seenAt({ tenant, id }: Address, tool: string): Promise<number> {
    const { store } = this.#around
    // No client can have connected before this process started.
    let last = this.#startedAt
    let after: string | undefined
    do {
      const page = await store.documents({
        tenant,
        kind: PLACE,
        prefix: prefixOf(id),
        limit: PAGE,
        ...(after !== undefined && { after }),
      })
      for (const { data } of page.items) last = Math.max(last, await this.#seenBy(data as unknown as Place, tool))
      after = page.next
    } while (after !== undefined)
    return last
  }

  /** From now on clients can come here. */
  start(): void {
    this.#startedAt = this.#around.ports.now()
  }

  /** No client is connected here any more. */
  async close(): Promise<void> {
    this.#closing.abort(OVER)
    const all = [...this.#here.values()]
    for (const here of all) for (const tools of here.clients) this.#leave(here, tools)
    await Promise.all([this.#keeping, ...all.map((here) => this.#write(here))])
  }

  /** Says that this node lives for as long as it has clients, and makes up for what could not be written. */
  async #keep(): Promise<void> {
    const { ports, failed } = this.#around
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
    for (const tool of tools) here.left.set(tool, this.#around.ports.now())
  }

  /** One after the other, each with what is true then. What fails is reported, and written with the next beat. */
  #write(here: Here): Promise<void> {
    here.writtenAt = undefined
    here.writing = here.writing.then(async () => {
      try {
        await this.#put(here)
      } catch (error) {
        here.writtenAt = undefined
        this.#around.failed(error, here.address)
      }
    })
    return here.writing
  }

  async #put(here: Here): Promise<void> {
    if (here.writtenAt !== undefined) return
    const { store, ports, node } = this.#around
    const { address, clients } = here
    if (ports.now() - this.#beatAt > BEAT_MS) await this.#beat()
    const now = ports.now()
    here.writtenAt = now
    const can = new Set([...clients].flat())
    const left = [...here.left].filter(([tool, at]) => !can.has(tool) && now - at < LEFT_MS)
    const data: Json = { node, here: [...can], left: left.map((each) => [...each]) }
    const ttlMs = can.size > 0 ? KEPT_MS : LEFT_MS
    await store.put({ tenant: address.tenant, kind: PLACE, id: prefixOf(address.id) + node, data, ttlMs })
    if (clients.size === 0 && here.writtenAt === now) this.#here.delete(keyOf(address))
  }

  async #beat(): Promise<void> {
    const { store, ports, node } = this.#around
    await store.put({ tenant: '', kind: NODE, id: node, data: {}, ttlMs: KEPT_MS })
    this.#beatAt = ports.now()
  }

  async #seenBy({ node, here, left }: Place, tool: string): Promise<number> {
    if (!here.includes(tool)) return left.find(([name]) => name === tool)?.[1] ?? -Infinity
    const { store, ports } = this.#around
    if (node === this.#around.node) return ports.now()
    const beat = await store.get('', NODE, node)
    if (!beat) return -Infinity
    return beat.at > ports.now() - SILENT_MS ? ports.now() : beat.at
  }
}

/** No id of one conversation begins like that of another. */
function prefixOf(id: string): string {
  return `${id.length}:${id}:`
}
