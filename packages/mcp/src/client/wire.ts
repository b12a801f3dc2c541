/**
 * The line to a server: a transport of the SDK, with some things done to it. Headers with secrets are made for each request
 * and kept nowhere, and a secret is taken out of every message that comes back. A stream that the server closes is not
 * opened again without pause. And what the SDK has no word for passes: a call that was answered with a task, of either
 * generation, comes through as a result that carries it.
 */
import { StreamableHTTPClientTransport, type ReconnectionScheduler, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { isObject, parseJson, type JsonObject } from '@holdpoint/core'
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
  /** What came from the server, without them. */
  readonly discreet: <T>(value: T) => T
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
    : new StreamableHTTPClientTransport(new URL(server.url ?? ''), {
        fetch: fetchFor(server, options),
        reconnectionScheduler: unhurried(),
      })
  return asRead(transport, options)
}

/** A server says itself how soon its stream is to be opened again, which may be at once, without end. */
function unhurried(now: () => number = performance.now.bind(performance)): ReconnectionScheduler {
  const { atOnce, everyMs } = LIMITS.reopened
  let free = -Infinity
  return (reopen, wish) => {
    const at = now()
    free = Math.max(free, at - atOnce * everyMs) + everyMs
    const timer = setTimeout(reopen, Math.min(Math.max(wish, free - at), LIMITS.longestPauseMs))
    timer.unref()
    return () => clearTimeout(timer)
  }
}

function fetchFor(server: McpServer, { tenant, secrets, used, privateHosts }: WireOptions): GuardedFetch {
  let left: number = LIMITS.answerBytes
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
    const page = pageOfList(init.body)
    if (page !== 'next') left = LIMITS.answerBytes
    const maxBytes = page ? left : LIMITS.answerBytes
    const answer = await guardedFetch({ privateHosts, maxBytes })(url, { ...init, headers })
    return page ? counted(answer, (bytes) => (left -= bytes)) : answer
  }
}

/** All pages of a list are in memory together, so they are as long as one answer may be. */
function pageOfList(body: unknown): 'first' | 'next' | undefined {
  const sent = typeof body === 'string' && body.includes('"tools/list"') ? parseJson(body) : undefined
  if (!sent?.ok || !isObject(sent.value) || sent.value['method'] !== 'tools/list') return undefined
  const { params } = sent.value
  return isObject(params) && params['cursor'] !== undefined ? 'next' : 'first'
}

function counted(answer: Response, count: (bytes: number) => void): Response {
  const through = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      count(chunk.byteLength)
      controller.enqueue(chunk)
    },
  })
  const { status, headers } = answer
  return new Response(answer.body?.pipeThrough(through) ?? null, { status, headers })
}

/** The SDK sets `onmessage` on the very object, and tells transports apart by their class: so it is changed in place. */
function asRead(transport: Transport, { discreet }: WireOptions): Transport {
  let told: Transport['onmessage']
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    get: () =>
      told && ((message: unknown, extra: unknown) => told?.(carryTask(discreet(message)) as never, extra as never)),
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
