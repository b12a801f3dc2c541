/** All readers of this node: how many there may be, who says that we are still here, and their end. */
import type { LogEvent } from '@holdpoint/core'
import type { Principal } from '../auth/principal.ts'
import type { Limits } from '../gateway-options.ts'
import { no, type Answer } from '../http/answer.ts'
import type { Asked } from '../http/route.ts'
import { ChangesReader } from './changes-reader.ts'
import { Connection } from './connection.ts'
import type { Hubs } from './hubs.ts'

/** When a stream ends although its credential is good. */
export interface Leaves {
  /** This event is the last that its reader is given. */
  readonly until: (event: LogEvent) => boolean
  /** Asked now and then: whether its reader may still see it. */
  readonly still: () => Promise<boolean>
}

interface Opened {
  readonly who: Principal
  readonly still: (() => Promise<boolean>) | undefined
  /** As it was sent: a stream must not keep its request. */
  readonly authorization: string | null
}

type Reader = Connection | ChangesReader

export class Streams {
  readonly #hubs: Hubs
  readonly #limits: Limits
  readonly #now: () => number
  readonly #still: (authorization: string | null) => Promise<boolean>
  readonly #open = new Map<Reader, Opened>()
  readonly #counts = new Map<string, number>()
  readonly #timer: ReturnType<typeof setInterval>
  #closing = false
  #asking = false

  /** `still`: whether whoever opened a stream may still see it. */
  constructor(
    hubs: Hubs,
    limits: Limits,
    now: () => number,
    still: (authorization: string | null) => Promise<boolean>,
  ) {
    this.#hubs = hubs
    this.#limits = limits
    this.#now = now
    this.#still = still
    this.#timer = setInterval(() => void this.#beat(), limits.heartbeatMs)
    this.#timer.unref()
  }

  get size(): number {
    return this.#open.size
  }

  /** `tools`: client tools that the reader can run. Calls of them wait while it is there. */
  async open(
    { request, peer, who, runtime }: Asked,
    id: string,
    { tools, leaves }: { readonly tools?: readonly string[] | undefined; readonly leaves?: Leaves } = {},
  ): Promise<Answer> {
    const asked = lastEventId(request)
    if (asked === undefined) return no('bad-request', 'Last-Event-ID is the seq of an event, a whole number from 0.')
    const [there] = await runtime.events(id, Math.max(0, asked - 1), 1)
    const reset = !there && asked > 0
    if (!there && (asked === 0 || (await runtime.events(id, 0, 1)).length === 0))
      return no('not-found', `There is no conversation "${id}".`)
    const full = this.#enter(who)
    if (full) return full
    const hub = await this.#hubs.enter(who.tenant, id).catch((error: unknown) => {
      this.#leave(who)
      throw error
    })
    // A gateway that is closing tells of its clients by itself.
    const leaving = tools && runtime.attend(id, tools).catch(() => undefined)
    const connection = new Connection({
      runtime,
      id,
      after: reset ? 0 : asked,
      reset,
      hub,
      limits: this.#limits,
      now: this.#now,
      peer,
      until: leaves?.until,
      closed: (closed) => {
        this.#closed(closed, who)
        void leaving?.then((leave) => leave?.())
      },
    })
    return this.#opened(connection, { request, peer, who }, leaves?.still)
  }

  /** `named`: which conversations changed is told; else only that something did. */
  async openChanges({ request, peer, who, services: { store } }: Asked, named: boolean): Promise<Answer> {
    const full = this.#enter(who)
    if (full) return full
    const { streamLifeMs: lifeMs } = this.#limits
    const closed = (reader: ChangesReader): void => this.#closed(reader, who)
    const { tenant } = who
    const reader = new ChangesReader({ store, tenant, named, lifeMs, now: this.#now, closed })
    return this.#opened(reader, { request, peer, who })
  }

  #opened(
    reader: Reader,
    { request, peer, who }: Pick<Asked, 'request' | 'peer' | 'who'>,
    still?: () => Promise<boolean>,
  ): Answer {
    this.#open.set(reader, { who, authorization: request.headers.get('authorization'), still })
    if (this.#closing) reader.end()
    // Whoever went while we made ready is told of by nobody else: the server looks only once the answer is under way.
    peer?.whenGone?.(() => reader.end())
    return { response: new Response(reader.stream, { headers: HEADERS }) }
  }

  #closed(reader: Reader, who: Principal): void {
    this.#open.delete(reader)
    this.#leave(who)
  }

  /** Ends every stream; its reader finds another node, or this one when it is back. */
  close(): void {
    this.#closing = true
    clearInterval(this.#timer)
    for (const connection of this.#open.keys()) connection.end()
  }

  #enter({ tenant, id }: Principal): Answer | undefined {
    const { streams, streamsPerTenant, streamsPerKey } = this.#limits
    const tenantCount = this.#counts.get(tenantKey(tenant)) ?? 0
    const keyCount = this.#counts.get(ownKey(tenant, id)) ?? 0
    if (this.#closing || this.#open.size >= streams || tenantCount >= streamsPerTenant || keyCount >= streamsPerKey)
      return no('too-many-streams', 'There are too many open streams. Close some, or come again later.', {
        headers: { 'retry-after': '10' },
      })
    this.#counts.set(tenantKey(tenant), tenantCount + 1)
    this.#counts.set(ownKey(tenant, id), keyCount + 1)
    return undefined
  }

  #leave({ tenant, id }: Principal): void {
    for (const key of [tenantKey(tenant), ownKey(tenant, id)]) {
      const count = (this.#counts.get(key) ?? 1) - 1
      if (count > 0) this.#counts.set(key, count)
      else this.#counts.delete(key)
    }
  }

  /** Keys are revoked and tokens run out while streams are open. */
  async #mayStay({ who, authorization, still }: Opened): Promise<boolean> {
    if ((who.expiresAt ?? Infinity) <= this.#now()) return false
    if (still && !(await still().catch(() => true))) return false
    return who.kind === 'user' || this.#still(authorization).catch(() => true)
  }

  /** First the sign of life, which must not wait for the store; then whether each may stay, unless that is still being asked. */
  async #beat(): Promise<void> {
    for (const connection of this.#open.keys()) connection.beat()
    if (this.#asking) return
    this.#asking = true
    for (const [connection, opened] of this.#open) if (!(await this.#mayStay(opened))) connection.end()
    this.#asking = false
  }
}

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-store',
  'x-accel-buffering': 'no',
} as const

function lastEventId(request: Request): number | undefined {
  const given = request.headers.get('last-event-id') ?? new URL(request.url).searchParams.get('after') ?? '0'
  return /^\d{1,15}$/.test(given) ? Number(given) : undefined
}

function tenantKey(tenant: string): string {
  return JSON.stringify([tenant])
}

function ownKey(tenant: string, id: string): string {
  return JSON.stringify([tenant, id])
}
