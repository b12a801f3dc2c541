/**
 * Checks Host, Origin and Sec-Fetch-Site before authentication. A page on the internet can make a browser send requests
 * to a gateway on the same machine (DNS rebinding, cross-site requests); the browser reveals it in these headers.
 */
import type { RouteAnswer } from './route-answer.ts'
import { refuse } from './route-answer.ts'

export interface AllowedHosts {
  /** Host names, with or without a port; `*` for any. */
  readonly hosts: readonly string[]
  /** Other origins whose pages may use the gateway: `https://app.acme.test`. Its own pages always may. */
  readonly origins: readonly string[]
}

export const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

export function checkHostAndOrigin(request: Request, { hosts, origins }: AllowedHosts): RouteAnswer | undefined {
  const { headers } = request
  const host = (headers.get('host') ?? new URL(request.url).host).toLowerCase()
  if (!hosts.some((each) => each === '*' || each === host || each === withoutPort(host)))
    return refuse('host-not-allowed', 'This gateway does not serve that host. Add it to `hosts` to allow it.')
  const origin = headers.get('origin')
  if (origin !== null && !isOwn(origin, host) && !origins.includes(origin))
    return refuse(
      'origin-not-allowed',
      'Pages of that origin may not use this gateway. Add it to `origins` to allow it.',
    )
  // Another site can fetch or embed without an Origin header. For a typed address the browser sends `none`.
  const site = headers.get('sec-fetch-site')
  if (origin === null && (site === 'cross-site' || site === 'same-site') && !opensPage(request))
    return refuse('origin-not-allowed', 'Pages of other sites may not use this gateway.')
  return undefined
}

/**
 * A browser adds the cookies of a site to requests from pages of other sites, so a cookie does not show that the person
 * wanted this write. It must come from a page of this host, even if `origins` allows other pages: those send a token.
 */
export function checkCookieWrite({ method, headers, url }: Request): RouteAnswer | undefined {
  if (method === 'GET' || method === 'HEAD' || !headers.has('cookie')) return undefined
  const origin = headers.get('origin')
  const host = (headers.get('host') ?? new URL(url).host).toLowerCase()
  if (origin !== null && isOwn(origin, host)) return undefined
  return refuse(
    'origin-not-allowed',
    'A write that is authenticated by a cookie needs an Origin header with the host of the request. A proxy must pass the Host header on.',
  )
}

/** For a write with the session cookie of a person who signed in. */
export const otherOrigin: RouteAnswer = refuse(
  'origin-not-allowed',
  'With a session cookie, only pages of this gateway may write. Programs use a key.',
)

/** Headers for a page of an allowed origin. There is no `*`, and cookies are not allowed. */
export function corsHeaders(request: Request, { origins }: AllowedHosts): Readonly<Record<string, string>> | undefined {
  const origin = request.headers.get('origin')
  if (origin === null || !origins.includes(origin)) return undefined
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'GET, POST, PUT, DELETE',
    'access-control-allow-headers': 'authorization, content-type, holdpoint-tenant, idempotency-key, last-event-id',
    'access-control-expose-headers': 'retry-after, idempotency-replayed',
    'access-control-max-age': '600',
    vary: 'origin',
  }
}

/** A link from any site may open one of the pages: it opens in its own window and reveals nothing to the other site. */
function opensPage({ method, headers, url }: Request): boolean {
  return (
    method === 'GET' &&
    headers.get('sec-fetch-mode') === 'navigate' &&
    headers.get('sec-fetch-dest') === 'document' &&
    !new URL(url).pathname.startsWith('/api')
  )
}

export function isLoopbackHost(host: string): boolean {
  return LOOPBACK_HOSTS.includes(withoutPort(host.toLowerCase()))
}

function isOwn(origin: string, host: string): boolean {
  return origin === `http://${host}` || origin === `https://${host}`
}

function withoutPort(host: string): string {
  return host.replace(/:\d+$/, '')
}
