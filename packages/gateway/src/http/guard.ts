/**
 * Who may knock at all, before anybody asks for a key. A page on the internet can make a browser talk to a gateway on
 * the same machine (DNS rebinding, plain cross-site requests); the browser says so in Host, Origin and Sec-Fetch-Site.
 */
import type { Answer } from './answer.ts'
import { no } from './answer.ts'

export interface Guard {
  /** Names, with or without a port; `*` for any. */
  readonly hosts: readonly string[]
  /** `https://desk.acme.test`: pages of others that may use it. Its own pages may anyway. */
  readonly origins: readonly string[]
}

export const LOOPBACK_HOSTS: readonly string[] = ['localhost', '127.0.0.1', '[::1]']

export function guarded(request: Request, { hosts, origins }: Guard): Answer | undefined {
  const { headers } = request
  const host = (headers.get('host') ?? new URL(request.url).host).toLowerCase()
  if (!hosts.some((each) => each === '*' || each === host || each === withoutPort(host)))
    return no('host-not-allowed', 'This gateway does not answer under that host. Add it to `hosts` if it should.')
  const origin = headers.get('origin')
  if (origin !== null && !isOwn(origin, host) && !origins.includes(origin))
    return no(
      'origin-not-allowed',
      'Pages of that origin may not use this gateway. Add it to `origins` if they should.',
    )
  // Without an origin a page of another site can still fetch or embed; whoever types an address sends `none`.
  const site = headers.get('sec-fetch-site')
  if (origin === null && (site === 'cross-site' || site === 'same-site') && !opensPage(request))
    return no('origin-not-allowed', 'Pages of other sites may not use this gateway.')
  return undefined
}

/** Headers for a page of an allowed origin; there is no `*`, and no cookie is ever of use here. */
export function corsHeaders(request: Request, { origins }: Guard): Readonly<Record<string, string>> | undefined {
  const origin = request.headers.get('origin')
  if (origin === null || !origins.includes(origin)) return undefined
  return {
    'access-control-allow-origin': origin,
    'access-control-allow-methods': 'GET, POST, PUT, DELETE',
    'access-control-allow-headers': 'authorization, content-type, idempotency-key, last-event-id',
    'access-control-expose-headers': 'retry-after, idempotency-replayed',
    'access-control-max-age': '600',
    vary: 'origin',
  }
}

/** Following a link to one of the pages is fine from wherever: it shows nothing but the page itself, in a window of its own. */
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
