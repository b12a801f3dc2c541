/**
 * Handles a request after the check of host and origin, in this order: authentication, rate limits, scope, body,
 * validation, idempotency key, route. The body of an unauthenticated request is not read.
 */
import type { Json } from '@holdpoint/core'
import type { Authenticate } from '../auth/authenticate.ts'
import { hasScope, type Principal } from '../auth/principal.ts'
import type { FailedAuthenticationLimit } from '../auth/failed-authentication-limit.ts'
import { clientOf, type TrustedProxies } from '../auth/trusted-proxies.ts'
import type { Limits, LogLine } from '../gateway-options.ts'
import type { Redact } from '../redact.ts'
import type { Services } from '../services.ts'
import { refuse, type RouteAnswer } from './route-answer.ts'
import { NO_BODY, readBody } from './read-body.ts'
import { errorAnswer } from './error-answer.ts'
import { idempotencyKeyOf, runIdempotently } from './idempotency.ts'
import type { RateLimit } from './rate-limit.ts'
import { respond, type ResponseTarget } from './respond.ts'
import type { Peer, Route } from './route.ts'
import type { TenantLimits } from './tenant-limits.ts'
import { validate } from './validate.ts'

export interface Pipeline {
  readonly services: Services
  readonly authenticate: Authenticate
  readonly failedAuthentications: FailedAuthenticationLimit
  readonly proxies: TrustedProxies
  readonly rate: RateLimit
  readonly tenants: TenantLimits
  readonly limits: Limits
  readonly redact: Redact
  readonly log: (line: LogLine) => void
}

/** The largest body of a route without authentication: no tenant's limits apply to it. */
const ANONYMOUS_BODY_BYTES = 1000
const ANONYMOUS: Principal = { kind: 'key', tenant: '', id: '', by: '', scopes: [] }

export async function handleRequest(
  pipeline: Pipeline,
  route: Route,
  request: Request,
  params: Readonly<Record<string, string>>,
  target: ResponseTarget,
): Promise<Response> {
  const { redact, tenants, services } = pipeline
  try {
    if (services.closing.aborted && route.scopes.length > 0) return respond(shuttingDown, redact, target)
    const caller = await authorize(pipeline, route, request, target.peer?.address)
    if ('answer' in caller) return respond(caller.answer, redact, target)
    const result = await answer(pipeline, route, request, params, caller, target.peer)
    return respond(
      result,
      redact,
      target,
      caller === ANONYMOUS ? undefined : (bytes) => tenants.countResponse(caller.tenant, bytes),
    )
  } catch (error) {
    const result = errorAnswer(error)
    if (result.status >= 500) logError(pipeline, request, result.status, error)
    return respond(result, redact, target)
  }
}

async function answer(
  pipeline: Pipeline,
  route: Route,
  request: Request,
  params: Readonly<Record<string, string>>,
  caller: Principal,
  peer: Peer | undefined,
): Promise<RouteAnswer> {
  const { services, limits } = pipeline
  const writes = route.method !== 'get'
  const read = writes
    ? await readBody(request, caller === ANONYMOUS ? ANONYMOUS_BODY_BYTES : limits.bodyBytes)
    : NO_BODY
  if (!read.ok) return read.answer
  const exceeded = caller === ANONYMOUS ? undefined : await pipeline.tenants.takeBytes(caller.tenant, read.bytes)
  if (exceeded) return tooMany(exceeded.wait, exceeded.why)
  const url = new URL(request.url)
  if (!isDecodable(url.pathname))
    return refuse('bad-request', 'The path has a `%` that is not an escape. Write it as `%25`.')
  const validated = validate(route, { params, query: url.searchParams, body: read.value })
  if (!validated.ok) return validated.answer
  const given = writes ? idempotencyKeyOf(request) : { key: undefined }
  if ('answer' in given) return given.answer
  const { key: idempotencyKey } = given
  const runtime = services.runtime.tenant(caller.tenant)
  const work = (): Promise<RouteAnswer> =>
    route.handle({ ...validated.value, caller, runtime, idempotencyKey, request, peer, services })
  if (!writes || idempotencyKey === undefined || route.idempotency === 'by-runtime') return work()
  const what: Json = [route.name, url.pathname, url.search, read.value ?? null]
  return runIdempotently(services.documents, { caller, key: idempotencyKey, what }, work)
}

/** An escape that is not UTF-8 would be passed through undecoded: a second name for the same thing. */
function isDecodable(path: string): boolean {
  if (!path.includes('%')) return true
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

const shuttingDown = refuse('closed', 'This gateway is shutting down. Retry in a moment, or use another one.', {
  headers: { 'retry-after': '1', connection: 'close' },
})

/** Authenticates the caller and checks rate limits and scopes. */
async function authorize(
  { authenticate, failedAuthentications, proxies, rate, tenants }: Pipeline,
  { scopes }: Route,
  request: Request,
  address: string | undefined,
): Promise<Principal | { readonly answer: RouteAnswer }> {
  if (scopes.length === 0) return ANONYMOUS
  const authorization = request.headers.get('authorization')
  const known = await failedAuthentications.authenticate(
    clientOf(address, request.headers, proxies),
    authorization,
    () => authenticate(authorization),
  )
  if ('wait' in known) {
    if (known.wait > 0) return { answer: tooMany(known.wait) }
    return {
      answer: refuse('unauthorised', 'Send a key or a token: `Authorization: Bearer hp_…`.', {
        headers: { 'www-authenticate': 'Bearer' },
      }),
    }
  }
  const { caller } = known
  const wait = rate.take(JSON.stringify([caller.tenant, caller.id]))
  if (wait > 0) return { answer: tooMany(wait) }
  const exceeded = tenants.takeRequest(caller.tenant)
  if (exceeded) return { answer: tooMany(exceeded.wait, exceeded.why) }
  if (hasScope(caller, scopes)) return caller
  return { answer: refuse('scope-missing', `This needs a credential with the scope ${scopes.join(' or ')}.`) }
}

function tooMany(seconds: number, why = ''): RouteAnswer {
  return refuse('too-many-requests', `${why} Retry in ${seconds} s.`.trim(), {
    headers: { 'retry-after': String(seconds) },
  })
}

function logError({ log, redact }: Pipeline, request: Request, status: number, error: unknown): void {
  const message = redact(error instanceof Error ? (error.stack ?? error.message) : String(error))
  const path = redact(new URL(request.url).pathname)
  log({ level: 'error', message, method: request.method, path, status })
}
