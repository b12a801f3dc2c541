/** Spans of conversations, as a stock OTLP exporter sends them. */
import * as incubating from '@opentelemetry/semantic-conventions/incubating'
import { callsOf } from '@holdpoint/core/internal/model/reply'
import type { LogEvent } from '@holdpoint/core'
import { agent, Runtime } from 'holdpoint'
import { scriptedModel, testPorts } from '@holdpoint/testing'
import { expect, test } from 'vitest'
import { asking, calls, gated, heldId, noting, World } from '../../../test/kit/runtime-kit.ts'
import { GEN_AI, GEN_AI_CONVENTIONS, GEN_AI_METRICS } from '../src/gen-ai.ts'
import { millis, named, otlpReceiver, type ReceivedSpan } from '../../../test/kit/otlp-receiver.ts'
import { telemetryTo } from './telemetry-kit.ts'

const HOUR = 3_600_000
const CALLER = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'

test('a turn that waits for hours is two stretches, linked, and the wait is a span with its real times', async () => {
  const world = new World()
  const receiver = await otlpReceiver()
  const { telemetry, problems } = telemetryTo(receiver, await world.store)
  const ran: string[] = []
  const a = await world.process('a', {
    says: [calls('pay')],
    tools: [noting(ran, 'pay', gated)],
    observer: telemetry.observer,
  })
  await world.soon(a.runtime.send('c', 'Pay', { by: 'ada', trace: CALLER }))
  const heldAt = world.clock.now()
  await world.clock.advance(2 * HOUR)
  await world.soon(a.runtime.approve('c', await heldId(a, 'pay'), { by: 'ben' }))
  await world.soon(a.runtime.continue('c'))
  await telemetry.flush()
  const { spans } = receiver
  expect(problems).toEqual([])
  expect(spans.map(({ name }) => name).toSorted()).toEqual([
    'chat',
    'chat',
    'execute_tool pay',
    'invoke_agent desk',
    'invoke_agent desk',
    'wait pay',
  ])
  const [before, after] = named(spans, 'invoke_agent desk')
  const [wait] = named(spans, 'wait pay')
  expect(millis(wait!.startTimeUnixNano)).toBe(heldAt)
  expect(millis(wait!.endTimeUnixNano) - heldAt).toBeGreaterThanOrEqual(2 * HOUR)
  expect(millis(before!.endTimeUnixNano)).toBe(heldAt)
  expect(after!.links?.map(({ spanId }) => spanId)).toEqual([before!.spanId, wait!.spanId])
  expect(wait!.attributes).toMatchObject({ 'holdpoint.hold.kind': 'approval', 'holdpoint.hold.ended': 'approved' })
  // All of it is in the caller's trace.
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set(['0af7651916cd43dd8448eb211c80319c']))
  expect([before, after].map((span) => span!.parentSpanId)).toEqual(['b7ad6b7169203331', 'b7ad6b7169203331'])
  const [first, second] = named(spans, 'chat')
  expect([first!.parentSpanId, second!.parentSpanId]).toEqual([before!.spanId, after!.spanId])
  expect(named(spans, 'execute_tool pay')[0]!.parentSpanId).toBe(after!.spanId)
})

test('no content is exported, until the application says what may be', async () => {
  const world = new World()
  const receiver = await otlpReceiver()
  const quiet = telemetryTo(receiver, await world.store)
  const says = [{ calls: [{ name: 'note', input: { text: 'my secret' } }] }, 'The secret answer.']
  const a = await world.process('a', { says, tools: [noting([], 'note')], observer: quiet.telemetry.observer })
  await world.soon(a.runtime.send('c', 'A secret question', { by: 'ada' }))
  await quiet.telemetry.flush()
  expect(JSON.stringify(receiver.spans)).not.toContain('secret')
  a.kill()

  const content = (text: string): string => text.replaceAll('secret', '***')
  const open = telemetryTo(receiver, await world.store, { content })
  const b = await world.process('b', { says, tools: [noting([], 'note')], observer: open.telemetry.observer })
  await world.soon(b.runtime.send('d', 'A secret question', { by: 'ada' }))
  await open.telemetry.flush()
  const text = JSON.stringify(receiver.spans)
  expect(text).toContain('A *** question')
  expect(text).toContain('The *** answer.')
  expect(text).toContain('my ***')
  expect(text).not.toContain('secret')
})

test('attributes have the names of the pinned version of the conventions', () => {
  const names = new Set(Object.values(incubating).filter((value) => typeof value === 'string'))
  for (const name of [...Object.values(GEN_AI), ...Object.values(GEN_AI_METRICS)]) expect(names).toContain(name)
  expect(GEN_AI_CONVENTIONS).toBe('1.45.0')
})

test('the requests of a tool carry the trace of its run', async () => {
  const world = new World()
  const receiver = await otlpReceiver()
  const { telemetry } = telemetryTo(receiver, await world.store)
  const seen: (string | undefined)[] = []
  const note = {
    ...noting([], 'note'),
    run: ({ call }: { call: { traceparent?: string } }) => void seen.push(call.traceparent),
  }
  const a = await world.process('a', {
    says: [calls('note')],
    tools: [note],
    observer: telemetry.observer,
  })
  await world.soon(a.runtime.send('c', 'Go', { trace: CALLER }))
  await telemetry.flush()
  const [run] = named(receiver.spans, 'execute_tool note')
  expect(seen).toEqual([`00-${run!.traceId}-${run!.spanId}-01`])
})

/** What a log says that happened, without the code under test. */
function happened(events: readonly LogEvent[]): Readonly<Record<string, number>> {
  const count = { chat: 0, run: 0, wait: 0 }
  const async = new Set<string>()
  const open = new Set<string>()
  for (const event of events) {
    if (event.type === 'model.replied') count.chat++
    if (event.type === 'call.started') count.run++
    if (event.type === 'call.held') {
      open.add(event.callId)
      if (event.hold.async) async.add(event.callId)
    }
    const pending = event.type === 'call.settled' && async.has(event.callId) && !event.resolution && event.outcome.ok
    if (!('callId' in event) || pending || !open.has(event.callId)) continue
    if (['call.approved', 'call.resumed', 'call.settled', 'answer.arrived'].includes(event.type)) {
      count.wait++
      open.delete(event.callId)
    }
  }
  return count
}

test.each([1, 2, 3, 4, 5, 6])(
  'after random kills, the spans that were received describe exactly the log (seed %i)',
  async (seed) => {
    const world = new World()
    const receiver = await otlpReceiver()
    const random = randomFrom(seed)
    const tools = [
      noting([], 'note'),
      noting([], 'pay', gated),
      asking('ship', 'external', { timeout: '9 days' }),
      asking('later', 'human', { async: true }),
    ]
    const says = [calls('note', 'pay'), calls('ship', 'note'), calls('later'), calls('note')]
    const start = async (nth: number) => {
      const { telemetry } = telemetryTo(receiver, await world.store)
      const process = await world.process(`p${nth}-`, { says, tools, observer: telemetry.observer })
      await telemetry.resume()
      return { telemetry, process }
    }
    let nth = 0
    let here = await start(nth)
    let kills = 0
    for (let step = 0; step < 60; step++) {
      const roll = random()
      const { runtime } = here.process
      if (roll < 0.2) void runtime.submit(`c${Math.floor(random() * 3)}`, 'Go', { whileBusy: 'queue' }).catch(() => {})
      else if (roll < 0.6) {
        const { items } = await runtime.pending()
        const hold = items[Math.floor(random() * items.length)]
        if (hold?.accepts.includes('approve')) void runtime.approve(hold.conversationId, hold.callId).catch(() => {})
        else if (hold) void runtime.answer(hold.conversationId, hold.callId, 'Yes.').catch(() => {})
      } else if (roll < 0.75) await world.pass(500)
      else if (roll < 0.85) await here.telemetry.flush()
      else {
        kills++
        here.process.kill()
        here = await start(++nth)
        await world.pass(20_000)
      }
    }
    await world.pass(60_000)
    await here.telemetry.flush()
    expect(kills).toBeGreaterThan(2)

    const byId = new Map(receiver.spans.map((span) => [`${span.traceId}/${span.spanId}`, span]))
    // A span that came twice came the same.
    for (const span of receiver.spans) expect(byId.get(`${span.traceId}/${span.spanId}`)).toEqual(span)
    for (const id of ['c0', 'c1', 'c2']) {
      const log = await world.log(id)
      const spans = [...byId.values()].filter(({ attributes }) => attributes[GEN_AI.conversation] === id)
      const count = (name: RegExp): number => spans.filter((span) => name.test(span.name)).length
      const ended = { ...happened(log) }
      const running = log.filter(({ type }) => type === 'call.started').length - count(/^execute_tool/)
      expect({ chat: count(/^chat/), wait: count(/^wait/) }).toEqual({ chat: ended['chat'], wait: ended['wait'] })
      expect(running).toBe(0)
      const turns = new Set(log.flatMap((event) => (event.type === 'turn.started' ? [event.turnId] : [])))
      expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(turns.size)
      for (const span of spans) checkRelations(span, byId)
      const asked = log.flatMap((event) => (event.type === 'model.replied' ? callsOf(event.reply) : []))
      expect(asked.length).toBeGreaterThanOrEqual(count(/^wait/))
    }
  },
)

/** Each parent and each link is a span that was received, except for stretches that are not over. */
function checkRelations(span: ReceivedSpan, all: ReadonlyMap<string, ReceivedSpan>): void {
  for (const { traceId, spanId } of span.links ?? []) expect(all.get(`${traceId}/${spanId}`)).toBeDefined()
  if (span.name.startsWith('invoke_agent')) expect(span.parentSpanId ?? '').toBe('')
  else expect(all.get(`${span.traceId}/${span.parentSpanId}`)?.name, span.name).toMatch(/^invoke_agent/)
}

function randomFrom(seed: number): () => number {
  let state = seed * 2_654_435_761
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return ((state >>> 8) % 65_536) / 65_536
  }
}

test('an observer that throws, or a store that fails, stops no turn', async () => {
  const world = new World()
  const receiver = await otlpReceiver()
  const store = await world.store
  const away = {
    ...store,
    readBack: () => Promise.reject(new Error('Away.')),
    notes: () => Promise.reject(new Error('Away.')),
  }
  const { telemetry, problems } = telemetryTo(receiver, away)
  const a = await world.process('a', { says: ['Done.'], observer: telemetry.observer })
  expect(await world.soon(a.runtime.send('c', 'Go'))).toMatchObject({ status: 'done' })
  await telemetry.flush()
  expect(problems.length).toBeGreaterThan(0)
  const model = scriptedModel(['Done.'])
  const failing = await Runtime.open({
    store,
    agents: [agent({ name: 'desk', model })],
    ports: testPorts({ clock: world.clock, prefix: 'x' }),
    observer: {
      wrote: () => {
        throw new Error('Broken.')
      },
    },
    onProblem: ({ error }) => void problems.push(error),
  })
  expect(await world.soon(failing.send('d', 'Go'))).toMatchObject({ status: 'done' })
  expect(problems.map(String)).toContain('Error: Broken.')
  await failing.close()
})
