/** Hands spans of the log to OpenTelemetry, with their own times and ids. */
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes as OtelAttributes,
  type Context,
  type SpanContext,
  type TracerProvider,
} from '@opentelemetry/api'
import type { Address } from '@holdpoint/core'
import { SCHEMA_URL } from './gen-ai.ts'
import { parseTraceparent, spanIds, type LogSpan } from './log-span.ts'
import { keyOf, type LogSpanIds } from './log-span-ids.ts'

export interface SpanWriterOptions {
  readonly tracerProvider: TracerProvider | undefined
  readonly ids: LogSpanIds
  /** Makes content fit to be exported. Undefined: content is not exported. */
  readonly content: ((text: string) => string) | undefined
}

const KINDS = {
  invoke_agent: SpanKind.INTERNAL,
  chat: SpanKind.CLIENT,
  execute_tool: SpanKind.INTERNAL,
  wait: SpanKind.INTERNAL,
}

/** Returns what `LogSpanIds` knows the span by, if it is exported. */
export function writeSpan(
  { tracerProvider = trace.getTracerProvider(), ids, content }: SpanWriterOptions,
  address: Address,
  span: LogSpan,
): string | undefined {
  const tracer = tracerProvider.getTracer('@holdpoint/telemetry', undefined, { schemaUrl: SCHEMA_URL })
  const own = spanIds(address, span)
  const contextOf = (key: string): SpanContext => ({
    ...spanIds(address, { ...span, key }),
    traceFlags: TraceFlags.SAMPLED,
    isRemote: true,
  })
  const made = ids.use(own, () =>
    tracer.startSpan(
      span.name,
      {
        kind: KINDS[span.kind],
        startTime: span.start,
        links: span.links.map((key) => ({ context: contextOf(key) })),
        attributes: attributesOf(address, span, content),
      },
      parentOf(span, contextOf),
    ),
  )
  if (span.error) {
    made.setStatus({ code: SpanStatusCode.ERROR, ...(content && { message: content(span.error.message) }) })
    made.setAttribute('error.type', span.error.type)
  }
  // A span that the sampler dropped is never exported.
  const key = made.isRecording() ? keyOf(own) : undefined
  if (key !== undefined) ids.wrote(key)
  made.end(span.end)
  return key
}

/** The caller's span is the parent of the spans at the top of a turn. */
function parentOf({ parent, remote }: LogSpan, contextOf: (key: string) => SpanContext): Context {
  if (parent !== undefined) return trace.setSpanContext(ROOT_CONTEXT, contextOf(parent))
  const caller = remote === undefined ? undefined : parseTraceparent(remote)
  if (!caller) return ROOT_CONTEXT
  const { traceId, spanId, sampled } = caller
  const traceFlags = sampled ? TraceFlags.SAMPLED : TraceFlags.NONE
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}

function attributesOf({ tenant }: Address, span: LogSpan, content: SpanWriterOptions['content']): OtelAttributes {
  const texts = content
    ? Object.entries(span.content).map(([name, value]) => [name, content(JSON.stringify(value ?? null))] as const)
    : []
  const attributes = Object.entries(span.attributes).map(
    ([name, value]) => [name, typeof value === 'object' ? [...value] : value] as const,
  )
  return Object.fromEntries([
    ...attributes,
    ...texts,
    ...(tenant === '' ? [] : [['holdpoint.tenant', tenant] as const]),
  ])
}
