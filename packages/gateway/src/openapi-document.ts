/** Builds the OpenAPI document from the routes. */
import { OpenAPIHono, type RouteConfig } from '@hono/zod-openapi'
import { PROBLEM_TYPE, statusOf, type ProblemCode } from '@holdpoint/protocol'
import type { Route } from './http/route.ts'
import { problem, z } from './schemas.ts'

type Responses = RouteConfig['responses']

export function openApiDocument(routes: readonly Route[]): object {
  const app = new OpenAPIHono()
  app.openAPIRegistry.registerComponent('securitySchemes', 'bearer', {
    type: 'http',
    scheme: 'bearer',
    description: 'A key of this gateway (hp_…), or a token (JWT) with `tenant` or `tenants`, `sub` and `scope`.',
  })
  for (const route of routes) app.openAPIRegistry.registerPath(pathOf(route))
  return app.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: 'Holdpoint gateway',
      version: '0.1.0',
      description: 'Conversations of AI agents whose tool calls are durable promises.',
    },
  })
}

function pathOf(route: Route): RouteConfig {
  const { method, path, name, tag, summary, scopes, params, query, body, lines, bytes } = route
  const writes = method !== 'get'
  const key = z.object({
    'idempotency-key': z
      .string()
      .max(200)
      .optional()
      .openapi({ description: 'A write that is repeated with the same key runs once.' }),
  })
  return {
    method,
    path,
    operationId: name,
    tags: [tag],
    summary,
    ...(scopes.length > 0 && { security: [{ bearer: [...new Set(['admin', ...scopes])] }] }),
    request: {
      ...(params && { params }),
      ...(query && { query }),
      ...(writes && { headers: key }),
      ...(body && {
        body: { required: !body.safeParse(undefined).success, content: { 'application/json': { schema: body } } },
      }),
      ...(bytes && {
        body: { required: true, content: { '*/*': { schema: { type: 'string' as const, format: 'binary' } } } },
      }),
      ...(lines && { body: { required: true, content: { 'application/x-ndjson': { schema: lines } } } }),
    },
    responses: { ...responsesOf(route), ...problemsOf(route) },
  }
}

function responsesOf({ responses }: Route): Responses {
  return Object.fromEntries(
    Object.entries(responses).map(([status, { description, schema, stream, lines }]) => {
      const content = {
        ...(schema && { 'application/json': { schema } }),
        ...(stream && { 'text/event-stream': { schema: z.string() } }),
        ...(lines && { 'application/x-ndjson': { schema: lines } }),
      }
      return [status, { description: description, ...((schema ?? lines) && { content }) }]
    }),
  )
}

/** Of every route that needs a credential. */
const AUTHENTICATED: readonly ProblemCode[] = [
  'unauthorised',
  'scope-missing',
  'too-many-requests',
  'bad-request',
  'sign-in-unavailable',
  'closed',
]

/** By status, with the problem codes of that status. */
function problemsOf({ scopes, method, body, lines, problems = [] }: Route): Responses {
  const codes: ProblemCode[] = ['host-not-allowed', ...problems]
  if (scopes.length > 0) codes.push(...AUTHENTICATED)
  if (method !== 'get') codes.push('key-reused', 'same-key-in-progress', 'origin-not-allowed')
  if (body || lines) codes.push('malformed-json', 'content-type', 'too-large')
  const byStatus = Map.groupBy(new Set(codes), statusOf)
  return Object.fromEntries(
    [...byStatus].map(([status, words]) => [
      status,
      { description: `Problem: ${words.join(', ')}.`, content: { [PROBLEM_TYPE]: { schema: problem } } },
    ]),
  )
}
