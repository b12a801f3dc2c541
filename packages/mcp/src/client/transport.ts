/**
 * A transport of the SDK with changes. Headers with secrets are created for each request and stored nowhere, and secrets are
 * removed from every message that comes back. A stream that the server closes is reopened with a delay. The SDK rejects an
 * answer with a task, so a task of either era is carried inside an ordinary result.
 */
import { StreamableHTTPClientTransport, type ReconnectionScheduler, type Transport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { isObject, parseJson, type JsonObject } from '@holdpoint/core'
import { guardedFetch, type GuardedFetch, type Secrets } from 'holdpoint'
import { LIMITS } from './limits.ts'
import { isCommand, type AnyServer, type McpServerConfig } from './server-config.ts'

/** The `_meta` field that carries a task in a result. */
export const TASK = 'holdpoint/task'

export interface TransportOptions {
  readonly server: AnyServer
  readonly tenant: string
  readonly secrets: Secrets | undefined
  /** Called with each secret that is sent, so that it can be removed from the answers. */
  readonly onSecret: (name: string, value: string) => void
  /** Removes secrets from a message of the server. */
  readonly redact: <T>(value: T) => T
  /** Hosts in the operator's own network that may be reached. True for a server of the operator. */
  readonly privateHosts: readonly string[] | true
}

export function createTransport(options: TransportOptions): Transport {
  const { server } = options
  const transport = isCommand(server)
    ? new StdioClientTransport({
        command: server.command,
        args: [...(server.args ?? [])],
        // The output may contain anything, so it is not logged.
        stderr: 'ignore',
        maxBufferSize: LIMITS.answerBytes,
        ...(server.env && { env: { ...server.env } }),
        ...(server.cwd !== undefined && { cwd: server.cwd }),
      })
    : new StreamableHTTPClientTransport(new URL(server.url ?? ''), {
        fetch: fetchFor(server, options),
        reconnectionScheduler: limitedReconnects(),
      })
  return withProcessedMessages(transport, options)
}

/** The server chooses the delay before its stream is reopened, which could be zero every time. So the rate is limited. */
function limitedReconnects(now: () => number = performance.now.bind(performance)): ReconnectionScheduler {
  const { atOnce, everyMs } = LIMITS.reopen
  let nextSlot = -Infinity
  return (reopen, wish) => {
    const at = now()
    nextSlot = Math.max(nextSlot, at - atOnce * everyMs) + everyMs
    const timer = setTimeout(reopen, Math.min(Math.max(wish, nextSlot - at), LIMITS.maxRetryMs))
    timer.unref()
    return () => clearTimeout(timer)
  }
}

function fetchFor(
  server: McpServerConfig,
  { tenant, secrets, onSecret, privateHosts }: TransportOptions,
): GuardedFetch {
  let left: number = LIMITS.answerBytes
  return async (url, init = {}) => {
    const headers = new Headers(init.headers)
    for (const [name, value] of Object.entries(server.headers ?? {})) {
      if (typeof value === 'string') {
        headers.set(name, value)
        continue
      }
      const secret = await secrets?.(tenant, value.$secret)
      if (secret === undefined) throw new Error(`There is no secret "${value.$secret}". The operator must add it.`)
      onSecret(value.$secret, secret)
      headers.set(name, secret)
    }
    const page = pageOfList(init.body)
    if (page !== 'next') left = LIMITS.answerBytes
    const maxBytes = page ? left : LIMITS.answerBytes
    const answer = await guardedFetch({ privateHosts, maxBytes })(url, { ...init, headers })
    return page ? counted(answer, (bytes) => (left -= bytes)) : answer
  }
}

/** All pages of a list are in memory at once, so together they have the limit of one answer. */
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

/** The SDK sets `onmessage` on the object and checks its class, so the transport is changed in place instead of wrapped. */
function withProcessedMessages(transport: Transport, { redact }: TransportOptions): Transport {
  let listener: Transport['onmessage']
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    get: () =>
      listener &&
      ((message: unknown, extra: unknown) => listener?.(carryTask(redact(message)) as never, extra as never)),
    set: (given: Transport['onmessage']) => {
      listener = given
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
