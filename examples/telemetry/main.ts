import assert from 'node:assert/strict'
import { LogSpanIds, telemetry } from '@holdpoint/telemetry'
import { scriptedModel } from '@holdpoint/testing'
import { BatchSpanProcessor, InMemorySpanExporter, TracerProvider } from '@opentelemetry/sdk-trace'
import { agent, holdpoint, memoryStore, tool } from 'holdpoint'
import { z } from 'zod'

const pay = tool({ name: 'pay', description: 'Pay', input: z.object({}), approval: 'required', run: () => 'Paid.' })
const desk = agent({ name: 'desk', model: scriptedModel([{ calls: [{ name: 'pay' }] }, 'Done.']), tools: [pay] })
const store = memoryStore({ now: Date.now })

// #region setup
const ids = new LogSpanIds()
const exporter = new InMemorySpanExporter() // or OTLPTraceExporter, or any other
const tracerProvider = new TracerProvider({
  idGenerator: ids,
  spanProcessors: [new BatchSpanProcessor({ exporter: ids.watch(exporter) })],
})
const watching = telemetry({ store, ids, tracerProvider, flush: () => tracerProvider.forceFlush() })
const runtime = await holdpoint({ store, agents: [desk], observer: watching.observer })
await watching.resume() // what a killed process did not export
// #endregion

const { holds } = await runtime.send('c1', 'Pay', { by: 'ada' })
await runtime.approve('c1', holds[0]?.callId ?? '', { by: 'ben' })
await runtime.continue('c1')
await watching.flush()

// #region spans
for (const { name, links, attributes } of exporter.getFinishedSpans())
  console.log(name, links.length, attributes['holdpoint.stretch.ended'] ?? attributes['holdpoint.hold.ended'] ?? '')
// #endregion
assert.equal(exporter.getFinishedSpans().length, 6)

await runtime.close()
await watching.close()
await tracerProvider.shutdown()
