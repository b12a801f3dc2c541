/** A span as it follows from the log alone, before OpenTelemetry gets it. */
import { hash } from 'node:crypto'
import type { Address } from '@holdpoint/core'

export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[]>>

export interface LogSpan {
  /** Unique in its turn, and the same in each process that reads the log. */
  readonly key: string
  readonly kind: 'invoke_agent' | 'chat' | 'execute_tool' | 'wait'
  readonly name: string
  readonly turnId: string
  readonly start: number
  readonly end: number
  /** The seq of the event that it ended with. */
  readonly endSeq: number
  /** The key of its parent. Without one: the caller's span, or none. */
  readonly parent?: string
  /** The keys of the spans that it follows. */
  readonly links: readonly string[]
  readonly attributes: Attributes
  /** Content: texts, arguments, results. */
  readonly content: Readonly<Record<string, unknown>>
  readonly error?: { readonly type: string; readonly message: string }
  /** The `traceparent` of the request that began the turn. */
  readonly remote?: string
}

export interface SpanIds {
  readonly traceId: string
  readonly spanId: string
}

/**
 * The ids follow from the log, so every process gives a span the same ids, and a span that is exported twice after a kill is
 * the same span.
 */
export function spanIds(
  { tenant, id }: Address,
  { key, turnId, remote }: Pick<LogSpan, 'key' | 'turnId' | 'remote'>,
): SpanIds {
  const turn = JSON.stringify([tenant, id, turnId])
  return {
    traceId:
      (remote === undefined ? undefined : parseTraceparent(remote)?.traceId) ?? hash('sha256', turn).slice(0, 32),
    spanId: hash('sha256', `${turn}${key}`).slice(0, 16),
  }
}

export interface RemoteParent extends SpanIds {
  readonly sampled: boolean
}

/** Undefined for a header that is not one. */
export function parseTraceparent(text: string): RemoteParent | undefined {
  const [, traceId = '', spanId = '', flags = ''] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(text) ?? []
  if (traceId === '' || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** The key of the span of a run, which outgoing requests name as their parent. */
export function runKey(callId: string, attempt: number): string {
  return `run/${callId}/${attempt}`
}
