/**
 * Our tools and agents as an MCP server, for clients of both eras. Every request stands alone: what a call waits for is in
 * the store, and a client comes back to it with a ticket. A call that is held is answered by what the client can do with
 * it: questions for its user, a task to look at again, or, if it can do neither, word that it waits and how to ask again.
 */
import { HoldpointError, type Agent, type Runtime, type Store, type Tool } from '@holdpoint/core'
import { createMcpHandler, type McpHttpHandler } from '@modelcontextprotocol/server'
import { AsyncLocalStorage } from 'node:async_hooks'
import { Desk } from './desk.ts'
import { relayAgent, RELAY } from './relay.ts'
import { serverFor } from './serve-mcp.ts'
import { Tickets } from './ticket.ts'

/** Who is calling, as the gateway knows them. */
export interface McpCaller {
  readonly tenant: string
  readonly by: string
  /** Of the caller's tenant. */
  readonly runtime: Runtime
  /** The caller may say whether a held call may run. */
  readonly resolves: boolean
  /** Aborts when nobody will be answered any more: whoever waits is told how to come back. */
  readonly closing?: AbortSignal
  /** Told of what went wrong in here, which the caller is not. */
  readonly problem?: (error: unknown) => void
}

export interface McpFaceOptions {
  /** The runtime's own: the key that seals tickets is kept there. */
  readonly store: Store
  /** Tools that can be called directly, without a model. */
  readonly tools?: readonly Tool[]
  /** Agents that can be talked to: each is a tool that takes a message. */
  readonly agents?: readonly { readonly name: string; readonly description?: string }[]
  /** What a caller may use, and so is shown; everything unless said. */
  readonly may?: (caller: McpCaller, tool: string) => boolean
  readonly name?: string
  /** How long a client that can do nothing else waits on the line for a call that is held, in ms; 25 s unless said. */
  readonly patienceMs?: number
  /** How long a call is worked on before a client that takes tasks is given one, in ms; 10 s unless said. */
  readonly taskAfterMs?: number
}

export interface McpFace {
  /** To be among the runtime's agents: it keeps the calls of tools. */
  readonly agent: Agent
  /** `body` is the request's, where somebody has read it already. */
  fetch(request: Request, caller: McpCaller, body?: unknown): Promise<Response>
  close(): Promise<void>
}

/** Many calls in one request would count as one, wherever requests are counted; and no protocol of today has it. */
const oneByOne = {
  jsonrpc: '2.0',
  id: null,
  error: { code: -32_600, message: 'Send one message in a request: batches are not taken.' },
} as const

export function mcpFace(options: McpFaceOptions): McpFace {
  const { tools = [], agents = [] } = options
  const twice = agents.find(({ name }) => name === RELAY)
  if (twice) throw new HoldpointError('config-invalid', `The agent "${RELAY}" keeps the calls: call yours otherwise.`)
  const agent = relayAgent(tools)
  const desk = new Desk(options, new Tickets(options.store))
  // The SDK hands nothing of ours to the server it makes for a request, so it is found here.
  const calling = new AsyncLocalStorage<McpCaller>()
  const handler: McpHttpHandler = createMcpHandler(
    ({ era }) => {
      const caller = calling.getStore()
      if (!caller) throw new HoldpointError('config-invalid', 'A request came to the MCP face without its caller.')
      return serverFor(desk, caller, era, options.name ?? 'holdpoint')
    },
    { legacy: 'stateless' },
  )
  return {
    agent,
    fetch: async (request, caller, body) =>
      Array.isArray(body)
        ? Response.json(oneByOne, { status: 400 })
        : calling.run(caller, () => handler.fetch(request, body === undefined ? {} : { parsedBody: body })),
    close: () => handler.close(),
  }
}
