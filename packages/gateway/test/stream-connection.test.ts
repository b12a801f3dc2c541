/** How a reader's text reaches its client, without a server. */
import { expect, test } from 'vitest'
import type { Runtime } from '@holdpoint/spaces'
import { LIMITS } from '../src/gateway-options.ts'
import { StreamConnection } from '../src/streams/stream-connection.ts'
import type { Hub } from '../src/streams/hub.ts'

const frame = (delta: string) => ({ type: 'reply-text', turnId: 't', step: 1, id: 'x', delta }) as const

/** A reader of a log that ends at `end`, and what its client gets. `full`: the client takes one piece at a time. */
function reader({ end = 0, events = () => Promise.resolve([]) }: { end?: number; events?: Runtime['events'] } = {}) {
  const writes: string[] = []
  const client = { writes, full: false, ended: undefined as string | undefined, failed: false }
  const left: string[] = []
  const connection = new StreamConnection({
    runtime: { events } as unknown as Runtime,
    id: 'c1',
    after: 0,
    reset: false,
    hub: { seq: end, join: () => [], leave: () => left.push('hub') } as unknown as Hub,
    limits: LIMITS,
    now: () => 0,
    peer: undefined,
    until: undefined,
    wire: undefined,
    notCreated: false,
    closed: () => left.push('closed'),
    failed: (error) => left.push(String(error)),
  })
  const start = (): void =>
    connection.start({
      write: (text) => {
        writes.push(text)
        return !client.full
      },
      end: (text) => (client.ended = text),
      fail: () => (client.failed = true),
    })
  return { connection, client, left, start }
}

test('what comes in one tick is written at once', async () => {
  const { connection, client, start } = reader()
  start()
  connection.pull()
  expect(client.writes.splice(0)).toEqual([expect.stringMatching(/^retry: /)])
  connection.take('a', frame('a'))
  connection.take('b', frame('b'))
  await Promise.resolve()
  connection.take('c', frame('c'))
  await Promise.resolve()
  expect(client.writes).toEqual(['ab', 'c'])
})

test('a client that is full gets nothing until it can take more, and then everything in order', async () => {
  const { connection, client, start } = reader()
  start()
  client.full = true
  connection.pull()
  for (const text of ['a', 'b', 'c']) {
    connection.take(text, frame(text))
    await Promise.resolve()
  }
  expect(client.writes).toHaveLength(1)
  client.full = false
  connection.pull()
  expect(client.writes.slice(1)).toEqual(['abc'])
})

test('a store that fails while a reader catches up ends the stream, and the operator is told', async () => {
  const { connection, client, left, start } = reader({ end: 3, events: () => Promise.reject(new Error('the disk')) })
  start()
  connection.pull()
  await expect.poll(() => client.failed).toBe(true)
  expect(left).toEqual(['hub', 'closed', 'Error: the disk'])
})

test('a stream that ended before its response started ends it with a hint to reconnect', () => {
  const { connection, client, start } = reader()
  connection.end(50)
  start()
  expect(client.ended).toMatch(/retry: 50\n\n$/)
})
