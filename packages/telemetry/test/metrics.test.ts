/** Metrics as Prometheus reads them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PrometheusExporter, PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { memoryStore, NO_HASH } from '@holdpoint/core'
import { ModelError } from 'holdpoint'
import { expect, onTestFinished, test } from 'vitest'
import { asking, calls, gated, heldId, noting, World } from '../../../test/kit/runtime-kit.ts'
import { LogSpanIds, observedStore, telemetry } from '../src/index.ts'

function reading(): { readonly meterProvider: MeterProvider; readonly text: () => Promise<string> } {
  const exporter = new PrometheusExporter({ preventServerStart: true })
  const meterProvider = new MeterProvider({ readers: [exporter] })
  onTestFinished(() => meterProvider.shutdown())
  const serializer = new PrometheusSerializer()
  return { meterProvider, text: async () => serializer.serialize((await exporter.collect()).resourceMetrics) }
}

async function someWork(): Promise<string> {
  const world = new World()
  const { meterProvider, text } = reading()
  const store = await world.store
  const price = ({ model, inputTokens }: { model: string; inputTokens: number }) => (model === '' ? inputTokens * 2 : 1)
  const watched = telemetry({ store, ids: new LogSpanIds(), meterProvider, price })
  onTestFinished(() => watched.close())
  const broken = noting([], 'broken')
  const tools = [
    noting([], 'pay', gated),
    asking('ask', 'human', { timeout: '5 s' }),
    { ...broken, run: () => Promise.reject(new Error('No.')) },
  ]
  let failures = 1
  const says = [
    () => {
      if (failures-- > 0) throw new ModelError('Busy.', { retryable: true, status: 503 })
      return calls('pay', 'broken')
    },
    calls('ask'),
  ]
  const a = await world.process('a', { says, tools, observer: watched.observer })
  await world.soon(a.runtime.send('c', 'Go'))
  await world.clock.advance(90_000)
  await world.soon(a.runtime.approve('c', await heldId(a, 'pay')))
  await world.pass(20_000)
  await world.soon(a.runtime.continue('c'))
  const observed = observedStore(memoryStore({ now: world.clock.now }), meterProvider)
  await observed.append({
    to: { tenant: '', id: 'x' },
    expectedSeq: 0,
    follows: NO_HASH,
    mark: 'm',
    events: [{ type: 'conversation.opened', agent: 'desk' }],
    at: 1,
    rows: { agent: 'desk', status: 'idle', wakeAt: undefined, base: undefined, holds: [] },
  })
  meterProvider
    .getMeter('@holdpoint/gateway')
    .createObservableGauge('holdpoint.streams')
    .addCallback((r) => r.observe(2))
  await watched.flush()
  return text()
}

test('turns, waits, expiries, retries, failures and costs are counted', async () => {
  const text = await someWork()
  const value = (line: RegExp): number => Number(new RegExp(`^${line.source} (\\S+)`, 'm').exec(text)?.[1])
  expect(value(/holdpoint_turns_total\{[^}]*completed[^}]*\}/)).toBe(1)
  expect(value(/holdpoint_steps_total\{[^}]*\}/)).toBe(3)
  expect(value(/holdpoint_model_retries_total\{[^}]*\}/)).toBe(1)
  expect(value(/holdpoint_holds_expired_total\{[^}]*"ask"[^}]*\}/)).toBe(1)
  expect(value(/holdpoint_hold_duration_sum\{[^}]*"pay"[^}]*"approved"[^}]*\}/)).toBeGreaterThanOrEqual(90)
  expect(value(/holdpoint_tool_duration_count\{[^}]*"broken"[^}]*error_type="failed"[^}]*\}/)).toBe(1)
  expect(value(/holdpoint_cost_total\{[^}]*\}/)).toBeGreaterThan(0)
  expect(value(/holdpoint_store_append_duration_count\{[^}]*"ok"[^}]*\}/)).toBe(1)
})

test('every metric of the dashboard exists', async () => {
  const text = await someWork()
  const known = new Set([...text.matchAll(/^(\w+)[{ ]/gm)].map(([, name]) => name))
  const dashboard = JSON.parse(readFileSync(join(import.meta.dirname, '../grafana-dashboard.json'), 'utf8')) as {
    readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[]
  }
  const exprs = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
  const used = exprs.flatMap((expr) =>
    [...expr.matchAll(/\b(?:holdpoint|gen_ai_client)_[a-z_]+(?=[{[\s)]|$)/g)].map(([name]) => name),
  )
  const names = used.filter(
    (name) => !/^(holdpoint_(turn_reason|hold_kind|hold_age|append_result)|gen_ai_\w+_(model|type|name))$/.test(name),
  )
  expect(names.length).toBeGreaterThan(12)
  // The test of the gateway has these.
  const ofGateway = ['holdpoint_holds_open', 'holdpoint_outbox']
  for (const name of names) expect([...known, ...ofGateway]).toContain(name)
})
