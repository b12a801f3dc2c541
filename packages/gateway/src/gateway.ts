/** Request in, Response out: the runtime behind a door. */
import { Hono } from 'hono'
import { messageOf } from '@holdpoint/core'
import { authenticator } from './auth/authenticate.ts'
import { Keys } from './auth/keys.ts'
import { Strangers } from './auth/strangers.ts'
import { tokenVerifier } from './auth/tokens.ts'
import { Claims } from './claims.ts'
import { LIMITS, type GatewayOptions, type Limits } from './gateway-options.ts'
import { no } from './http/answer.ts'
import { corsHeaders, guarded, LOOPBACK_HOSTS, type Guard } from './http/guard.ts'
import { handle, type Pipeline } from './http/pipeline.ts'
import { RateLimit } from './http/rate.ts'
import { respond, SECURITY_HEADERS, type Line } from './http/respond.ts'
import type { Peer, Route } from './http/route.ts'
import { openApiOf } from './openapi.ts'
import { redactor, type Redact } from './redact.ts'
import { routes } from './routes/all.ts'
import { consoleRoutes } from './routes/console.ts'
import { docsRoutes } from './routes/docs.ts'
import { mcpFaceRoutes } from './routes/mcp.ts'
import type { Services } from './services.ts'
import type { Site } from './site/site.ts'
import { Hubs } from './streams/hubs.ts'
import { Streams } from './streams/streams.ts'
import { Workers } from './workers.ts'

export interface Gateway {
  /** `peer`: what the server lets us do with the connection itself. */
  fetch(request: Request, peer?: Peer): Promise<Response>
  /** To make keys for any tenant: what is asked over HTTP makes keys for its own tenant alone. */
  readonly keys: Pick<Keys, 'create' | 'revoke' | 'list'>
  /** Refuses what is new, and ends the streams with a hint to come again. The runtime is closed by who made it. */
  close(): Promise<void>
}

export function gateway(options: GatewayOptions): Gateway {
  const closing = new AbortController()
  const pipeline = pipelineOf(options, closing.signal)
  const guard: Guard = { hosts: options.hosts ?? LOOPBACK_HOSTS, origins: options.origins ?? [] }
  const own = [
    ...mcpFaceRoutes,
    ...docsRoutes(openApiOf(routes)),
    ...consoleRoutes(options.openConsole === true, options.now ?? Date.now),
  ]
  const app = appOf(pipeline, [...routes, ...own], options.site)
  const open = new Set<Promise<Response>>()
  return {
    fetch: async (request, peer) => {
      const refused = guarded(request, guard)
      const cors = corsHeaders(request, guard)
      const line: Line = { peer, headers: cors ? { ...SECURITY_HEADERS, ...cors } : SECURITY_HEADERS }
      if (refused) return respond(refused, pipeline.redact, line)
      if (request.method === 'OPTIONS' && cors) return respond({ status: 204 }, pipeline.redact, line)
      const answering = Promise.resolve(app.fetch(request, line))
      open.add(answering)
      try {
        return await answering
      } finally {
        open.delete(answering)
      }
    },
    keys: pipeline.services.keys,
    close: async () => {
      closing.abort()
      pipeline.services.streams.close()
      await Promise.allSettled(open)
    },
  }
}

function pipelineOf(options: GatewayOptions, closing: AbortSignal): Pipeline {
  const { runtime, store, auth = {}, now = Date.now, log = () => {} } = options
  const limits: Limits = { ...LIMITS, ...options.limits }
  const fixed = auth.keys ?? []
  const own = redactor(new Set([...fixed.map(({ key }) => key), ...(auth.tokens?.secret ? [auth.tokens.secret] : [])]))
  const others = redactor(options.secrets instanceof Set ? options.secrets : new Set(options.secrets))
  const redact: Redact = (text) => others(own(text))
  const keys = new Keys(store, now)
  for (const { key, tenant = '', scopes } of fixed) keys.fix(key, { tenant, scopes })
  const authenticate = authenticator(keys, auth.tokens && tokenVerifier(auth.tokens))
  const claims = new Claims(store, now)
  const problem = (error: unknown): void => log({ level: 'error', message: redact(messageOf(error)) })
  const hubs = new Hubs({ runtime, store, claims }, redact, problem)
  const services: Services = {
    runtime,
    store,
    documents: store,
    keys,
    hubs,
    streams: new Streams(hubs, limits, now, async (authorization) => (await authenticate(authorization)) !== undefined),
    claims,
    workers: new Workers(store, now),
    agents: options.agents ?? [],
    readAgent: options.readAgent ?? (() => ({ name: '' })),
    mcp: options.mcp ?? {},
    redact,
    problem,
    closing,
    now,
  }
  const rate = new RateLimit(limits.rate, now)
  const strangers = new Strangers(limits.strangers, now)
  return { services, authenticate, strangers, rate, limits, redact, log }
}

type App = Hono<{ Bindings: Line }>

function appOf(pipeline: Pipeline, all: readonly Route[], site: Site | undefined): App {
  const app: App = new Hono()
  const { redact } = pipeline
  const byPath = Map.groupBy(all, ({ path }) => path.replaceAll(/\{(\w+)\}/g, ':$1'))
  for (const [path, here] of byPath) {
    for (const route of here)
      app.on(route.method.toUpperCase(), path, (c) => handle(pipeline, route, c.req.raw, c.req.param(), c.env))
    const allow = [...new Set(here.map(({ method }) => method.toUpperCase()))].join(', ')
    const wrong = no('method-not-allowed', `Here is only ${allow}.`, { headers: { allow } })
    app.all(path, (c) => respond(wrong, redact, c.env))
  }
  const nothing = no('not-found', 'There is nothing here. See /api/openapi.json.')
  app.notFound((c) => {
    const page = site?.answer(c.req.raw)
    return respond(page ? { response: page } : nothing, redact, c.env)
  })
  app.onError((_, c) => respond(no('internal', 'Something went wrong here.'), redact, c.env))
  return app
}
