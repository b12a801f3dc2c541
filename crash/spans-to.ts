/** The SDK of OpenTelemetry and its OTLP exporter, as an application sets them up. */
import { LogSpanIds, telemetry, type Telemetry } from '@holdpoint/telemetry'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import type { Store } from 'holdpoint'

/** Flushes often, so that a kill comes before, during and after an export. */
export function spansTo(url: string, store: Store): Telemetry {
  const ids = new LogSpanIds()
  const exporter = ids.watch(new OTLPTraceExporter({ url }))
  const processor = new BatchSpanProcessor({ exporter, scheduledDelayMillis: 50 })
  const tracerProvider = new TracerProvider({ idGenerator: ids, spanProcessors: [processor] })
  const problem = (error: unknown): void => {
    if (process.env['CRASH_VERBOSE']) process.stderr.write(`telemetry: ${String(error)}\n`)
  }
  return telemetry({
    store,
    ids,
    tracerProvider,
    flush: () => tracerProvider.forceFlush(),
    flushMs: 100,
    onProblem: problem,
  })
}
