/** The SDK's own provider and exporter in front of an OTLP receiver. */
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import type { Store } from '@holdpoint/core'
import { onTestFinished } from 'vitest'
import type { Receiver } from '../../../test/kit/otlp-receiver.ts'
import { LogSpanIds, telemetry, type Telemetry, type TelemetryOptions } from '../src/index.ts'

/** What one process has. If it is killed, spans that were not flushed are lost with it. */
export function telemetryTo(
  { url }: Receiver,
  store: Store,
  more: Partial<TelemetryOptions> = {},
): { readonly telemetry: Telemetry; readonly problems: unknown[] } {
  const ids = new LogSpanIds()
  const problems: unknown[] = []
  const processor = new BatchSpanProcessor({
    exporter: ids.watch(new OTLPTraceExporter({ url })),
    scheduledDelayMillis: 1_000_000,
    maxQueueSize: 100_000,
    maxExportBatchSize: 100_000,
  })
  const tracerProvider = new TracerProvider({ idGenerator: ids, spanProcessors: [processor] })
  onTestFinished(() => tracerProvider.shutdown())
  const made = telemetry({
    store,
    ids,
    tracerProvider,
    flush: () => tracerProvider.forceFlush(),
    flushMs: 1_000_000,
    onProblem: (error) => void problems.push(error),
    ...more,
  })
  return { telemetry: made, problems }
}
