/**
 * One request and its answer. A write carries an `Idempotency-Key` that stays the same however often it is sent, so what
 * failed in passing is sent again: the gateway does it once.
 */
import { isProblem } from '@holdpoint/protocol'
import { HoldpointHttpError } from './http-error.ts'
import { Listeners } from './listeners.ts'
import { passes } from './passing.ts'
import { randomKey } from './random-key.ts'
import { readText } from './read-text.ts'
import { backoffMs, wait } from './wait.ts'

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface ConnectOptions {
  /** Where the gateway is: `https://holdpoint.acme.test`, with a path before `/api` if there is one. */
  readonly url: string
  /** A key, for programs. Pages use `token`. */
  readonly key?: string
  /** Asked before every request, so it should remember its token while that is good. */
  readonly token?: () => string | Promise<string>
  /** The host's own unless said. */
  readonly fetch?: Fetch
  /** How often a request is sent before it is given up, 5. */
  readonly attempts?: number
  /** How long an answer may take, besides what it was asked to wait for: 30 s. */
  readonly timeoutMs?: number
  /** No word on a stream for so long, not even a heartbeat, and it is opened anew: 45 s. */
  readonly silenceMs?: number
  /** The largest event that is read from a stream, and the largest answer, in characters: 16 million. */
  readonly maxChars?: number
}

export interface RequestOptions {
  readonly signal?: AbortSignal
  /** The sender's own id for this write, for writes that outlive this process. Made for you unless given. */
  readonly key?: string
}

export interface Ask extends RequestOptions {
  /** `GET` unless said. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly query?: object
  readonly body?: object
  /** Seconds that the gateway was asked to wait. */
  readonly wait?: number | undefined
}

interface Init {
  readonly method: NonNullable<Ask['method']>
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

const RETRY = { base: 250, most: 10_000 } as const
/** Asked to wait for longer than this, the caller should know. */
const LONGEST_RETRY_AFTER_MS = 60_000

export class Http {
  readonly silenceMs: number
  readonly maxChars: number
  /** Told of every answer: whoever could not be reached is there again. */
  readonly answered: Listeners<void> = new Listeners()
  readonly #base: string
  readonly #fetch: Fetch
  readonly #credential: () => string | Promise<string>
  readonly #renewable: boolean
  readonly #attempts: number
  readonly #timeoutMs: number

  constructor(options: ConnectOptions) {
    const { url, key, token, attempts = 5, timeoutMs = 30_000, silenceMs = 45_000, maxChars = 16_000_000 } = options
    const { protocol } = new URL(url)
    if (protocol !== 'http:' && protocol !== 'https:')
      throw new TypeError(`A gateway has an http: or https: url, not ${protocol}`)
    if ((key === undefined) === (token === undefined)) throw new TypeError('Connect with either a `key` or a `token`.')
    this.#base = url.replace(/[?#].*$/s, '').replace(/\/+$/, '')
    this.#fetch = options.fetch ?? ((to, init) => fetch(to, init))
    this.#credential = token ?? (() => key ?? '')
    this.#renewable = token !== undefined
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

  async ask<T>(asked: Ask): Promise<T> {
    const { method = 'GET', signal } = asked
    const key = method === 'GET' ? undefined : (asked.key ?? randomKey())
    const body = asked.body && JSON.stringify(asked.body)
    const headers = {
      accept: 'application/json',
      ...(key !== undefined && { 'idempotency-key': key }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    const init = { method, headers, ...(body !== undefined && { body }) }
    for (let attempt = 1; ; attempt++) {
      try {
        return (await this.#exchange(asked, init)) as T
      } catch (error) {
        signal?.throwIfAborted()
        const after = error instanceof HoldpointHttpError ? (error.retryAfterMs ?? 0) : 0
        if (attempt >= this.#attempts || !passes(error) || after > LONGEST_RETRY_AFTER_MS) throw error
        await wait(Math.max(after, backoffMs(attempt, RETRY)), signal)
      }
    }
  }

  /** A response that is no problem, with its body still to be read. Sent once: who reads streams comes again anyway. */
  async open(path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response> {
    return this.#send(this.#base + path, { method: 'GET', headers }, signal)
  }

  async #exchange({ path, query, wait: seconds = 0, signal }: Ask, init: Init): Promise<unknown> {
    const limit = AbortSignal.timeout(this.#timeoutMs + seconds * 1000)
    const until = signal ? AbortSignal.any([signal, limit]) : limit
    const response = await this.#send(this.#base + path + search(query), init, until)
    if (response.status === 204) return undefined
    const text = await readText(response, this.maxChars).catch((error: unknown) => {
      // An answer that is too large is so every time.
      throw error instanceof RangeError ? error : noAnswer(error)
    })
    const read = parsed(text)
    if (read === undefined) throw new HoldpointHttpError(notOurs(response.status), { status: response.status })
    this.answered.tell()
    return read.value
  }

  async #send(url: string, init: Init, signal: AbortSignal): Promise<Response> {
    const response = await this.#once(url, init, signal)
    // A token that ran out on its way; the next one may be good.
    const answer = response.status === 401 && this.#renewable ? await this.#once(url, init, signal) : response
    if (answer.ok) return answer
    throw await this.#problem(answer)
  }

  async #once(url: string, init: Init, signal: AbortSignal): Promise<Response> {
    try {
      const headers = { ...init.headers, authorization: `Bearer ${await this.#credential()}` }
      // A gateway does not redirect and knows no cookies; whoever does is somebody else.
      return await this.#fetch(url, {
        ...init,
        headers,
        signal,
        redirect: 'error',
        credentials: 'omit',
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
  return `${status}, and not from a gateway of Holdpoint. Check the url and any proxy.`
}

function noAnswer(cause: unknown): HoldpointHttpError {
  if (cause instanceof HoldpointHttpError) return cause
  const why = cause instanceof Error ? cause.message : String(cause)
  return new HoldpointHttpError(`No answer from the gateway: ${why}`, { status: 0, cause })
}
