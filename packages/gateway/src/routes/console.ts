/**
 * How the console gets in on a developer's machine without anybody typing a key. Only where whoever started the gateway
 * said so, and only for a page of the gateway's own, under a name of this machine, with nobody in between: a browser says
 * all of that about a page by itself, and no page can say otherwise. Other programs of this machine can; whoever shares
 * it with people they do not trust leaves this off.
 */
import type { Keys } from '../auth/keys.ts'
import { no, type Answer } from '../http/answer.ts'
import { isLoopbackHost } from '../http/guard.ts'
import { route, type Route } from '../http/route.ts'
import { z } from '../schemas.ts'

const LIFE_MS = 12 * 3_600_000
/** A key with less left than this is not handed out any more. */
const LEFT_MS = 3_600_000

export function consoleRoutes(open: boolean, now: () => number): readonly Route[] {
  let session: Promise<{ readonly key: string; readonly expiresAt: number }> | undefined
  let until = 0
  const current = async (keys: Keys): Promise<{ readonly key: string; readonly expiresAt: number }> => {
    if (!session || until - now() < LEFT_MS) {
      until = now() + LIFE_MS
      const expiresAt = until
      session = keys
        .create('', { name: 'console', scopes: ['admin'], ttlMs: LIFE_MS })
        .then(({ key }) => ({ key, expiresAt }))
      session.catch(() => (session = undefined))
    }
    return session
  }
  return [
    route({
      method: 'post',
      path: '/api/console/session',
      name: 'consoleSession',
      tag: 'console',
      summary: 'A key for the console, on the machine of a developer',
      scopes: [],
      body: z.strictObject({}).optional(),
      answers: {},
      handle: async ({ request, services: { keys } }): Promise<Answer> => {
        if (!open) return no('not-found', 'This gateway hands out no keys. Open the console with one of yours.')
        if (!isOwnPage(request)) return no('origin-not-allowed', 'Only the console itself may ask for this.')
        const { key, expiresAt } = await current(keys)
        return { status: 200, body: { expiresAt }, secret: { key } }
      },
    }),
  ]
}

function isOwnPage({ headers, url }: Request): boolean {
  const host = headers.get('host') ?? new URL(url).host
  return (
    isLoopbackHost(host) &&
    headers.get('sec-fetch-site') === 'same-origin' &&
    headers.get('origin') === `http://${host}` &&
    !['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'via'].some((name) => headers.has(name))
  )
}
