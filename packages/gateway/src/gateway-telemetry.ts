/**
 * OpenTelemetry for the command, which is the application here: it brings the SDK, an OTLP exporter for spans and an endpoint
 * for Prometheus. Nothing of it is loaded until it is switched on.
 */
import { LogSpanIds, observedStore, telemetry, type Telemetry } from '@holdpoint/telemetry'
import type { QuotaReached, Store } from 'holdpoint'
import { backlogMetrics } from './backlog-metrics.ts'
import { priceOf, type Prices } from './prices.ts'

export interface TelemetrySetting {
  /** Where Prometheus reads metrics. They are those of all tenants, so this is not a path of the gateway. */
  readonly metrics?: { readonly host: string; readonly port: number }
  /** The URL that spans are sent to, by OTLP over HTTP. */
  readonly spans?: string
  /** Export content too: messages, arguments and results, without secrets. */
  readonly content: boolean
}

export interface GatewayTelemetry extends Pick<Telemetry, 'observer' | 'resume'> {
  /** The store, with its latency measured. */
  readonly store: Store
  /** Counts how often a tenant reached a quota. The log says which tenant it was. */
  quotaReached(reached: QuotaReached): void
  /** Shows how many live streams are open. */
  showStreams(count: () => number): void
  stop(): Promise<void>
}

interface TelemetryParts {
  readonly redact: (text: string) => string
  readonly onProblem: (error: unknown) => void
  readonly prices: Prices | undefined
}

export async function gatewayTelemetry(
  { metrics, spans, content }: TelemetrySetting,
  store: Store,
  { redact, onProblem, prices }: TelemetryParts,
): Promise<GatewayTelemetry> {
  const ids = new LogSpanIds()
  const tracing = spans === undefined ? undefined : await spansTo(spans, ids)
  const reading = metrics && (await metricsAt(metrics))
  const made = telemetry({
    store,
    ids,
    ...(tracing && { tracerProvider: tracing.provider, flush: () => tracing.provider.forceFlush() }),
    ...(reading && { meterProvider: reading.provider }),
    ...(content && { content: redact }),
    ...(prices && { price: priceOf(prices) }),
    onProblem,
  })
  const meter = reading?.provider.getMeter('@holdpoint/gateway')
  const quotas = meter?.createCounter('holdpoint.quota.reached', {
    unit: '{request}',
    description: 'Requests that were refused, and model calls that were delayed, because a tenant reached a quota.',
  })
  const waits = reading && backlogMetrics({ store, provider: reading.provider, now: Date.now, onProblem })
  // Holds of a tenant in which nothing happens count too.
  if (waits) void tenantsOf(store, waits).catch(onProblem)
  return {
    observer: waits ? telling(made.observer, waits) : made.observer,
    resume: () => (tracing ? made.resume() : Promise.resolve({ conversations: 0, spans: 0 })),
    store: reading ? observedStore(store, reading.provider) : store,
    quotaReached: ({ quota, effect }) => quotas?.add(1, { 'holdpoint.quota': quota, 'holdpoint.quota.effect': effect }),
    showStreams: (count) =>
      meter
        ?.createObservableGauge('holdpoint.streams', { unit: '{stream}', description: 'Live streams that are open.' })
        .addCallback((result) => result.observe(count())),
    stop: async () => {
      await made.close()
      await tracing?.provider.shutdown()
      await reading?.provider.shutdown()
    },
  }
}

async function tenantsOf(store: Store, found: (tenant: string) => void): Promise<void> {
  for (let after: string | undefined; ;) {
    const page = await store.walk({ limit: 256, ...(after !== undefined && { after }) })
    for (const { tenant } of page.items) found(tenant)
    if (page.next === undefined) return
    after = page.next
  }
}

function telling(observer: Telemetry['observer'], found: (tenant: string) => void): Telemetry['observer'] {
  return {
    ...observer,
    wrote: (address, events) => {
      found(address.tenant)
      observer.wrote(address, events)
    },
  }
}

async function spansTo(url: string, idGenerator: LogSpanIds) {
  const { BatchSpanProcessor, TracerProvider } = await import('@opentelemetry/sdk-trace')
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http')
  const { resourceFromAttributes } = await import('@opentelemetry/resources')
  const processor = new BatchSpanProcessor({ exporter: idGenerator.watch(new OTLPTraceExporter({ url })) })
  const resource = resourceFromAttributes({ 'service.name': 'holdpoint' })
  return { provider: new TracerProvider({ idGenerator, resource, spanProcessors: [processor] }) }
}

async function metricsAt({ host, port }: NonNullable<TelemetrySetting['metrics']>) {
  const { MeterProvider } = await import('@opentelemetry/sdk-metrics')
  const { PrometheusExporter } = await import('@opentelemetry/exporter-prometheus')
  const exporter = new PrometheusExporter({ host, port, preventServerStart: true })
  const provider = new MeterProvider({ readers: [exporter] })
  await exporter.startServer()
  return { provider }
}
