/** A hand-written server of the older MCP protocol, which sends whatever a test needs. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

export interface Rpc {
  readonly id?: number | string
  readonly method: string
  readonly params?: {
    readonly name?: string
    readonly arguments?: Readonly<Record<string, unknown>>
    readonly cursor?: string
    readonly taskId?: string
    readonly requestState?: string
    readonly inputResponses?: Readonly<Record<string, unknown>>
    readonly _meta?: Readonly<Record<string, unknown>>
  }
}

type Answer = object | 'silence' | ((response: ServerResponse, rpc: Rpc) => void)

export interface Raw {
  readonly url: string
  /** The requests, with their headers. */
  readonly asked: { readonly rpc: Rpc; readonly headers: IncomingMessage['headers'] }[]
  tools: object[]
  /** Methods that get no response. */
  silent: string[]
  /** Handles a client that listens for notifications. Default: refused. */
  get?: (response: ServerResponse) => void
  close(): Promise<void>
}

export const ECHO = {
  name: 'echo',
  description: 'Says it again',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
}

/** The response that makes it a server of the protocol of 2026-07-28. */
export const modern = {
  'server/discover': () => ({
    result: {
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } },
    },
  }),
  'tools/list': (_rpc: Rpc, { tools }: Raw) => ({
    result: { resultType: 'complete', tools, ttlMs: 0, cacheScope: 'private' },
  }),
} as const

export const said = (text: string): object => ({ result: { content: [{ type: 'text', text }] } })

/** Sends a response as a stream, after the given messages. Without an id, the stream ends without a response. */
export function stream(...messages: readonly object[]) {
  return (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const message of messages)
      response.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`)
    response.end()
  }
}

export async function rawServer(
  answers: Readonly<Record<string, (rpc: Rpc, raw: Raw) => Answer | undefined>> = {},
  port = 0,
): Promise<Raw> {
  const server = createServer((request, response) => void handle(request, response))
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method === 'GET' && raw.get) return raw.get(response)
    if (request.method !== 'POST') return void response.writeHead(405).end()
    let text = ''
    for await (const part of request) text += String(part)
    const rpc = JSON.parse(text) as Rpc
    raw.asked.push({ rpc, headers: request.headers })
    if (raw.silent.includes(rpc.method)) return
    if (rpc.id === undefined) return void response.writeHead(202).end()
    const answer = answers[rpc.method]?.(rpc, raw) ?? standard(rpc, raw)
    if (answer === 'silence') return
    if (typeof answer === 'function') return answer(response, rpc)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id: rpc.id, ...answer }))
  }
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const raw: Raw = {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/mcp`,
    asked: [],
    tools: [ECHO],
    silent: [],
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return raw
}

function standard({ method, params }: Rpc, raw: Raw): object {
  switch (method) {
    case 'initialize':
      return {
        result: {
          protocolVersion: '2025-11-25',
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: 'raw', version: '1' },
        },
      }
    case 'tools/list':
      return { result: { tools: raw.tools } }
    case 'tools/call':
      return { result: { content: [{ type: 'text', text: `said ${String(params?.arguments?.['text'])}` }] } }
    default:
      return { error: { code: -32_601, message: 'no such method' } }
  }
}
