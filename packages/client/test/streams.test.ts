import { afterEach, expect, test, vi } from 'vitest'
import type { LogEvent } from '@holdpoint/core'
import { connect, type ConnectOptions } from '@holdpoint/client'
import { encodeStream, SSE_HEARTBEAT, type StreamMessage } from '@holdpoint/protocol'
import { json, scriptedServer, stream, type Answer, type ScriptedServer } from './scripted-server.ts'

let server: ScriptedServer | undefined
afterEach(async () => server?.close())

const event = (seq: number, text = 'x'): string => {
  const body = {
    seq,
    at: seq,
    type: 'message.queued',
    item: { kind: 'message', message: { parts: [{ type: 'text', text }] } },
  }
  return encodeStream({ kind: 'event', event: body as unknown as LogEvent })
}
const quick = 'retry: 1\n\n'

async function heard(answers: readonly Answer[], enough: number, options: Partial<ConnectOptions> = {}) {
  server = await scriptedServer(...answers)
  const client = connect({ url: server.url, key: 'hp_test', ...options })
  const messages: StreamMessage[] = []
  for await (const message of client.conversations.follow('c1')) {
    messages.push(message)
    if (messages.length >= enough) break
  }
  const ids = server.asked.map(({ headers }) => headers['last-event-id'])
  return { messages, seqs: messages.map((each) => (each.kind === 'event' ? each.event.seq : each.kind)), ids }
}

test('a stream that is cut in the middle of an event continues with that event', async () => {
  const half = event(3).slice(0, 30)
  const { seqs, ids } = await heard(
    [stream([quick, event(1), event(2), half], { end: 'cut' }), stream([event(3), event(4)])],
    4,
  )
  expect(seqs).toEqual([1, 2, 3, 4])
  expect(ids).toEqual(['0', '2'])
})

test('repeated events are skipped', async () => {
  const { seqs } = await heard(
    [stream([quick, event(1), event(1), event(2)], { end: true }), stream([event(1), event(2), event(3)])],
    3,
  )
  expect(seqs).toEqual([1, 2, 3])
})

test('after a gap, the missing events are requested', async () => {
  const { seqs, ids } = await heard([stream([quick, event(1), event(3)]), stream([event(2), event(3)])], 3)
  expect(seqs).toEqual([1, 2, 3])
  expect(ids).toEqual(['0', '1'])
})

test('a stream with invalid JSON is closed, and continues after the last valid event', async () => {
  const { seqs } = await heard(
    [stream([quick, event(1), 'event: event\nid: 2\ndata: {"se\n\n']), stream([event(2)])],
    2,
  )
  expect(seqs).toEqual([1, 2])
})

test('unknown messages of a newer gateway are skipped', async () => {
  const more = `${SSE_HEARTBEAT}event: presence\ndata: {}\n\nevent: frame\ndata: 7\n\nnonsense\n\n`
  const { seqs } = await heard([stream([event(1), more, event(2)])], 2)
  expect(seqs).toEqual([1, 2])
})

test('a replaced log causes a reset, and is read from its start', async () => {
  const { seqs, ids } = await heard(
    [
      stream([quick, event(1), event(2)], { end: true }),
      stream([encodeStream({ kind: 'reset', why: 'Restored.' }), event(1), event(2)]),
    ],
    5,
  )
  expect(seqs).toEqual([1, 2, 'reset', 1, 2])
  expect(ids).toEqual(['0', '2'])
})

test('a response with another content type is not read as a stream', async () => {
  const page: Answer = (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(event(9))
  const { seqs } = await heard([page, stream([event(1)])], 1)
  expect(seqs).toEqual([1])
})

test('single bytes, with a character cut in two, give the same text', async () => {
  const text = 'é\u{1f600}\u2028"\\\r\n'.repeat(20)
  const bytes = Array.from(new TextEncoder().encode(event(1, text)), (byte) => new Uint8Array([byte]))
  const { messages } = await heard([stream(bytes)], 1)
  expect(messages[0]).toMatchObject({ event: { item: { message: { parts: [{ text }] } } } })
})

test('the cost of an event in many small pieces is linear in its size', async () => {
  const large = event(1, 'x'.repeat(3_000_000))
  const pieces = large.match(/.{1,4096}|\n/gs) ?? []
  // Processor time: the host may take the processor away.
  const began = process.cpuUsage()
  const { seqs } = await heard([stream(pieces)], 1)
  expect(seqs).toEqual([1])
  const { user, system } = process.cpuUsage(began)
  expect((user + system) / 1000).toBeLessThan(3000)
})

test('an endless line is refused at the size limit', async () => {
  const endless: Answer = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const more = (): unknown => !response.destroyed && response.write('x'.repeat(10_000), () => setImmediate(more))
    more()
  }
  await expect(heard([endless], 1, { maxChars: 100_000 })).rejects.toThrow('larger than 100000')
})

test('reconnects have a delay if the gateway ends each stream at once', async () => {
  server = await scriptedServer(stream([], { end: true }))
  const leave = new AbortController()
  const following = connect({ url: server.url, key: 'hp_test' }).conversations.follow('c1', { signal: leave.signal })
  setTimeout(() => leave.abort(), 1200)
  for await (const message of following) expect(message).toBeUndefined()
  expect(server.asked.length).toBeLessThan(5)
})

test('the connection is closed when the reader stops', async () => {
  const closed = vi.fn<() => void>()
  const watched: Answer = async (response, asked) => {
    response.on('close', closed)
    await stream([event(1)])(response, asked)
  }
  await heard([watched], 1)
  await vi.waitFor(() => expect(closed).toHaveBeenCalled())
})

test('a live view is loaded again if the log was replaced', async () => {
  const view = (seq: number, agent: string) => ({
    from: 1,
    seq,
    agent,
    status: 'idle',
    turns: [],
    queue: [],
    waiting: [],
    live: { progress: [] },
  })
  const reset = stream([quick, encodeStream({ kind: 'reset', why: 'Restored.' })])
  server = await scriptedServer(json(view(9, 'old')), reset, json(view(3, 'new')), stream([event(4)]))
  const live = connect({ url: server.url, key: 'hp_test' }).conversation('c1')
  live.subscribe(() => {})
  await vi.waitFor(() => expect(live.view).toMatchObject({ agent: 'new', seq: 4 }), { timeout: 20_000 })
  live.close()
})
