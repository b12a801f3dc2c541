/** All open streams of this node: their limits, heartbeats and end. */
import type { LogEvent } from '@holdpoint/core'
import { callerIn, hasSameRights, type Caller } from '../auth/caller.ts'
import type { CredentialCheck } from '../auth/credential-check.ts'
import type { Limits } from '../gateway-options.ts'
import { refuse, type RouteAnswer } from '../http/route-answer.ts'
import type { RouteRequest } from '../http/route.ts'
import { ChangesReader } from './changes-reader.ts'
import { StreamConnection } from './stream-connection.ts'
import type { Wire } from './hub.ts'
import type { Hubs } from './hubs.ts'

/** Ends a stream although its credential is still valid. */
export interface StreamAccess {
  /** Whether this event is the last one for the reader. */
  readonly until: (event: LogEvent) => boolean
  /** Checked at each heartbeat: whether the reader may still see the stream. */
  readonly still: () => Promise<boolean>
}

/** Another protocol than our own. */
export interface SpokenProtocol {
  readonly wire: Wire
  /** The reader knows the conversation up to this seq. */
  readonly after: number
  readonly headers: Readonly<Record<string, string>>
}

interface Opened {
  /** As the credential last identified it. */
  caller: Caller
  readonly still: (() => Promise<boolean>) | undefined
  readonly check: CredentialCheck
  /** The check is running. */
  checking: boolean
}

/** Checks that run at the same time. */
const CHECKS_AT_ONCE = 16

type Reader = StreamConnection | ChangesReader

export class Streams {
  readonly #hubs: Hubs
  readonly #limits: Limits
  readonly #now: () => number
  readonly #checkOf: (request: Request, caller: Caller) => CredentialCheck
  readonly #failed: (error: unknown) => void
  readonly #open = new Map<Reader, Opened>()
  readonly #counts = new Map<string, number>()
  readonly #timer: ReturnType<typeof setInterval>
  #closing = false

  /** `checkOf`: makes the check of a credential. `failed`: called when the store could not be read for a stream. */
  constructor(
    hubs: Hubs,
    limits: Limits,
    now: () => number,
    checkOf: (request: Request, caller: Caller) => CredentialCheck,
    failed: (error: unknown) => void,
  ) {
    this.#hubs = hubs
    this.#limits = limits
    this.#now = now
    this.#checkOf = checkOf
    this.#failed = failed
    this.#timer = setInterval(() => void this.#beat(), limits.heartbeatMs)
    this.#timer.unref()
  }

  get size(): number {
    return this.#open.size
  }

  /**
   * `tools`: client tools that the reader can run. Calls of these tools wait while it is connected. `notCreated`: the
   * conversation does not exist yet. The stream ends when it is created, and access is checked when the reader
   * reconnects.
   */
  async open(
    { request, peer, caller, runtime }: RouteRequest,
    id: string,
    {
      tools,
      access,
      notCreated = false,
      spoken,
    }: {
      readonly tools?: readonly string[] | undefined
      readonly access?: StreamAccess
      readonly notCreated?: boolean
      readonly spoken?: SpokenProtocol
    } = {},
  ): Promise<RouteAnswer> {
    const lastId = spoken ? spoken.after : lastEventId(request)
    if (lastId === undefined)
      return refuse('bad-request', 'Last-Event-ID must be the seq of an event, an integer from 0.')
    const [event] = await runtime.events(id, Math.max(0, lastId - 1), 1)
    const reset = !event && lastId > 0
    if (!event && !notCreated && (lastId === 0 || (await runtime.events(id, 0, 1)).length === 0))
      return refuse('not-found', `There is no conversation "${id}".`)
    const full = this.#enter(caller)
    if (full) return full
    const hub = await this.#hubs.enter(caller.tenant, id).catch((error: unknown) => {
      this.#leave(caller)
      throw error
    })
    // A closing runtime removes its clients itself, so this failure does not matter.
    const leaving = tools && runtime.attend(id, tools).catch(() => undefined)
    const connection = new StreamConnection({
      runtime,
      id,
      after: reset ? 0 : lastId,
      reset,
      hub,
      limits: this.#limits,
      now: this.#now,
      peer,
      until: access?.until,
      notCreated,
      wire: spoken?.wire,
      closed: (closed) => {
        this.#closed(closed, caller)
        void leaving?.then((leave) => leave?.())
      },
      failed: this.#failed,
    })
    return this.#opened(connection, { request, peer, caller }, access?.still, spoken?.headers)
  }

  /** `named`: send the ids of changed conversations; otherwise only that something changed. */
  async openChanges(
    { request, peer, caller, services: { store } }: RouteRequest,
    named: boolean,
  ): Promise<RouteAnswer> {
    const full = this.#enter(caller)
    if (full) return full
    const { streamLifeMs: maxAgeMs } = this.#limits
    const closed = (reader: ChangesReader): void => this.#closed(reader, caller)
    const { tenant } = caller
    const reader = new ChangesReader({ store, tenant, named, maxAgeMs, now: this.#now, closed })
    return this.#opened(reader, { request, peer, caller })
  }

  #opened(
    reader: Reader,
    { request, peer, caller }: Pick<RouteRequest, 'request' | 'peer' | 'caller'>,
    still?: () => Promise<boolean>,
    headers: Readonly<Record<string, string>> = HEADERS,
  ): RouteAnswer {
    this.#open.set(reader, { caller, check: this.#checkOf(request, caller), still, checking: false })
    if (this.#closing) reader.end()
    // The server reports a disconnect only once the response has started. A client may disconnect before that.
    peer?.onDisconnect?.(() => reader.end())
    return { stream: reader, headers }
  }

  #closed(reader: Reader, caller: Caller): void {
    this.#open.delete(reader)
    this.#leave(caller)
  }

  /** Ends every stream. The readers reconnect to another node, or to this one after a restart. */
  close(): void {
    this.#closing = true
    clearInterval(this.#timer)
    for (const connection of this.#open.keys()) connection.end()
  }

  #enter({ tenant, id }: Caller): RouteAnswer | undefined {
    const { streams, streamsPerTenant, streamsPerKey } = this.#limits
    const tenantCount = this.#counts.get(tenantKey(tenant)) ?? 0
    const keyCount = this.#counts.get(ownKey(tenant, id)) ?? 0
    if (this.#closing || this.#open.size >= streams || tenantCount >= streamsPerTenant || keyCount >= streamsPerKey)
      return refuse('too-many-streams', 'There are too many open streams. Close some, or retry later.', {
        headers: { 'retry-after': '10' },
      })
    this.#counts.set(tenantKey(tenant), tenantCount + 1)
    this.#counts.set(ownKey(tenant, id), keyCount + 1)
    return undefined
  }

  #leave({ tenant, id }: Caller): void {
    for (const key of [tenantKey(tenant), ownKey(tenant, id)]) {
      const count = (this.#counts.get(key) ?? 1) - 1
      if (count > 0) this.#counts.set(key, count)
      else this.#counts.delete(key)
    }
  }

  /** Ends the streams of a person's session. Other processes end theirs at the next heartbeat. */
  endSession(session: string): void {
    for (const [reader, { caller }] of this.#open) if (caller.session === session) reader.end()
  }

  /**
   * A key can be revoked, a person can sign out and groups can change while a stream is open. A reader whose rights changed
   * reconnects, and its rights are checked then.
   */
  async #mayStay(opened: Opened): Promise<boolean> {
    const { caller, still, check } = opened
    if (still && !(await still().catch(() => true))) return false
    // The store may be away for a moment. The next heartbeat checks again.
    const now = await check().catch(() => caller)
    const there = now && callerIn(now, caller.tenant)
    if (!there || !hasSameRights(there, caller)) return false
    opened.caller = there
    return !this.#isOver(opened)
  }

  #isOver({ caller }: Opened): boolean {
    return (caller.expiresAt ?? Infinity) <= this.#now()
  }

  /**
   * Sends heartbeats and ends expired streams first: these must not wait for a check. A check may call the application's
   * own code and take long, so checks of other streams do not wait for it.
   */
  async #beat(): Promise<void> {
    const waiting: (readonly [Reader, Opened])[] = []
    for (const entry of this.#open) {
      const [reader, opened] = entry
      reader.beat()
      if (this.#isOver(opened)) reader.end()
      else if (!opened.checking) waiting.push(entry)
    }
    const checkNext = async (): Promise<void> => {
      for (let entry = waiting.pop(); entry; entry = waiting.pop()) await this.#check(...entry)
    }
    await Promise.all(Array.from({ length: CHECKS_AT_ONCE }, checkNext))
  }

  async #check(reader: Reader, opened: Opened): Promise<void> {
    if (opened.checking) return
    opened.checking = true
    try {
      if (!(await this.#mayStay(opened))) reader.end()
    } finally {
      opened.checking = false
    }
  }
}

const HEADERS = {
  'content-type': 'text/event-stream',
  // `no-transform`: compression in front of the gateway would hold events back.
  'cache-control': 'no-cache, no-store, no-transform',
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
