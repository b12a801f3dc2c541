/** Spans that are lost between the tracer and the receiver: nothing beside the log may say that they have left. */
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import type { Store } from '@holdpoint/core'
import { expect, onTestFinished, test } from 'vitest'
import { calls, noting, World } from '../../../test/kit/runtime-kit.ts'
import { LogSpanIds, telemetry } from '../src/index.ts'

interface Sent {
  readonly names: readonly string[]
  readonly keys: readonly string[]
  done(result: { readonly code: number; readonly error?: Error }): void
}

interface Exported {
  readonly name: string
  spanContext(): { readonly traceId: string; readonly spanId: string }
}

/** An exporter whose exports end when the test says so. */
class HeldExporter {
  readonly sent: Sent[] = []

  export(spans: readonly Exported[], done: Sent['done']): void {
    this.sent.push({ names: spans.map(({ name }) => name), keys: spans.map((span) => span.spanContext().spanId), done })
  }

  shutdown(): Promise<void> {
    return Promise.resolve()
  }
}

function watched(store: Store, { queue = 1000 } = {}) {
  const ids = new LogSpanIds()
  const exporter = new HeldExporter()
  // Its timer begins an export at once.
  const processor = new BatchSpanProcessor({
    exporter: ids.watch(exporter),
    scheduledDelayMillis: 0,
    maxQueueSize: queue,
    maxExportBatchSize: queue,
  })
  const tracerProvider = new TracerProvider({ idGenerator: ids, spanProcessors: [processor] })
  const problems: unknown[] = []
  const made = telemetry({
    store,
    ids,
    tracerProvider,
    flush: () => tracerProvider.forceFlush(),
    flushMs: 1_000_000,
    onProblem: (error) => void problems.push(error),
  })
  const answer = (code: 0 | 1): void => {
    for (const { done } of exporter.sent.splice(0))
      done(code === 0 ? { code } : { code, error: new Error('The receiver is away.') })
  }
  onTestFinished(async () => {
    const timer = setInterval(() => answer(0), 1)
    await tracerProvider.shutdown()
    clearInterval(timer)
  })
  return { made, exporter, answer, problems }
}

async function marked(store: Store): Promise<unknown> {
  const [note] = await store.notes({ tenant: '', id: 'c' }, { kind: 'telemetry.exported', limit: 1 })
  return note?.data
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve))
}

test('a flush waits for an export that the timer of the SDK began', async () => {
  const world = new World()
  const store = await world.store
  const { made, exporter, answer } = watched(store)
  const a = await world.process('a', { says: ['Done.'], observer: made.observer })
  await world.soon(a.runtime.send('c', 'Go'))
  await until(() => exporter.sent.length > 0)
  let over = false
  const flushing = made.flush().then(() => (over = true))
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect([over, await marked(store)]).toEqual([false, undefined])
  answer(0)
  await flushing
  expect(await marked(store)).toBe((await world.log('c')).length)
})

test('spans of an export that failed are exported again, and only then does the note say that they have left', async () => {
  const world = new World()
  const store = await world.store
  const { made, exporter, answer, problems } = watched(store)
  const a = await world.process('a', { says: ['Done.'], observer: made.observer })
  await world.soon(a.runtime.send('c', 'Go'))
  await until(() => exporter.sent.length > 0)
  const [first] = exporter.sent
  const failing = made.flush()
  answer(1)
  await failing
  expect(await marked(store)).toBeUndefined()
  await until(() => exporter.sent.length > 0)
  expect(exporter.sent.flatMap(({ names }) => names).toSorted()).toEqual([...first!.names].toSorted())
  const again = made.flush()
  await until(() => exporter.sent.length > 0)
  answer(0)
  await again
  expect(await marked(store)).toBe((await world.log('c')).length)
  expect(problems).toEqual([])
})

test('spans that a full queue dropped are exported again, and until then the note does not say that they have left', async () => {
  const world = new World()
  const store = await world.store
  const { made, exporter, answer } = watched(store, { queue: 1 })
  const tools = [noting([], 'note')]
  const a = await world.process('a', { says: [calls('note')], tools, observer: made.observer })
  await world.soon(a.runtime.send('c', 'Go'))
  const seen = new Set<string>()
  const flush = async (): Promise<void> => {
    let over = false
    void made.flush().then(() => (over = true))
    while (!over) {
      for (const { keys } of exporter.sent) for (const key of keys) seen.add(key)
      answer(0)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  // Two calls of the model, a tool run and the stretch: one is on its way, one waits, two are dropped.
  await flush()
  expect([seen.size, await marked(store)]).toEqual([2, undefined])
  for (let flushes = 0; flushes < 4; flushes++) {
    await flush()
    if ((await marked(store)) !== undefined) expect(seen.size).toBe(4)
  }
})
