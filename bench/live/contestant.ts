/**
 * One contestant of the `live` benchmark: an HTTP server in its own process. The parent asks over IPC how much time and
 * memory the process has used so far.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { serve, type Authorize } from '@holdpoint/gateway'
import type { LanguageModelV4Message, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { isStepCount, streamText, tool as aiSdkTool, toUIMessageStream, type ModelMessage } from 'ai'
import { LogSpanIds, telemetry, type Telemetry } from '@holdpoint/telemetry'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { agent, aiSdkModel, holdpoint, openStore, tool, type Store } from 'holdpoint'
import { SignJWT } from 'jose'
import { z } from 'zod'
import { rawSqlite } from '../storage/raw-sqlite.ts'
import { pacedModel } from './paced-model.ts'

/**
 * `ours` is used with the key of a program, for which no rule is asked. `person` is used with a token of the person who owns
 * the conversations, and `anyone` too, but there every request is allowed by an `authorize` that always says yes.
 * `traced`: with a key, and it exports its spans by OTLP and counts its metrics.
 */
export type Contestant = 'bare' | 'aiSdk' | 'ours' | 'traced' | 'anyone' | 'person'
const KEY = 'the-key-of-the-benchmark-long-enough'
const SECRET = 'the-secret-of-the-benchmark-which-is-long-enough'

/** What the parent needs to use a contestant. */
export interface Ready {
  readonly url: string
  /** A bearer token. The baselines have no authentication. */
  readonly credential: string
}

/** What the process has used since its start. The parent computes differences. */
export interface Usage {
  readonly cpuMs: number
  readonly rssMb: number
  /** The 99th percentile of the event loop's delay since the last question. */
  readonly lagMs: number
}

/** The kinds of messages in the table of the baseline. */
const KINDS = { system: 'text', user: 'user', assistant: 'text', tool: 'result' } as const

const input = z.object({ order: z.number() })
const look = ({ order }: { order: number }): { order: number; status: string } => ({ order, status: 'shipped' })

interface Differs {
  readonly authorize?: Authorize
  /** Where its spans go. */
  readonly otlp?: string
}

async function holdpointGateway(file: string, { authorize, otlp }: Differs = {}): Promise<string> {
  const store = await openStore(file)
  const watching = otlp === undefined ? undefined : tracing(store, otlp)
  const found = tool({
    name: 'look',
    description: 'Looks an order up.',
    input,
    run: ({ input: given }) => look(given),
  })
  const agents = [agent({ name: 'desk', model: aiSdkModel(pacedModel), tools: [found] })]
  const runtime = await holdpoint({ store, agents, ...(watching && { observer: watching.observer }) })
  const endless = { perSecond: 1e9, burst: 1e9 }
  const limits = {
    rate: endless,
    tenantRate: endless,
    tenantBytes: endless,
    tenantBytesPerDay: Infinity,
    tenantAnswerBytes: endless,
    streamsPerKey: 1000,
    streamsPerTenant: 1000,
  }
  const auth = {
    keys: [{ key: KEY, scopes: ['admin'] as const }],
    tokens: { secret: SECRET, issuer: 'i', audience: 'a' },
  }
  const server = await serve({ runtime, store, agents, limits, auth, ...(authorize && { authorize }) })
  return server.url
}

/** As an application sets it up, with the defaults of the SDK. */
function tracing(store: Store, url: string): Telemetry {
  const ids = new LogSpanIds()
  const processor = new BatchSpanProcessor({ exporter: ids.watch(new OTLPTraceExporter({ url })) })
  const tracerProvider = new TracerProvider({ idGenerator: ids, spanProcessors: [processor] })
  const meterProvider = new MeterProvider({ readers: [new PrometheusExporter({ preventServerStart: true })] })
  return telemetry({ store, ids, tracerProvider, meterProvider, flush: () => tracerProvider.forceFlush() })
}

const servers: Readonly<Record<Contestant, (folder: string, otlp: string) => Promise<string>>> = {
  ours: (folder) => holdpointGateway(join(folder, 'ours.db')),
  traced: (folder, otlp) => holdpointGateway(join(folder, 'traced.db'), { otlp }),
  person: (folder) => holdpointGateway(join(folder, 'person.db')),
  anyone: (folder) => holdpointGateway(join(folder, 'anyone.db'), { authorize: () => true }),
  bare: async (folder) => {
    const db = rawSqlite(join(folder, 'bare.db'))
    const logs = new Map<string, LanguageModelV4Message[]>()
    return listening(async (id, content, response) => {
      const log = logs.get(id) ?? []
      logs.set(id, log)
      const keep = (...messages: readonly LanguageModelV4Message[]): void => {
        void db.append(
          id,
          log.length,
          messages.map((payload) => ({ kind: KINDS[payload.role], payload })),
        )
        log.push(...messages)
      }
      keep({ role: 'user', content: [{ type: 'text', text: content }] })
      for (;;) {
        const { call, text } = await relay((await pacedModel.doStream({ prompt: log })).stream, response)
        if (!call) return keep({ role: 'assistant', content: [{ type: 'text', text }] })
        const { toolCallId, toolName } = call
        const given = input.parse(JSON.parse(call.input))
        keep({ role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName, input: given }] })
        const output = { type: 'json', value: look(given) } as const
        keep({ role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] })
      }
    })
  },
  aiSdk: async (folder) => {
    const db = rawSqlite(join(folder, 'ai-sdk.db'))
    const logs = new Map<string, ModelMessage[]>()
    const tools = { look: aiSdkTool({ description: 'Looks an order up.', inputSchema: input, execute: look }) }
    return listening(async (id, content, response) => {
      const log = logs.get(id) ?? []
      logs.set(id, log)
      const keep = (messages: readonly ModelMessage[]): void => {
        void db.append(
          id,
          log.length,
          messages.map((payload) => ({ kind: KINDS[payload.role], payload })),
        )
        log.push(...messages)
      }
      keep([{ role: 'user', content }])
      const result = streamText({ model: pacedModel, messages: log, tools, stopWhen: isStepCount(2) })
      const chunks = toUIMessageStream({ stream: result.stream })
      for await (const chunk of chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`)
      keep(await result.responseMessages)
    })
  },
}

async function relay(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  response: ServerResponse,
): Promise<{ call: Extract<LanguageModelV4StreamPart, { type: 'tool-call' }> | undefined; text: string }> {
  let call: Extract<LanguageModelV4StreamPart, { type: 'tool-call' }> | undefined
  let text = ''
  for await (const part of stream) {
    if (part.type === 'tool-call') call = part
    if (part.type !== 'text-delta') continue
    text += part.delta
    response.write(`data: ${JSON.stringify(part)}\n\n`)
  }
  return { call, text }
}

/** A server that answers each posted message with the stream of its turn. */
async function listening(
  turn: (id: string, content: string, response: ServerResponse) => Promise<void>,
): Promise<string> {
  const server = createServer((request, response) => {
    void (async () => {
      const { content } = JSON.parse(await bodyOf(request)) as { content: string }
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      await turn(request.url?.slice(1) ?? '', content, response)
      response.end('data: [DONE]\n\n')
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request) body += String(chunk)
  return body
}

async function credentialOf(contestant: string): Promise<string> {
  if (contestant !== 'person' && contestant !== 'anyone') return KEY
  return new SignJWT({ sub: 'ada', tenant: 'default', scope: 'agent reader', groups: ['support'] })
    .setProtectedHeader({ alg: 'HS256' })
    .setIssuer('i')
    .setAudience('a')
    .setExpirationTime('12h')
    .sign(new TextEncoder().encode(SECRET))
}

if (process.send) {
  const [contestant = '', folder = '', otlp = ''] = process.argv.slice(2)
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    const usage: Usage = {
      cpuMs: (user + system) / 1000,
      rssMb: process.memoryUsage.rss() / 2 ** 20,
      lagMs: delay.percentile(99) / 1e6,
    }
    delay.reset()
    process.send?.(usage)
  })
  process.on('disconnect', () => process.exit())
  const url = await servers[contestant as Contestant](folder, otlp)
  const ready: Ready = { url, credential: await credentialOf(contestant) }
  process.send(ready)
}
