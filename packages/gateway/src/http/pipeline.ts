/**
 * Handles a request after the check of host and origin, in this order: authentication, rate limits, scope, body,
 * validation, idempotency key, route. The body of an unauthenticated request is not read.
 */
import type { Json } from '@holdpoint/core'
import { QuotaExceeded } from '@holdpoint/runtime'
import type { Authenticate } from '../auth/authenticate.ts'
import { hasScope, type Caller } from '../auth/caller.ts'
import { SignInUnavailable } from '../auth/confirmed-sessions.ts'
import type { FailedAuthenticationLimit } from '../auth/failed-authentication-limit.ts'
import type { SignIn } from '../auth/sign-in.ts'
import { clientOf, type TrustedProxies } from '../auth/trusted-proxies.ts'
import type { Limits, LogLine } from '../gateway-options.ts'
import type { Redact } from '../redact.ts'
import type { GatewayServices } from '../gateway-services.ts'
import { refuse, type RouteAnswer } from './route-answer.ts'
import { NO_BODY, readBody, readLines, type ReadBody } from './read-body.ts'
import { adminActionOf } from './admin-actions.ts'
import { errorAnswer } from './error-answer.ts'
import { inChosenTenant, withoutTenant } from './chosen-tenant.ts'
import { checkCookieWrite, otherOrigin } from './host-and-origin.ts'
import { idempotencyKeyOf, runIdempotently } from './idempotency.ts'
import type { LimitReached } from './limit-reached.ts'
import type { QuotaLogger } from './quota-logger.ts'
import type { RefusedRequestLogger } from './refused-request-logger.ts'
import type { RateLimit } from './rate-limit.ts'
import { respond, type ResponseTarget } from './respond.ts'
import type { Peer, Route } from './route.ts'
import type { TenantLimits } from './tenant-limits.ts'
import { validate } from './validate.ts'

export interface Pipeline {
  readonly services: GatewayServices
  readonly authenticate: Authenticate
  /** The application's own session, for a request without an `Authorization` header. */
  readonly session: (request: Request) => Promise<Caller | undefined>
  /** Sessions of people who signed in by OpenID Connect, for a request without an `Authorization` header. */
  readonly signIn: SignIn | undefined
  readonly failedAuthentications: FailedAuthenticationLimit
  readonly proxies: TrustedProxies
  readonly rate: RateLimit
  readonly tenants: TenantLimits
  readonly quotaLogger: QuotaLogger
  readonly limitReached: LimitReached
  readonly refusedRequest: RefusedRequestLogger
  readonly limits: Limits
  readonly redact: Redact
  readonly log: (line: LogLine) => void
}

/** The largest body of a route without authentication: no tenant's limits apply to it. */
const ANONYMOUS_LIMITS = { bodyBytes: 1000, importBytes: 0 } as const
const ANONYMOUS: Caller = { kind: 'program', tenant: '', id: '', by: '', scopes: [] }

export async function handleRequest(
  pipeline: Pipeline,
  route: Route,
  request: Request,
  params: Readonly<Record<string, string>>,
  target: ResponseTarget,
): Promise<Response> {
  const { redact, tenants, services } = pipeline
  let known: Caller | undefined
  const send = (result: RouteAnswer, sent?: (bytes: number) => void): Response => {
    pipeline.refusedRequest(result, { request, requestId: target.requestId, caller: known })
    return respond(result, redact, target, sent)
  }
  try {
    if (services.closing.aborted && route.scopes.length > 0) return send(shuttingDown)
    const authorized = await authorize(pipeline, route, request, target.peer?.address)
    if ('answer' in authorized) {
      known = authorized.caller
      return send(authorized.answer)
    }
    const chosen = authorized === ANONYMOUS ? { caller: ANONYMOUS } : inChosenTenant(authorized, request)
    if ('answer' in chosen) return send(chosen.answer)
    const { caller } = chosen
    if (caller === ANONYMOUS) return send(await answer(pipeline, route, request, params, caller, target.peer))
    known = caller
    const result = await answer(pipeline, route, request, params, caller, target.peer)
    return send(result, (bytes) => tenants.countResponse(caller.tenant, bytes))
  } catch (error) {
    const result = errorAnswer(error)
    // The provider's failure is in the log already, once for all of these requests.
    if (result.status >= 500 && !(error instanceof SignInUnavailable))
      logError(pipeline, request, target.requestId, result.status, error)
    if (QuotaExceeded.is(error)) pipeline.quotaLogger(known?.tenant ?? '', error.quota, error.message)
    return send(result)
  }
}

async function answer(
  pipeline: Pipeline,
  route: Route,
  request: Request,
  params: Readonly<Record<string, string>>,
  caller: Caller,
  peer: Peer | undefined,
): Promise<RouteAnswer> {
  const { services, limits } = pipeline
  const writes = route.method !== 'get'
  const read = await readOf(route, request, caller === ANONYMOUS ? ANONYMOUS_LIMITS : limits)
  if (!read.ok) return read.answer
  const exceeded = caller === ANONYMOUS ? undefined : await pipeline.tenants.takeBytes(caller.tenant, read.bytes)
  if (exceeded) {
    pipeline.limitReached(caller.tenant, 'bytes', exceeded.why)
    return tooMany(exceeded.wait, exceeded.why)
  }
  const url = new URL(request.url)
  if (!isDecodable(url.pathname))
    return refuse('bad-request', 'The path has a `%` that is not an escape. Write it as `%25`.')
  const query = caller === ANONYMOUS ? url.searchParams : withoutTenant(url.searchParams)
  const validated = validate(route, { params, query, body: read.value })
  if (!validated.ok) return validated.answer
  const given = writes ? idempotencyKeyOf(request) : { key: undefined }
  if ('answer' in given) return given.answer
  const { key: idempotencyKey } = given
  const runtime = services.runtime.tenant(caller.tenant)
  const handle = (): Promise<RouteAnswer> =>
    route.handle({ ...validated.value, caller, runtime, idempotencyKey, request, peer, services })
  const action = caller === ANONYMOUS ? undefined : adminActionOf(route.name, validated.value)
  const work = action ? (): Promise<RouteAnswer> => services.adminLog.record(caller, action, handle) : handle
  if (!writes || idempotencyKey === undefined || route.idempotency === 'by-runtime') return work()
  const { headers } = request
  // The bytes of a file are not read before its route runs.
  const body = route.bytes ? [headers.get('content-type'), headers.get('content-length')] : (read.value ?? null)
  const what: Json = [route.name, url.pathname, url.search, body]
  const about = (body: unknown): readonly string[] => conversationsOf(url.pathname, body)
  const isErased = async (id: string): Promise<boolean> =>
    ((await runtime.erasure(id)) ?? (await runtime.spaces.erasure(id))) !== undefined
  return runIdempotently(services.documents, { caller, key: idempotencyKey, what, about, isErased }, work)
}

function readOf(
  { method, lines, bytes }: Route,
  request: Request,
  { bodyBytes, importBytes }: Pick<Limits, 'bodyBytes' | 'importBytes'>,
): ReadBody | Promise<ReadBody> {
  if (method === 'get' || bytes) return NO_BODY
  return lines ? readLines(request, importBytes) : readBody(request, bodyBytes)
}

/** The conversations and spaces whose content a response contains. */
function conversationsOf(path: string, body: unknown): readonly string[] {
  const [, inPath] = /^\/api\/(?:conversations|holds|spaces)\/([^/]+)\/./.exec(path) ?? []
  const rows = (body as { readonly items?: readonly { readonly conversationId?: unknown }[] } | undefined)?.items ?? []
  const inBody = rows.map(({ conversationId }) => conversationId).filter((id) => typeof id === 'string')
  return [...new Set([...(inPath === undefined ? [] : [decodeURIComponent(inPath)]), ...inBody])]
}

/** The router passes an escape that is not UTF-8 through undecoded. The same object would then have two names. */
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
  { authenticate, session, signIn, failedAuthentications, proxies, rate, tenants, limitReached }: Pipeline,
  { scopes }: Route,
  request: Request,
  address: string | undefined,
): Promise<Caller | { readonly answer: RouteAnswer; readonly caller?: Caller }> {
  if (scopes.length === 0) return ANONYMOUS
  const authorization = request.headers.get('authorization')
  const own = authorization === null ? await session(request) : undefined
  const cookie = authorization === null && !own ? signIn?.sessionOf(request) : undefined
  if (cookie !== undefined && isWrite(request) && !signIn?.isSameOrigin(request)) return { answer: otherOrigin }
  const credential = cookie === undefined ? authorization : `Cookie ${cookie}`
  const known = own
    ? { caller: own }
    : await failedAuthentications.authenticate(clientOf(address, request.headers, proxies), credential, async () =>
        cookie === undefined ? authenticate(authorization) : signIn?.callerOf(cookie),
      )
  const forged = own && checkCookieWrite(request)
  if (forged) return { answer: forged }
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
  if (exceeded) {
    limitReached(caller.tenant, 'requests', exceeded.why)
    return { answer: tooMany(exceeded.wait, exceeded.why) }
  }
  if (hasScope(caller, scopes)) return caller
  return { answer: refuse('scope-missing', `This needs a credential with the scope ${scopes.join(' or ')}.`), caller }
}

function isWrite({ method }: Request): boolean {
  return method !== 'GET' && method !== 'HEAD'
}

function tooMany(seconds: number, why = ''): RouteAnswer {
  return refuse('too-many-requests', `${why} Retry in ${seconds} s.`.trim(), {
    headers: { 'retry-after': String(seconds) },
  })
}

function logError(
  { log, redact }: Pipeline,
  request: Request,
  requestId: string,
  status: number,
  error: unknown,
): void {
  const message = redact(error instanceof Error ? (error.stack ?? error.message) : String(error))
  const path = redact(new URL(request.url).pathname)
  log({ level: 'error', event: 'problem', message, requestId, method: request.method, path, status })
}
