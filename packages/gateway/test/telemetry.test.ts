/** The command exports spans by OTLP, and metrics for Prometheus. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { millis, named, otlpReceiver } from '../../../test/kit/otlp-receiver.ts'
import { settingsFromEnv } from '../src/settings.ts'
import { startGateway } from '../src/start-gateway.ts'

const APP = `
import { agent, tool } from 'holdpoint'
const pay = tool({ name: 'pay', description: 'Pay', input: { type: 'object' }, approval: 'required', run: () => 'sk-paid' })
const model = { id: 'acme/small', async *stream({ prompt }) {
  yield { type: 'info', modelId: 'acme/small' }
  if (prompt.at(-1).role === 'user') {
    yield { type: 'call', id: 'c', name: 'pay', input: '{}' }
    yield { type: 'finish', reason: 'calls', usage: { inputTokens: 7, outputTokens: 3 } }
    return
  }
  yield { type: 'text', id: 't', delta: 'Done.' }
  yield { type: 'finish', reason: 'stop', usage: { inputTokens: 9, outputTokens: 1 } }
} }
export const agents = [agent({ name: 'desk', model, tools: [pay] })]
export const quotas = { conversations: 2 }
`

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Inside the workspace, where the packages are found. */
function appFolder(): string {
  const cache = join(import.meta.dirname, '../../../.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'telemetry-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'app.ts'), APP)
  return folder
}

test('a turn of the command is spans in the caller’s trace, and metrics that Prometheus reads', async () => {
  const folder = appFolder()
  const receiver = await otlpReceiver()
  const port = await freePort()
  const out = vi.spyOn(process.stdout, 'write').mockImplementation(() => true)
  onTestFinished(() => out.mockRestore())
  const key = `hp_${'K'.repeat(43)}`
  const { served, stop } = await startGateway({
    HOLDPOINT_STORE: join(folder, 'desk.db'),
    HOLDPOINT_APP: join(folder, 'app.ts'),
    HOLDPOINT_KEY: key,
    HOLDPOINT_METRICS: String(port),
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url.replace('/v1/traces', ''),
    PORT: '0',
  })
  const metricsNow = async (): Promise<string> => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const ask = (path: string, body: object, more: object = {}) =>
    fetch(`${served.url}${path}`, { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(body) })
  const traceparent = `00-${traceId}-b7ad6b7169203331-01`
  const sent = await ask('/api/conversations/c1/messages?wait=10', { content: 'Pay' }, { traceparent })
  const { result } = (await sent.json()) as { result: { holds: { callId: string }[] } }
  const waiting = await metricsNow()
  expect(waiting).toMatch(/holdpoint_holds_open\{[^}]*gen_ai_tool_name="pay"[^}]*holdpoint_hold_age="minute"[^}]*\} 1/)
  expect(waiting).toMatch(/holdpoint_outbox(\{[^}]*\})? 0/)
  await ask(`/api/holds/c1/${result.holds[0]!.callId}/resolve`, { kind: 'approve' })
  await ask('/api/conversations/c1/continue?wait=10', {})
  // A header that is no trace is ignored.
  expect((await ask('/api/conversations/c2/messages', { content: 'Pay' }, { traceparent: 'x' })).status).toBe(202)
  // The application has a quota of two conversations.
  expect((await ask('/api/conversations/c3/messages', { content: 'Pay' })).status).toBe(403)
  const metrics = await vi.waitFor(async () => {
    const text = await metricsNow()
    expect(text).toMatch(/holdpoint_turns_total\{[^}]*completed[^}]*\} 1/)
    return text
  })
  await stop()

  expect(metrics).toMatch(/gen_ai_client_token_usage_sum\{[^}]*gen_ai_token_type="input"[^}]*\} (16|23)/)
  expect(metrics).toMatch(/holdpoint_hold_duration_\w*count\{[^}]*holdpoint_hold_ended="approved"[^}]*\} 1/)
  expect(metrics).toMatch(/holdpoint_tool_duration_\w*count\{[^}]*gen_ai_tool_name="pay"/)
  expect(metrics).toContain('holdpoint_store_append_duration')
  expect(metrics).toContain('holdpoint_streams')
  expect(metrics).toMatch(/holdpoint_quota_reached_\w*total\{[^}]*holdpoint_quota="conversations"[^}]*refused[^}]*\} 1/)
  expect(metrics).toContain('holdpoint_eventloop_delay')
  const own = receiver.spans.filter((span) => span.traceId === traceId)
  expect(own.map(({ name }) => name).toSorted()).toEqual([
    'chat small',
    'chat small',
    'execute_tool pay',
    'invoke_agent desk',
    'invoke_agent desk',
    'wait pay',
  ])
  const [wait] = named(own, 'wait pay')
  expect(millis(wait!.endTimeUnixNano)).toBeGreaterThanOrEqual(millis(wait!.startTimeUnixNano))
  expect(JSON.stringify(receiver.spans)).not.toContain('sk-paid')
})

test('with content on, spans have messages, and the keys and secrets of the command are redacted', async () => {
  const folder = appFolder()
  const receiver = await otlpReceiver()
  const out = vi.spyOn(process.stdout, 'write').mockImplementation(() => true)
  onTestFinished(() => out.mockRestore())
  const [key, secret] = [`hp_${'K'.repeat(43)}`, 'a secret that signs tokens, 32 bytes']
  const { served, stop } = await startGateway({
    HOLDPOINT_STORE: join(folder, 'desk.db'),
    HOLDPOINT_APP: join(folder, 'app.ts'),
    HOLDPOINT_KEY: key,
    HOLDPOINT_TOKEN_SECRET: secret,
    HOLDPOINT_TRACE_CONTENT: 'on',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: receiver.url,
    PORT: '0',
  })
  const sent = await fetch(`${served.url}/api/conversations/c1/messages?wait=10`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ content: `Pay with ${key} or "${secret}" today` }),
  })
  expect(sent.status).toBe(200)
  await stop()
  const text = JSON.stringify(receiver.spans)
  expect(text).toMatch(/Pay with \[redacted\] or [^a-z]*\[redacted\][^a-z]* today/)
  expect(text).not.toContain(key)
  expect(text).not.toContain(secret)
})

test('settings of telemetry are checked', () => {
  const of = (env: object) => settingsFromEnv({ HOLDPOINT_APP: './app.ts', ...env }).telemetry
  expect(of({})).toBeUndefined()
  expect(of({ HOLDPOINT_METRICS: '0.0.0.0:9464' })).toEqual({
    metrics: { host: '0.0.0.0', port: 9464 },
    content: false,
  })
  expect(of({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel:4318/', HOLDPOINT_TRACE_CONTENT: 'on' })).toEqual({
    spans: 'http://otel:4318/v1/traces',
    content: true,
  })
  expect(() => of({ HOLDPOINT_METRICS: 'on' })).toThrow('HOLDPOINT_METRICS must be a port')
  expect(() => of({ OTEL_EXPORTER_OTLP_ENDPOINT: 'otel' })).toThrow('is not a URL')
  expect(() => of({ HOLDPOINT_TRACE_CONTENT: 'yes' })).toThrow('"on" or "off"')
})
