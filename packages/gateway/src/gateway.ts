/** The runtime over HTTP: takes a Request, returns a Response. */
import { Hono } from 'hono'
import { applicationSession } from './auth/application-session.ts'
import { authenticator } from './auth/authenticate.ts'
import { configuredSecrets } from './auth/configured-secrets.ts'
import { CookieSessions } from './auth/cookie-sessions.ts'
import { checkRecheckMs, credentialCheck, type CredentialParts } from './auth/credential-check.ts'
import { Keys } from './auth/keys.ts'
import { openIdSettings } from './auth/openid-options.ts'
import { SignIn } from './auth/sign-in.ts'
import { FailedAuthenticationLimit } from './auth/failed-authentication-limit.ts'
import { refusedCredentialLogger } from './auth/refused-credential-logger.ts'
import { tokenVerifier, tokenWarning } from './auth/tokens.ts'
import { trustedProxies } from './auth/trusted-proxies.ts'
import { AdminLog } from './admin-log.ts'
import { AGENT_DOCUMENT } from './stored-agents.ts'
import { CallClaims } from './call-claims.ts'
import { LIMITS, type GatewayOptions, type Limits } from './gateway-options.ts'
import { refuse } from './http/route-answer.ts'
import { corsHeaders, checkHostAndOrigin, LOOPBACK_HOSTS, type AllowedHosts } from './http/host-and-origin.ts'
import { handleRequest, type Pipeline } from './http/pipeline.ts'
import { limitReached } from './http/limit-reached.ts'
import { quotaLogger } from './http/quota-logger.ts'
import { RateLimit } from './http/rate-limit.ts'
import { refusedRequestLogger } from './http/refused-request-logger.ts'
import { requestId } from './http/request-id.ts'
import { problemLine } from './problem-line.ts'
import { TenantLimits } from './http/tenant-limits.ts'
import { respond, SECURITY_HEADERS, type ResponseTarget } from './http/respond.ts'
import { ChatRuns } from '@holdpoint/ai-sdk'
import type { Peer, Route } from './http/route.ts'
import { openApiDocument } from './openapi-document.ts'
import { NodeReports } from './node-reports.ts'
import { checkPrices } from './prices.ts'
import { recentProblems, rememberingProblems } from './recent-problems.ts'
import { redactor, type Redact } from './redact.ts'
import { CappedIds } from './capped-ids.ts'
import { apiRoutes } from './routes/api-routes.ts'
import { agUiRoutes } from './routes/ag-ui.ts'
import { copilotKitRoutes } from './routes/copilot-kit.ts'
import { chatRoutes } from './routes/chat.ts'
import { ConsoleCode, consoleRoutes } from './routes/console.ts'
import { docsRoutes } from './routes/docs.ts'
import { ownMcpServerRoutes } from './routes/mcp.ts'
import { responseRoutes } from './routes/responses.ts'
import { signInRoutes } from './routes/sign-in.ts'
import type { GatewayServices } from './gateway-services.ts'
import type { Site } from './site/site.ts'
import { Hubs } from './streams/hubs.ts'
import { Streams } from './streams/streams.ts'
import { Delegations } from './delegations.ts'
import { PeopleDirectory } from './people-directory.ts'
import { PeopleNames } from './people-names.ts'
import { Workers } from './workers.ts'

export interface Gateway {
  /** `peer`: the client's connection, as far as the server exposes it. */
  fetch(request: Request, peer?: Peer): Promise<Response>
  /** With `openConsole`: the code that signs the console in, once, as `/#code=…` after the gateway's URL. */
  readonly consoleCode: string | undefined
  /** Creates keys for any tenant. A request over HTTP creates keys only for its own tenant. */
  readonly keys: Pick<Keys, 'create' | 'revoke' | 'list'>
  /** How many live streams are open. */
  readonly openStreams: number
  /** Refuses new requests, and ends the streams with a hint to reconnect. Does not close the runtime. */
  close(): Promise<void>
}

export function gateway(options: GatewayOptions): Gateway {
  const closing = new AbortController()
  const pipeline = pipelineOf(options, closing.signal)
  const allowed: AllowedHosts = { hosts: options.hosts ?? LOOPBACK_HOSTS, origins: options.origins ?? [] }
  const code = options.openConsole === true ? new ConsoleCode() : undefined
  const documentation = docsRoutes(() => openApiDocument(apiRoutes))
  const own = [
    ...ownMcpServerRoutes,
    ...chatRoutes,
    ...agUiRoutes,
    ...copilotKitRoutes,
    ...responseRoutes,
    ...documentation,
    ...consoleRoutes(code),
    ...signInRoutes(pipeline),
  ]
  const app = appOf(pipeline, [...apiRoutes, ...own], options.site)
  const open = new Set<Promise<Response>>()
  return {
    fetch: async (request, given) => {
      const peer = isPeer(given) ? given : undefined
      const refused = checkHostAndOrigin(request, allowed)
      const cors = corsHeaders(request, allowed)
      const id = requestId(request.headers)
      const target: ResponseTarget = {
        peer,
        requestId: id,
        headers: { ...SECURITY_HEADERS, ...cors, 'x-request-id': id },
      }
      if (refused) return respond(refused, pipeline.redact, target)
      if (request.method === 'OPTIONS' && cors) return respond({ status: 204 }, pipeline.redact, target)
      const answering = Promise.resolve(app.fetch(request, target))
      open.add(answering)
      try {
        return await answering
      } finally {
        open.delete(answering)
      }
    },
    consoleCode: code?.code,
    keys: pipeline.services.keys,
    get openStreams() {
      return pipeline.services.streams.size
    },
    close: async () => {
      closing.abort()
      pipeline.services.streams.close()
      await pipeline.services.nodes.close().catch(pipeline.services.problem)
      await Promise.allSettled(open)
    },
  }
}

/** Some servers pass another second argument to `fetch`. */
function isPeer(given: Peer | undefined): given is Peer {
  return typeof given?.disconnect === 'function'
}

function pipelineOf(options: GatewayOptions, closing: AbortSignal): Pipeline {
  const { runtime, store, auth = {}, now = Date.now } = options
  const log = rememberingProblems(options.log ?? (() => {}), now)
  const limits: Limits = { ...LIMITS, ...options.limits }
  const configured = auth.keys ?? []
  const own = redactor(new Set(configuredSecrets(auth)))
  const others = redactor(options.secrets instanceof Set ? options.secrets : new Set(options.secrets))
  const redact: Redact = (text) => others(own(text))
  const keys = new Keys(store, now)
  for (const { key, tenant = '', ...rights } of configured) keys.addConfigured(key, { tenant, ...rights })
  const claims = new CallClaims(store, now)
  const problem = (error: unknown): void => log(problemLine(error, redact))
  const refused = refusedCredentialLogger(log, redact, now)
  const authenticate = authenticator(keys, auth.tokens && tokenVerifier(auth.tokens, now, refused), refused)
  warnOfTokens(options)
  const openId = auth.openId && openIdSettings(auth.openId, options.hosts ?? LOOPBACK_HOSTS)
  const sessions = new CookieSessions(store, now, (id) => services.streams.endSession(id))
  const signIn = openId && new SignIn(openId, store, sessions, now, refused)
  const session = applicationSession(auth.authenticate, refused, now)
  const parts: CredentialParts = { authenticate, session, signIn, recheckMs: checkRecheckMs(auth.recheckMs), now }
  const tenantLimits = new TenantLimits(store, limits, now)
  const people = new PeopleDirectory(store)
  const hubs = new Hubs({ runtime, store, claims }, redact, problem)
  const services: GatewayServices = {
    runtime,
    store,
    documents: store,
    agentIds: new CappedIds(store, AGENT_DOCUMENT, now),
    keys,
    adminLog: new AdminLog(store, now, problem, options.signingKey),
    sessions,
    hubs,
    streams: new Streams(hubs, limits, now, (request, caller) => credentialCheck(request, caller, parts), problem),
    claims,
    chatRuns: new ChatRuns(store),
    people,
    names: new PeopleNames(people, now),
    delegations: new Delegations(store, now),
    workers: new Workers(store, now),
    authorize: options.authorize,
    agents: options.agents ?? [],
    storedAgents: options.storedAgents,
    mcp: options.mcp ?? {},
    channels: options.channels,
    prices: checkPrices(options.prices),
    nodes: new NodeReports({ runtime, store, now }, () => services.streams.size, problem),
    problems: () => recentProblems(log),
    limits,
    tenantLimits,
    redact,
    problem,
    closing,
    now,
  }
  const rate = new RateLimit(limits.rate, now)
  const failedAuthentications = new FailedAuthenticationLimit(limits.failedAuthentications, now)
  const quotas = quotaLogger(log, now)
  return {
    services,
    authenticate,
    session,
    signIn,
    failedAuthentications,
    proxies: trustedProxies(options.trustedProxies ?? []),
    rate,
    tenants: tenantLimits,
    quotaLogger: quotas,
    limitReached: limitReached(quotas, options.onQuotaReached, problem),
    refusedRequest: refusedRequestLogger(log, redact, now),
    limits,
    redact,
    log,
  }
}

function warnOfTokens({ auth, log }: Pick<GatewayOptions, 'auth' | 'log'>): void {
  const warning = auth?.tokens && tokenWarning(auth.tokens)
  if (warning === undefined) return
  if (log) log({ level: 'warn', message: warning })
  else process.emitWarning(warning, 'HoldpointWarning')
}

type App = Hono<{ Bindings: ResponseTarget }>

function appOf(pipeline: Pipeline, all: readonly Route[], site: Site | undefined): App {
  const app: App = new Hono()
  const { redact } = pipeline
  const byPath = Map.groupBy(all, ({ path }) => path.replaceAll(/\{(\w+)\}/g, ':$1'))
  for (const [path, here] of byPath) {
    for (const route of here)
      app.on(route.method.toUpperCase(), path, (c) => handleRequest(pipeline, route, c.req.raw, c.req.param(), c.env))
    const allow = [...new Set(here.map(({ method }) => method.toUpperCase()))].join(', ')
    const wrong = refuse('method-not-allowed', `Only ${allow} is allowed here.`, { headers: { allow } })
    app.all(path, (c) => respond(wrong, redact, c.env))
  }
  const nothing = refuse('not-found', 'There is no such path. See /api/openapi.json.')
  const { channels } = pipeline.services
  for (const area of channels ? ['links', 'triggers', 'channels'] : [])
    app.all(`/${area}/*`, async (c) => {
      const response = await channels?.answer(c.req.raw)
      return respond(response ? { response } : nothing, redact, c.env)
    })
  app.notFound((c) => {
    const page = site?.answer(c.req.raw)
    return respond(page ? { response: page } : nothing, redact, c.env)
  })
  app.onError((_, c) => respond(refuse('internal', 'Internal error.'), redact, c.env))
  return app
}
