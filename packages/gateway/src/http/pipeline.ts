/**
 * The way of every request, in this order: is it one we take at all (guard), who is asking, how often, what does it say,
 * does it fit, was it made before; then the route. Nothing of a stranger's body is read.
 */
import type { Json } from '@holdpoint/core'
import type { Authenticate } from '../auth/authenticate.ts'
import { may, type Principal } from '../auth/principal.ts'
import type { Strangers } from '../auth/strangers.ts'
import type { Limits, LogLine } from '../gateway-options.ts'
import type { Redact } from '../redact.ts'
import type { Services } from '../services.ts'
import { no, type Answer } from './answer.ts'
import { readBody } from './body.ts'
import { failed } from './failed.ts'
import { keyOf, once } from './once.ts'
import type { RateLimit } from './rate.ts'
import { respond, type Line } from './respond.ts'
import type { Peer, Route } from './route.ts'
import { validate } from './validate.ts'

export interface Pipeline {
  readonly services: Services
  readonly authenticate: Authenticate
  readonly strangers: Strangers
  readonly rate: RateLimit
  readonly limits: Limits
  readonly redact: Redact
  readonly log: (line: LogLine) => void
}

const NOBODY: Principal = { kind: 'key', tenant: '', id: '', by: '', scopes: [] }

export async function handle(
  pipeline: Pipeline,
  route: Route,
  request: Request,
  params: Readonly<Record<string, string>>,
  line: Line,
): Promise<Response> {
  try {
    return respond(await answer(pipeline, route, request, params, line.peer), pipeline.redact, line)
  } catch (error) {
    const told = failed(error)
    if (told.status >= 500) logError(pipeline, request, told.status, error)
    return respond(told, pipeline.redact, line)
  }
}

async function answer(
  pipeline: Pipeline,
  route: Route,
  request: Request,
  params: Readonly<Record<string, string>>,
  peer: Peer | undefined,
): Promise<Answer> {
  const { services, limits } = pipeline
  if (services.closing.aborted && route.scopes.length > 0) return failedClosed
  const who = await admit(pipeline, route, request, peer?.address)
  if ('answer' in who) return who.answer
  const writes = route.method !== 'get'
  const read = writes ? await readBody(request, limits.bodyBytes) : ({ ok: true, value: undefined } as const)
  if (!read.ok) return read.answer
  const url = new URL(request.url)
  if (!isDecodable(url.pathname))
    return no('bad-request', 'The path has a `%` that stands for nothing: write it `%25`.')
  const fits = validate(route, { params, query: url.searchParams, body: read.value })
  if (!fits.ok) return fits.answer
  const given = writes ? keyOf(request) : { key: undefined }
  if ('answer' in given) return given.answer
  const { key } = given
  const runtime = services.runtime.tenant(who.tenant)
  const work = (): Promise<Answer> => route.handle({ ...fits.value, who, runtime, key, request, peer, services })
  if (!writes || key === undefined || route.once === 'by-runtime') return work()
  const what: Json = [route.name, url.pathname, url.search, read.value ?? null]
  return once(services.documents, { who, key, what }, work)
}

/** What is no UTF-8 in escapes would be taken as it stands, and be another name for what is written properly. */
function isDecodable(path: string): boolean {
  if (!path.includes('%')) return true
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

const failedClosed = no('closed', 'This gateway is shutting down. Ask another one, or again in a moment.', {
  headers: { 'retry-after': '1', connection: 'close' },
})

/** Who is asking, if they may ask this now. */
async function admit(
  { authenticate, strangers, rate }: Pipeline,
  { scopes }: Route,
  request: Request,
  address: string | undefined,
): Promise<Principal | { readonly answer: Answer }> {
  if (scopes.length === 0) return NOBODY
  const authorization = request.headers.get('authorization')
  const patience = strangers.wait(address, authorization)
  if (patience > 0) return { answer: tooMany(patience) }
  const who = await authenticate(authorization)
  if (who) strangers.wasGood(authorization)
  else strangers.wasWrong(address, authorization)
  if (!who)
    return {
      answer: no('unauthorised', 'Send a key or a token: `Authorization: Bearer hp_…`.', {
        headers: { 'www-authenticate': 'Bearer' },
      }),
    }
  const wait = rate.take(JSON.stringify([who.tenant, who.id]))
  if (wait > 0) return { answer: tooMany(wait) }
  if (may(who, scopes)) return who
  return { answer: no('scope-missing', `This takes a credential with the scope ${scopes.join(' or ')}.`) }
}

function tooMany(seconds: number): Answer {
  return no('too-many-requests', `Ask again in ${seconds} s.`, { headers: { 'retry-after': String(seconds) } })
}

function logError({ log, redact }: Pipeline, request: Request, status: number, error: unknown): void {
  const message = redact(error instanceof Error ? (error.stack ?? error.message) : String(error))
  const path = redact(new URL(request.url).pathname)
  log({ level: 'error', message, method: request.method, path, status })
}
