/**
 * Our tools and agents as an MCP server, for clients of both protocol eras. Every request is stateless: the state of a call
 * is in the store, and the client returns to it with a resume token. The answer to a held call depends on the client's
 * capabilities: questions for its user, a task to poll, or else a text that says how to ask again.
 */
import { HoldpointError, type Agent, type Principal, type Store, type Tool } from '@holdpoint/core'
import type { Runtime } from '@holdpoint/spaces'
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server'
import { AsyncLocalStorage } from 'node:async_hooks'
import { directCallAgent, DIRECT_CALL_AGENT } from './direct-call-agent.ts'
import { protocolServer } from './protocol-server.ts'
import { ResumeTokens } from './resume-tokens.ts'
import { ToolCalls } from './tool-calls.ts'

/** The authenticated caller of a request. */
export interface McpCaller {
  readonly tenant: string
  /** Unique to the credential within the tenant. Two keys may share a name. */
  readonly id: string
  /** The display name: `key:` and the name of a key, or the `sub` of a token. */
  readonly by: string
  /** As authentication identified it. Default: a person with the id `by`. */
  readonly principal?: Principal
  /** The runtime of the caller's tenant. */
  readonly runtime: Runtime
  /** Whether the caller may approve held calls. */
  readonly resolves: boolean
  /** Aborts when the process shuts down. A client that still waits gets a resume token. */
  readonly closing?: AbortSignal
  /** Receives internal errors. The caller only gets a generic message. */
  readonly problem?: (error: unknown) => void
}

export interface OwnMcpServerOptions {
  /** The same store as the runtime's. It keeps the key that signs resume tokens. */
  readonly store: Store
  /** Tools that clients can call directly, without a model. */
  readonly tools?: readonly Tool[]
  /** Agents that clients can talk to. Each becomes a tool that takes a message. */
  readonly agents?: readonly { readonly name: string; readonly description?: string }[]
  /** Whether a caller may list and call a tool. Default: yes. Compare `caller.id`; `caller.by` is not unique. */
  readonly may?: (caller: McpCaller, tool: string) => boolean
  readonly name?: string
  /** How long a held call keeps the request open when the client supports neither questions nor tasks, in ms. Default: 25 s. */
  readonly patienceMs?: number
  /** How long a call may run before a client that supports tasks gets one, in ms. Default: 10 s. */
  readonly taskAfterMs?: number
}

export interface OwnMcpServer {
  /** Register it with the runtime: it runs the tool calls of MCP clients. */
  readonly agent: Agent
  /** Pass `body` if the request's body has already been read. */
  fetch(request: Request, caller: McpCaller, body?: unknown): Promise<Response>
  close(): Promise<void>
}

/** A batch would pass the rate limit as one request. Current versions of the protocol have no batches. */
const batchRefused = {
  jsonrpc: '2.0',
  id: null,
  error: { code: -32_600, message: 'Batches are not supported. Send one message per request.' },
} as const

export function createMcpServer(options: OwnMcpServerOptions): OwnMcpServer {
  const { tools = [], agents = [] } = options
  if (agents.some(({ name }) => name === DIRECT_CALL_AGENT))
    throw new HoldpointError('config-invalid', `The agent name "${DIRECT_CALL_AGENT}" is reserved. Rename your agent.`)
  const agent = directCallAgent(tools)
  const calls = new ToolCalls(options, new ResumeTokens(options.store))
  // The SDK passes no data of ours to the server that it creates for a request.
  const currentCaller = new AsyncLocalStorage<McpCaller>()
  const handler: McpHttpHandler = createMcpHandler(
    ({ era }) => {
      const caller = currentCaller.getStore()
      if (!caller) throw new HoldpointError('config-invalid', 'The MCP server received a request without a caller.')
      return protocolServer(calls, caller, era, options.name ?? 'holdpoint')
    },
    { legacy: 'stateless' },
  )
  return {
    agent,
    fetch: async (request, caller, body) =>
      Array.isArray(body)
        ? Response.json(batchRefused, { status: 400 })
        : currentCaller.run(caller, () => handler.fetch(request, body === undefined ? {} : { parsedBody: body })),
    close: () => handler.close(),
  }
}
