/**
 * How often somebody may be wrong about who they are. Every wrong key is looked for in the store and every wrong token is
 * verified, so whoever sends one after the other is soon told to wait, before anything is looked at. It counts by
 * address; whoever was right a while ago is not kept out by others who come from the same one.
 */
import { createHash } from 'node:crypto'
import { RateLimit, type Rate } from '../http/rate.ts'

/** How many credentials that were good are remembered. */
const MOST_KNOWN = 10_000

export class Strangers {
  readonly #failures: RateLimit
  /** Hashes of credentials that were good, the one used least recently first. */
  readonly #known = new Set<string>()

  constructor(rate: Rate, now: () => number) {
    this.#failures = new RateLimit(rate, now)
  }

  /** 0 when it may be looked at, otherwise in how many seconds. An address that nobody knows is not counted. */
  wait(address: string | undefined, authorization: string | null): number {
    if (address === undefined || authorization === null || this.#known.has(hashOf(authorization))) return 0
    return this.#failures.wait(networkOf(address))
  }

  wasGood(authorization: string | null): void {
    if (authorization === null) return
    const hash = hashOf(authorization)
    this.#known.delete(hash)
    this.#known.add(hash)
    const [oldest] = this.#known
    if (this.#known.size > MOST_KNOWN && oldest !== undefined) this.#known.delete(oldest)
  }

  wasWrong(address: string | undefined, authorization: string | null): void {
    if (authorization === null) return
    this.#known.delete(hashOf(authorization))
    if (address !== undefined) this.#failures.take(networkOf(address))
  }
}

function hashOf(authorization: string): string {
  return createHash('sha256').update(authorization).digest('base64')
}

/** Whoever has one address of IPv6 has all of its network, which is 64 bits of it. */
export function networkOf(address: string): string {
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? []
  if (mapped !== undefined || !address.includes(':')) return mapped ?? address
  const [head = '', tail] = (address.split('%')[0] ?? '').split('::')
  const groups = head === '' ? [] : head.split(':')
  const behind = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros =
    tail === undefined ? [] : Array.from({ length: Math.max(0, 8 - groups.length - behind.length) }, () => '0')
  return `${[...groups, ...zeros, ...behind].slice(0, 4).join(':')}::/64`
}
