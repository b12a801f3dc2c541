/** The MCP servers that agents use, and our own face to MCP clients. */
import { may } from '../auth/principal.ts'
import { no, ok, type Answer } from '../http/answer.ts'
import type { Redact } from '../redact.ts'
import { route, type Asked, type Method, type Route } from '../http/route.ts'
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
    summary: 'The MCP servers of your agents: how they are, what they offer, and what changed',
    scopes: ['agent', 'reader', 'resolver'],
    query: z.strictObject({}),
    answers: { 200: { says: 'All of them.', schema: listOf(server) } },
    handle: async ({ who, services: { mcp } }) => ok({ items: (await mcp.servers?.status(who.tenant)) ?? [] }),
  }),
  route({
    method: 'post',
    path: '/api/mcp/servers/{server}/tools/{tool}/accept',
    name: 'acceptMcpTool',
    tag: 'mcp',
    summary: 'Take what a server says of a tool now as what is allowed: somebody has seen the difference',
    scopes: ['admin'],
    params: z.object({ server: id, tool: id }),
    body: z
      .strictObject({ fingerprint: z.string().regex(/^[0-9a-f]{64}$/, 'is the fingerprint of what was looked at') })
      .openapi('AcceptMcpTool'),
    answers: { 200: { says: 'It is allowed as it is now.', schema: z.object({ accepted: z.literal(true) }) } },
    problems: ['not-found', 'conflict'],
    handle: async ({ params, body: { fingerprint }, who, services: { mcp } }) => {
      const told = await mcp.servers?.accept({ tenant: who.tenant, ...params, fingerprint })
      if (told === 'accepted') return ok({ accepted: true })
      return told === 'changed-again'
        ? no('conflict', 'The server changed it again since you looked. Look at the difference once more.')
        : no('not-found', `"${params.tool}" of "${params.server}" has no changed definition.`)
    },
  }),
]

/** Not part of the API that the OpenAPI document is about: it has a protocol of its own. */
export const mcpFaceRoutes: readonly Route[] = (['get', 'post', 'delete'] as const).map((method) => faceRoute(method))

function faceRoute(method: Method): Route {
  return route({
    method,
    path: '/mcp',
    name: `mcp-${method}`,
    tag: 'mcp',
    summary: 'Our tools and agents for MCP clients',
    scopes: ['agent'],
    ...(method === 'post' && { body: json }),
    // What a client sends again has an id of its own in the protocol.
    once: 'by-runtime',
    answers: {},
    handle: face,
  })
}

async function face({ request, who, runtime, body, services }: Asked): Promise<Answer> {
  const { mcp, redact, closing, problem } = services
  if (!mcp.face) return no('not-found', 'Nothing is offered over MCP here.')
  const caller = { tenant: who.tenant, by: who.by, runtime, resolves: may(who, ['resolver']), closing, problem }
  return { response: redacted(await mcp.face.fetch(request, caller, body), redact) }
}

/** Line by line, as it comes: a message is one line, in a stream and alone. */
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
