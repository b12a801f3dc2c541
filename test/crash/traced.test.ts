/**
 * `kill -9` of processes that export spans with the stock OTLP exporter. For a long run:
 * `HOLDPOINT_KILLS=200 npx vitest run test/crash/traced.test.ts`.
 */
import type { LogEvent } from '@holdpoint/core'
import { beforeAll, expect, test } from 'vitest'
import { killAtRandom } from '../../crash/campaign.ts'
import { otlpReceiver, type ReceivedSpan } from '../kit/otlp-receiver.ts'
import { build, sqlitePlace } from './places.ts'

const KILLS = Number(process.env['HOLDPOINT_KILLS'] ?? 5)

beforeAll(build)

test('after kills at any moment, the spans that were received are each model call, tool run and wait of the logs, once and linked', async () => {
  const receiver = await otlpReceiver()
  const logs = new Map<string, readonly LogEvent[]>()
  const { acked, problems } = await killAtRandom(
    {
      ...sqlitePlace(),
      otlp: receiver.url,
      ended: (found) => found.forEach((events, id) => logs.set(id, events)),
    },
    KILLS,
  )
  expect(problems).toEqual([])
  expect(acked).toBeGreaterThan(10)
  const byId = new Map<string, ReceivedSpan>()
  for (const span of receiver.spans) {
    const known = byId.get(idOf(span))
    // A span that came twice came the same.
    if (known) expect(span).toEqual(known)
    byId.set(idOf(span), span)
  }
  const received = [...byId.values()]
  for (const [id, events] of logs) {
    const own = received.filter(({ attributes }) => attributes['gen_ai.conversation.id'] === id)
    expect(own.flatMap(nameOf).toSorted(), id).toEqual(happened(events))
  }
  for (const span of received) {
    for (const link of span.links ?? []) expect(byId.has(idOf(link)), `a link of ${span.name}`).toBe(true)
    if (span.parentSpanId) expect(byId.has(idOf({ ...span, spanId: span.parentSpanId })), span.name).toBe(true)
  }
  const stretches = received.filter(({ name }) => name.startsWith('invoke_agent'))
  expect(stretches.some(({ links = [] }) => links.length > 0)).toBe(true)
}, 600_000)

function idOf({ traceId, spanId }: Pick<ReceivedSpan, 'traceId' | 'spanId'>): string {
  return `${traceId}/${spanId}`
}

/** What a span says that happened. A stretch of work is no event of the log. */
function nameOf({ name, attributes }: ReceivedSpan): readonly string[] {
  const of = (key: string): string => String(attributes[key])
  if (name.startsWith('chat')) return [`reply ${of('holdpoint.turn.id')} ${of('holdpoint.step')}`]
  if (name.startsWith('execute_tool')) return [`run ${of('gen_ai.tool.call.id')} ${of('holdpoint.attempt')}`]
  if (name.startsWith('wait')) return [`wait ${of('gen_ai.tool.call.id')}`]
  return []
}

/** What a log says that happened, without the code under test. */
function happened(events: readonly LogEvent[]): readonly string[] {
  const found: string[] = []
  const open = new Map<string, boolean>()
  for (const event of events) {
    if (event.type === 'model.replied') found.push(`reply ${event.turnId} ${event.step}`)
    if (event.type === 'call.started') found.push(`run ${event.callId} ${event.attempt}`)
    if (event.type === 'call.held' && !open.has(event.callId)) open.set(event.callId, event.hold.async === true)
    if (!('callId' in event)) continue
    const isPending = event.type === 'call.settled' && open.get(event.callId) && !event.resolution && event.outcome.ok
    if (isPending || !open.has(event.callId)) continue
    if (['call.approved', 'call.resumed', 'call.settled', 'answer.arrived'].includes(event.type)) {
      found.push(`wait ${event.callId}`)
      open.delete(event.callId)
    }
  }
  return found.toSorted()
}
