/**
 * Sends requests. Each write has an `Idempotency-Key` that stays the same across retries, so a request that failed
 * temporarily is sent again and the gateway executes it once.
 */
import { isProblem } from '@holdpoint/protocol'
import { HoldpointHttpError } from './http-error.ts'
import { Listeners } from './listeners.ts'
import { isTemporary } from './temporary-failure.ts'
import { randomKey } from './random-key.ts'
import { readText } from './read-text.ts'
import { backoffMs, wait } from './wait.ts'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface ConnectOptions {
  /** The URL of the gateway: `https://holdpoint.acme.test`, with the path before `/api` if there is one. */
  readonly url: string
  /** A key, for programs. Pages use `token`. */
  readonly key?: string
  /** Called before every request, so it should cache a valid token. */
  readonly token?: () => string | Promise<string>
  /**
   * For pages of the gateway's own origin, in place of `key` and `token`: the browser sends the session cookie of the
   * person who signed in there.
   */
  readonly session?: true
  /** For a caller with several tenants: the one that requests are about. Default: the caller's own. */
  readonly tenant?: string
  /** Default: the global `fetch`. */
  readonly fetch?: Fetch
  /** The most attempts for one request. Default: 5. */
  readonly attempts?: number
  /** The timeout of a request, in addition to its `wait`. Default: 30 s. */
  readonly timeoutMs?: number
  /** A stream without data or heartbeat for this time is opened again. Default: 45 s. */
  readonly silenceMs?: number
  /** The size limit of an event or a response, in characters. Default: 16 million. */
  readonly maxChars?: number
}

export interface RequestOptions {
  /** The tenant that this request is about. Default: that of the client. */
  readonly tenant?: string
  readonly signal?: AbortSignal
  /** The idempotency key of this write. Set it to repeat a write after a restart. Default: a random key. */
  readonly key?: string
}

export interface Ask extends RequestOptions {
  /** Default: `GET`. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly query?: object
  readonly body?: object
  /** The body, as lines of JSON. */
  readonly lines?: readonly object[]
  /** The body, as a file. */
  readonly file?: { readonly content: Blob; readonly mediaType: string }
  /** Seconds that the gateway may wait before it responds. They extend the timeout. */
  readonly wait?: number | undefined
}

interface Init {
  readonly method: NonNullable<Ask['method']>
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Blob
}

const RETRY = { base: 250, most: 10_000 } as const
/** With a longer `Retry-After`, the error is thrown to the caller instead of waiting. */
const LONGEST_RETRY_AFTER_MS = 60_000

export class Http {
  readonly silenceMs: number
  readonly maxChars: number
  /** Called after every response: the gateway is reachable again. */
  readonly answered: Listeners<void> = new Listeners()
  readonly #base: string
  readonly #fetch: Fetch
  /** Undefined: the browser sends its cookies. */
  readonly #credential: (() => string | Promise<string>) | undefined
  readonly #renewable: boolean
  readonly #tenant: string | undefined
  readonly #attempts: number
  readonly #timeoutMs: number

  constructor(options: ConnectOptions) {
    const {
      url,
      key,
      token,
      session,
      attempts = 5,
      timeoutMs = 30_000,
      silenceMs = 45_000,
      maxChars = 16_000_000,
    } = options
    const { protocol } = new URL(url)
    if (protocol !== 'http:' && protocol !== 'https:')
      throw new TypeError(`A gateway has an http: or https: url, not ${protocol}`)
    if ([key, token, session].filter((each) => each !== undefined).length !== 1)
      throw new TypeError('Connect with one of `key`, `token` and `session`.')
    this.#base = url.replace(/[?#].*$/s, '').replace(/\/+$/, '')
    this.#fetch = options.fetch ?? ((to, init) => fetch(to, init))
    this.#credential = session ? undefined : (token ?? (() => key ?? ''))
    this.#renewable = token !== undefined
    this.#tenant = options.tenant
    this.#attempts = attempts
    this.#timeoutMs = timeoutMs
    this.silenceMs = silenceMs
    this.maxChars = maxChars
  }

  get<T>(path: string, options?: RequestOptions, query?: object): Promise<T> {
    return this.ask({ ...options, path, query: { ...query } })
  }

  post<T>(path: string, body: object, options?: Omit<Ask, 'path' | 'body'>): Promise<T> {
    return this.ask({ method: 'POST', ...options, path, body })
  }

  async ask<T>(request: Ask): Promise<T> {
    const { method = 'GET', signal } = request
    const key = method === 'GET' ? undefined : (request.key ?? randomKey())
    const { lines, file } = request
    const body =
      file?.content ?? (lines ? lines.map((line) => `${JSON.stringify(line)}\n`).join('') : textOf(request.body))
    const headers = {
      accept: 'application/json',
      ...tenantHeader(request.tenant ?? this.#tenant),
      ...(key !== undefined && { 'idempotency-key': key }),
      ...(body !== undefined && {
        'content-type': file?.mediaType ?? (lines ? 'application/x-ndjson' : 'application/json'),
      }),
    }
    const init = { method, headers, ...(body !== undefined && { body }) }
    for (let attempt = 1; ; attempt++) {
      try {
        return (await this.#exchange(request, init)) as T
      } catch (error) {
        signal?.throwIfAborted()
        const after = error instanceof HoldpointHttpError ? (error.retryAfterMs ?? 0) : 0
        if (attempt >= this.#attempts || !isTemporary(error) || after > LONGEST_RETRY_AFTER_MS) throw error
        await wait(Math.max(after, backoffMs(attempt, RETRY)), signal)
      }
    }
  }

  /** Returns a successful response with its body unread. Does not retry, because readers of streams reconnect. */
  async open(path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response> {
    return this.#send(
      this.#base + path,
      { method: 'GET', headers: { ...tenantHeader(this.#tenant), ...headers } },
      signal,
    )
  }

  async #exchange({ path, query, wait: seconds = 0, signal }: Ask, init: Init): Promise<unknown> {
    const limit = AbortSignal.timeout(this.#timeoutMs + seconds * 1000)
    const until = signal ? AbortSignal.any([signal, limit]) : limit
    const response = await this.#send(this.#base + path + search(query), init, until)
    if (response.status === 204) return undefined
    const text = await readText(response, this.maxChars).catch((error: unknown) => {
      // A response that is too large would be too large again, so it is not retried.
      throw error instanceof RangeError ? error : noAnswer(error)
    })
    const read = parsed(text)
    if (read === undefined) throw new HoldpointHttpError(notOurs(response.status), { status: response.status })
    this.answered.tell()
    return read.value
  }

  async #send(url: string, init: Init, signal: AbortSignal): Promise<Response> {
    const response = await this.#once(url, init, signal)
    // The token may have expired. Ask for a new one and send the request once more.
    const answer = response.status === 401 && this.#renewable ? await this.#once(url, init, signal) : response
    if (answer.ok) return answer
    throw await this.#problem(answer)
  }

  async #once(url: string, init: Init, signal: AbortSignal): Promise<Response> {
    try {
      const credential = this.#credential
      const headers = { ...init.headers, ...(credential && { authorization: `Bearer ${await credential()}` }) }
      // A gateway does not redirect these requests; a redirect comes from another server.
      return await this.#fetch(url, {
        ...init,
        headers,
        signal,
        redirect: 'error',
        credentials: credential ? 'omit' : 'same-origin',
        cache: 'no-store',
      })
    } catch (error) {
      throw noAnswer(error)
    }
  }

  async #problem(response: Response): Promise<HoldpointHttpError> {
    const { status } = response
    const retryAfterMs = retryAfter(response.headers.get('retry-after'))
    const facts = { status, ...(retryAfterMs !== undefined && { retryAfterMs }) }
    const value = parsed(await readText(response, 1_000_000).catch(() => ''))?.value
    return isProblem(value)
      ? new HoldpointHttpError(`${value.code}: ${value.detail}`, { ...facts, problem: value })
      : new HoldpointHttpError(notOurs(status), facts)
  }
}

function textOf(body: object | undefined): string | undefined {
  return body && JSON.stringify(body)
}

export function tenantHeader(tenant: string | undefined): Readonly<Record<string, string>> {
  return tenant === undefined ? {} : { 'holdpoint-tenant': encodeURIComponent(tenant) }
}

function search(query: object = {}): string {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) params.set(name, String(value))
  return params.size > 0 ? `?${params.toString()}` : ''
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** Seconds, or a date. */
function retryAfter(given: string | null): number | undefined {
  if (given === null) return undefined
  const ms = /^\d{1,9}$/.test(given) ? Number(given) * 1000 : Date.parse(given) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}

function notOurs(status: number): string {
  return `HTTP ${status} from a server that is not a Holdpoint gateway. Check the url and any proxy.`
}

function noAnswer(cause: unknown): HoldpointHttpError {
  if (cause instanceof HoldpointHttpError) return cause
  const why = cause instanceof Error ? cause.message : String(cause)
  return new HoldpointHttpError(`No answer from the gateway: ${why}`, { status: 0, cause })
}
