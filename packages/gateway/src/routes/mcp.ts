/** The MCP servers that agents use, and our own MCP server. */
import { hasScope, principalOf } from '../auth/caller.ts'
import { refuse, ok, type RouteAnswer } from '../http/route-answer.ts'
import type { Redact } from '../redact.ts'
import { route, type RouteRequest, type Method, type Route } from '../http/route.ts'
import { id, json, listOf, z } from '../schemas.ts'

const server = z
  .looseObject({
    name: z.string(),
    at: z.string(),
    transport: z.enum(['http', 'stdio']),
    health: z.enum(['new', 'ready', 'away']),
    era: z.enum(['modern', 'legacy']).optional(),
    version: z.string().optional(),
    lastError: z.string().optional(),
    tools: z.array(z.looseObject({ name: z.string(), tool: z.string(), fingerprint: z.string() })),
    refused: z.array(z.object({ name: z.string(), why: z.string() })),
  })
  .openapi('McpServer')

export const mcpRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/mcp/servers',
    name: 'listMcpServers',
    tag: 'mcp',
    summary: 'List the MCP servers of your agents: their health, tools and changed definitions',
    scopes: ['agent', 'reader', 'resolver'],
    query: z.strictObject({}),
    responses: { 200: { description: 'All servers.', schema: listOf(server) } },
    handle: async ({ caller, services: { mcp } }) => ok({ items: (await mcp.servers?.status(caller.tenant)) ?? [] }),
  }),
  route({
    method: 'post',
    path: '/api/mcp/servers/{server}/tools/{tool}/accept',
    name: 'acceptMcpTool',
    tag: 'mcp',
    summary: 'Accept the changed definition of a tool, after reviewing the difference',
    scopes: ['admin'],
    params: z.object({ server: id, tool: id }),
    body: z
      .strictObject({
        fingerprint: z.string().regex(/^[0-9a-f]{64}$/, 'must be the fingerprint of the reviewed definition'),
      })
      .openapi('AcceptMcpTool'),
    responses: {
      200: { description: 'The current definition is allowed.', schema: z.object({ accepted: z.literal(true) }) },
    },
    problems: ['not-found', 'conflict'],
    handle: async ({ params, body: { fingerprint }, caller, services: { mcp } }) => {
      const result = await mcp.servers?.accept({ tenant: caller.tenant, ...params, fingerprint })
      if (result === 'accepted') return ok({ accepted: true })
      return result === 'changed-again'
        ? refuse('conflict', 'The server changed the tool again. Review the new difference.')
        : refuse('not-found', `"${params.tool}" of "${params.server}" has no changed definition.`)
    },
  }),
]

/** Not in the OpenAPI document: this path speaks MCP. */
export const ownMcpServerRoutes: readonly Route[] = (['get', 'post', 'delete'] as const).map((method) =>
  ownMcpServerRoute(method),
)

function ownMcpServerRoute(method: Method): Route {
  return route({
    method,
    path: '/mcp',
    name: `mcp-${method}`,
    tag: 'mcp',
    summary: 'Our tools and agents for MCP clients',
    scopes: ['agent'],
    ...(method === 'post' && { body: json }),
    // MCP requests have ids, so the MCP server recognizes a repeated one.
    idempotency: 'by-runtime',
    responses: {},
    handle: handleMcp,
  })
}

async function handleMcp({ request, caller, runtime, body, services }: RouteRequest): Promise<RouteAnswer> {
  const { mcp, redact, closing, problem } = services
  if (!mcp.ownServer) return refuse('not-found', 'This gateway offers no MCP server.')
  const { tenant, id: own, by } = caller
  const mcpCaller = {
    tenant,
    id: own,
    by,
    principal: principalOf(caller),
    runtime,
    resolves: hasScope(caller, ['resolver']),
    closing,
    problem,
  }
  return { response: redacted(await mcp.ownServer.fetch(request, mcpCaller, body), redact) }
}

/** Redacts line by line as text arrives: an MCP message is always one line. */
function redacted(answer: Response, redact: Redact): Response {
  const { body, status } = answer
  const headers = new Headers(answer.headers)
  headers.delete('content-length')
  let rest = ''
  const lines = new TransformStream<string, string>({
    transform: (text, controller) => {
      const whole = (rest + text).split('\n')
      rest = whole.pop() ?? ''
      if (whole.length > 0) controller.enqueue(`${redact(whole.join('\n'))}\n`)
    },
    flush: (controller) => controller.enqueue(redact(rest)),
  })
  const through = body?.pipeThrough(new TextDecoderStream()).pipeThrough(lines).pipeThrough(new TextEncoderStream())
  return new Response(through ?? null, { status, headers })
}
