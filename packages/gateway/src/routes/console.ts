/**
 * Signs the console in on a developer's machine without pasting a key. The URL that is printed at the start contains a
 * code that works once. Host and Origin headers are no proof: other users and programs of the machine, and proxies that
 * rewrite headers, can send the same.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Keys } from '../auth/keys.ts'
import { refuse, type RouteAnswer } from '../http/route-answer.ts'
import { route, type Route } from '../http/route.ts'
import { z } from '../schemas.ts'

const KEY_TTL_MS = 7 * 86_400_000

/** A code that can be exchanged for one key. */
export class ConsoleCode {
  readonly code: string = randomBytes(32).toString('base64url')
  #used = false

  /** Returns a key to the first caller that sends the code. */
  async redeem(given: string, keys: Pick<Keys, 'create'>): Promise<string | undefined> {
    if (this.#used || !timingSafeEqual(hashOf(given), hashOf(this.code))) return undefined
    this.#used = true
    try {
      return (
        await keys.create('', {
          name: 'console',
          scopes: ['admin'],
          ttlMs: KEY_TTL_MS,
          // The person at this machine gives their own name in the console.
          mayActFor: true,
        })
      ).key
    } catch (error) {
      this.#used = false
      throw error
    }
  }
}

/** Without a code the route refuses every request. */
export function consoleRoutes(code: ConsoleCode | undefined): readonly Route[] {
  return [
    route({
      method: 'post',
      path: '/api/console/session',
      name: 'consoleSession',
      tag: 'console',
      summary: 'Exchange the code that was printed at the start for a console key',
      scopes: [],
      body: z.strictObject({ code: z.string().min(1).max(200) }),
      responses: {},
      handle: async ({ body, services: { keys } }): Promise<RouteAnswer> => {
        if (!code) return refuse('not-found', 'This gateway has no open console. Sign in with a key.')
        const key = await code.redeem(body.code, keys)
        if (key === undefined) return refuse('unauthorised', 'The code was already used, or the gateway was restarted.')
        return { status: 200, body: {}, secret: { key } }
      },
    }),
  ]
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
