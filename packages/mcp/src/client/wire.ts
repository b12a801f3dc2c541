/**
 * The line to a server: a transport of the SDK, with two things done to it. Headers with secrets are made for each request
 * and kept nowhere. And what the SDK has no word for passes: a call that was answered with a task, of either generation,
 * comes through as a result that carries it.
 */
import { StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { isObject, type JsonObject } from '@holdpoint/core'
import { guardedFetch, type GuardedFetch } from 'holdpoint'
import { LIMITS } from './limits.ts'
import { isCommand, type AnyServer, type McpServer } from './server-config.ts'

/** Where a task travels in what the SDK takes for a result. */
export const TASK = 'holdpoint/task'

export interface WireOptions {
  readonly server: AnyServer
  readonly tenant: string
  readonly secrets: ((tenant: string, name: string) => string | undefined | Promise<string | undefined>) | undefined
  /** Told of each secret that is sent, so that it can be taken out of what comes back. */
  readonly used: (name: string, value: string) => void
  /** Hosts in the operator's own network that may be asked. True for a server that the operator set up. */
  readonly privateHosts: readonly string[] | true
}

export function wireTo(options: WireOptions): Transport {
  const { server } = options
  const transport = isCommand(server)
    ? new StdioClientTransport({
        command: server.command,
        args: [...(server.args ?? [])],
        // What it says there may be anything, and is nobody's log.
        stderr: 'ignore',
        maxBufferSize: LIMITS.answerBytes,
        ...(server.env && { env: { ...server.env } }),
        ...(server.cwd !== undefined && { cwd: server.cwd }),
      })
    : new StreamableHTTPClientTransport(new URL(server.url ?? ''), { fetch: fetchFor(server, options) })
  return withTasks(transport)
}

function fetchFor(server: McpServer, { tenant, secrets, used, privateHosts }: WireOptions): GuardedFetch {
  const ask = guardedFetch({ privateHosts, maxBytes: LIMITS.answerBytes })
  return async (url, init = {}) => {
    const headers = new Headers(init.headers)
    for (const [name, value] of Object.entries(server.headers ?? {})) {
      if (typeof value === 'string') {
        headers.set(name, value)
        continue
      }
      const secret = await secrets?.(tenant, value.$secret)
      if (secret === undefined) throw new Error(`There is no secret "${value.$secret}" here: the operator must add it.`)
      used(value.$secret, secret)
      headers.set(name, secret)
    }
    return ask(url, { ...init, headers })
  }
}

/** The SDK sets `onmessage` on the very object, and tells transports apart by their class: so it is changed in place. */
function withTasks(transport: Transport): Transport {
  let told: Transport['onmessage']
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    get: () => told && ((message: unknown, extra: unknown) => told?.(carryTask(message) as never, extra as never)),
    set: (listener: Transport['onmessage']) => {
      told = listener
    },
  })
  return transport
}

function carryTask(message: unknown): unknown {
  if (!isObject(message) || !isObject(message['result'])) return message
  const { result } = message
  const task = result['resultType'] === 'task' ? result : result['task']
  if (!isObject(task) || typeof task['taskId'] !== 'string') return message
  const modern = result['resultType'] === 'task'
  const meta: JsonObject = { ...(isObject(result['_meta']) && result['_meta']), [TASK]: task }
  return { ...message, result: { content: [], _meta: meta, ...(modern && { resultType: 'complete' }) } }
}
