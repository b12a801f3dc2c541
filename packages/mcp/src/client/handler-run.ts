/** One run of a tool's handler: the call, its server, and the connection that it used last. */
import { later, type HandlerResult, type Json, type ToolContext } from '@holdpoint/core'
import { ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client'
import { toHoldState, type CallState } from './call-state.ts'
import { ServerUnavailable, type Connection } from './connector.ts'
import type { Definition } from './tool-definition.ts'
import { LIMITS } from './limits.ts'
import type { ServerClient } from './server-client.ts'
import { InvalidTask } from './tasks.ts'

/** A value, an error, a question or a request to run again later. */
export type HandlerOutcome = Awaited<HandlerResult<Json>>

/** The longest timer. The tool limits the time of a call, and the hold limits the time of a question. */
export const NO_TIMEOUT = 2_147_483_647

export class HandlerRun {
  connection: Connection | undefined
  readonly server: ServerClient
  readonly definition: Definition
  readonly context: ToolContext

  constructor(server: ServerClient, definition: Definition, context: ToolContext) {
    this.server = server
    this.definition = definition
    this.context = context
  }

  /** The parameters of `tools/call`. */
  get request(): {
    readonly name: string
    readonly arguments: Record<string, unknown>
    readonly _meta: Record<string, unknown>
  } {
    const { input, call } = this.context
    return {
      name: this.definition.name,
      arguments: input as Record<string, unknown>,
      // The same for every attempt, so that a server can use it as an idempotency key.
      _meta: {
        'holdpoint/callId': call.id,
        ...(call.traceparent !== undefined && { traceparent: call.traceparent }),
      },
    }
  }

  /** Without the output schema: we validate results ourselves, within limits. */
  get toolDefinition(): { readonly name: string; readonly inputSchema: unknown } {
    return { name: this.definition.name, inputSchema: this.definition.inputSchema }
  }

  /** Runs idempotent work. If the server is unavailable, the call is held and retried from `state`. */
  async retryLater<T>(
    state: Extract<CallState, { readonly since: number }>,
    work: () => Promise<T>,
  ): Promise<T | HandlerOutcome> {
    try {
      return await work()
    } catch (error) {
      if (this.context.signal.aborted || isServerAnswer(error)) throw error
      const elapsed = Date.now() - state.since
      if (elapsed > LIMITS.unavailableMs) throw error
      if (this.connection && !(error instanceof ServerUnavailable))
        this.server.connector.reportBroken(error, this.connection)
      const after = Math.ceil(Math.min(Math.max(elapsed / 4, LIMITS.firstRetryMs), LIMITS.maxRetryMs))
      const reason = `The MCP server "${this.server.name}" is unavailable. The call is retried.`
      return later({ after, reason, state: toHoldState(state) })
    }
  }
}

/** The server answered, perhaps with an error or an invalid message. Any other error means that the connection is broken. */
export function isServerAnswer(error: unknown): boolean {
  if (error instanceof ProtocolError || error instanceof InvalidTask) return true
  const { InvalidResult, UnsupportedResultType } = SdkErrorCode
  return error instanceof SdkError && (error.code === InvalidResult || error.code === UnsupportedResultType)
}
