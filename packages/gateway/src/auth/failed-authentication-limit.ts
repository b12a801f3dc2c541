/**
 * Limits failed authentications by network address. A valid credential always passes, however many invalid ones come
 * from the same address (behind a proxy, for example), because the limit counts failures only. When an address is over
 * the limit, credentials that were not recently valid are verified one at a time, and invalid ones get 429. So a flood
 * of invalid credentials costs one verification at a time. Keys and tokens have separate queues: verifying a token may
 * wait for the issuer's public keys.
 */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { RateLimit, type Rate } from '../http/rate-limit.ts'

/** How many valid credentials are remembered. */
const MAX_VALID = 10_000
/** How many credentials from one address may wait for verification. */
const MAX_QUEUED = 1000
/** A slow verification blocks its queue for at most this long. */
const MAX_BLOCK_MS = 100

interface Queue {
  last: Promise<unknown>
  waiting: number
}

export class FailedAuthenticationLimit {
  readonly #failures: RateLimit
  /** Hashes of recently valid credentials, the least recently used first. */
  readonly #valid = new Set<string>()
  /** By network and kind of credential. A queue exists only while credentials wait in it. */
  readonly #queues = new Map<string, Queue>()

  constructor(rate: Rate, now: () => number) {
    this.#failures = new RateLimit(rate, now)
  }

  /**
   * Returns the caller, or for an invalid credential the seconds to wait (0: not over the limit). Without an address
   * there is no limit.
   */
  async authenticate<T>(
    address: string | undefined,
    authorization: string | null,
    verify: () => Promise<T | undefined>,
  ): Promise<{ readonly caller: T } | { readonly wait: number }> {
    if (authorization === null) return { wait: 0 }
    const hash = hashOf(authorization)
    const network = address === undefined ? undefined : networkOf(address)
    const overLimit = network !== undefined && !this.#valid.has(hash) && this.#failures.wait(network) > 0
    const caller = await (overLimit ? this.#queued(queueName(network, authorization), verify) : verify())
    if (caller === FULL) return { wait: 1 }
    this.#valid.delete(hash)
    if (caller === undefined) return { wait: network === undefined ? 0 : this.#failures.take(network) }
    this.#remember(hash)
    return { caller }
  }

  async #queued<T>(name: string, verify: () => Promise<T>): Promise<T | typeof FULL> {
    const queue = this.#queues.get(name) ?? { last: Promise.resolve(), waiting: 0 }
    if (queue.waiting >= MAX_QUEUED) return FULL
    this.#queues.set(name, queue)
    queue.waiting++
    const mine = queue.last.then(verify)
    queue.last = queue.last.then(() =>
      Promise.race([mine.catch(() => {}), sleep(MAX_BLOCK_MS, undefined, { ref: false })]),
    )
    try {
      return await mine
    } finally {
      if (--queue.waiting === 0) this.#queues.delete(name)
    }
  }

  #remember(hash: string): void {
    this.#valid.add(hash)
    const [oldest] = this.#valid
    if (this.#valid.size > MAX_VALID && oldest !== undefined) this.#valid.delete(oldest)
  }
}

const FULL = Symbol('full')

function queueName(network: string, authorization: string): string {
  return `${/^Bearer hp_/i.test(authorization) ? 'key' : 'token'} ${network}`
}

function hashOf(authorization: string): string {
  return createHash('sha256').update(authorization).digest('base64')
}

/** The /64 network of an IPv6 address: a client with one address usually controls all of them. */
export function networkOf(address: string): string {
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? []
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::')
  const groups = head === '' ? [] : head.split(':')
  const trailing = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - groups.length - trailing.length) }, () => '0')
  return `${[...groups, ...zeros, ...trailing].slice(0, 4).join(':')}::/64`
}
