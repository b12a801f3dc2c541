import fc from 'fast-check'
import { agent, holdpoint, type Model } from 'holdpoint'
import { afterEach, expect, test } from 'vitest'
import { gateway } from '@holdpoint/gateway'
import { applyEvent, applyFrame, emptyView, turnsOf, type View } from '@holdpoint/core'
import type { StreamMessage } from '@holdpoint/protocol'
import { followStream, isEvent, isFrame, seqsOf } from './follow-stream.ts'
import { kit, obedient, type Kit } from './kit.ts'

const open: { close(): Promise<void> }[] = []
async function start(...args: Parameters<typeof kit>): Promise<Kit> {
  const here = await kit(...args)
  open.unshift(here)
  return here
}
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const say = ({ ask }: Kit, id: string, content: string): ReturnType<Kit['ask']> =>
  ask('POST', `/api/conversations/${id}/messages?wait=10`, { body: { content } })

/** A model that pauses in the middle of its reply until released. */
function halting(): { model: Model; halfway: Promise<void>; goOn: () => void } {
  const halfway = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const model: Model = {
    id: 'halting',
    async *stream() {
      yield { type: 'text', id: 't', delta: 'Once ' }
      yield { type: 'text', id: 't', delta: 'upon ' }
      halfway.resolve()
      await gate.promise
      yield { type: 'text', id: 't', delta: 'a time' }
      yield { type: 'finish', reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } }
    },
  }
  return { model, halfway: halfway.promise, goOn: gate.resolve }
}

function viewOf(messages: readonly StreamMessage[]): View {
  return messages.reduce<View>((view, message) => {
    if (message.kind === 'event') return applyEvent(view, message.event)
    return message.kind === 'frame' ? applyFrame(view, message.frame) : emptyView
  }, emptyView)
}

test('a client that reconnects at any time gets every event once and in order', async () => {
  const here = await start()
  for (let nth = 0; nth < 30; nth++) await say(here, 'c1', `message ${nth}`)
  const last = (await here.runtime.tenant('acme').events('c1', 0, 1000)).length
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 25 })), async (cuts) => {
      const seen: StreamMessage[] = []
      let after: string | undefined
      for (const cut of [...cuts, Infinity]) {
        const stream = await followStream(here, 'c1', after === undefined ? {} : { after })
        for (let read = 0; read < cut && seqsOf(seen).length < last; read++)
          seen.push((await stream.next()) as StreamMessage)
        await stream.close()
        // A client resumes after the last event it processed, which may be earlier than the last it received.
        after = String(seqsOf(seen).at(-1) ?? 0)
      }
      expect(seqsOf(seen)).toEqual(Array.from({ length: last }, (_, index) => index + 1))
    }),
    { numRuns: 30 },
  )
})

test('events and frames arrive live, and give the same view as on the server', async () => {
  const here = await start()
  await here.ask('POST', '/api/conversations', { body: { id: 'c1' } })
  const stream = await followStream(here, 'c1')
  const seeing = stream.until(isEvent('model.replied'))
  await say(here, 'c1', 'hello')
  const seen = await seeing
  expect(seen.filter(isFrame('reply-text'))).toHaveLength(3)
  const { body } = await here.ask('GET', '/api/conversations/c1')
  expect(JSON.parse(JSON.stringify(viewOf(seen)))).toEqual(body)
})

test('a reader that joins in the middle of a reply gets the earlier text', async () => {
  const { model, halfway, goOn } = halting()
  const here = await start({ model })
  await here.ask('POST', '/api/conversations', { body: { id: 'c1' } })
  const first = await followStream(here, 'c1')
  await here.ask('POST', '/api/conversations/c1/messages', { body: { content: 'tell' } })
  await first.until(
    (message) =>
      message.kind === 'frame' && message.frame.type === 'reply-text' && message.frame.delta.endsWith('upon '),
  )
  await halfway
  const second = await followStream(here, 'c1')
  const seen = await second.until(isFrame('reply-text'))
  expect(turnsOf(viewOf(seen)).at(-1)?.steps.at(-1)?.streaming?.parts).toMatchObject([{ text: 'Once upon ' }])
  goOn()
  seen.push(...(await second.until(isFrame('reply-text'))))
  expect(turnsOf(viewOf(seen)).at(-1)?.steps.at(-1)?.streaming?.parts).toMatchObject([{ text: 'Once upon a time' }])
})

test('a client that sends a message and then opens the stream gets the text written in between', async () => {
  const { model, halfway, goOn } = halting()
  const here = await start({ model })
  await here.ask('POST', '/api/conversations/c1/messages', { body: { content: 'tell' } })
  await halfway
  const stream = await followStream(here, 'c1')
  const seen = await stream.until(isFrame('reply-text'))
  expect(turnsOf(viewOf(seen)).at(-1)?.steps.at(-1)?.streaming?.parts).toMatchObject([{ text: 'Once upon ' }])
  goOn()
  await stream.until(isEvent('model.replied'))
})

test('CVE-2026-59951: a slow reader is disconnected, reconnects with its last id and misses nothing', async () => {
  const here = await start({ limits: { streamQueueBytes: 20_000 } })
  await here.ask('POST', '/api/conversations', { body: { id: 'c1' } })
  const slow = await followStream(here, 'c1')
  const seen = await slow.until(isEvent('conversation.opened'))
  for (let nth = 0; nth < 20; nth++) await say(here, 'c1', 'x'.repeat(3000))
  const cut = async (): Promise<void> => {
    for (;;) seen.push((await slow.next()) as StreamMessage)
  }
  await expect(cut()).rejects.toThrow('too slow')
  const last = (await here.runtime.tenant('acme').events('c1', 0, 1000)).length
  expect(seqsOf(seen).length).toBeLessThan(last)
  const again = await followStream(here, 'c1', { after: String(seqsOf(seen).at(-1)) })
  seen.push(...(await again.until((message) => message.kind === 'event' && message.event.seq === last)))
  expect(seqsOf(seen)).toEqual(Array.from({ length: last }, (_, index) => index + 1))
})

test('streams are limited per key and per tenant; closing one makes room', async () => {
  const here = await start({ limits: { streamsPerKey: 2, streamsPerTenant: 3 } })
  await here.ask('POST', '/api/conversations', { body: { id: 'c1' } })
  const first = await followStream(here, 'c1')
  await followStream(here, 'c1')
  const third = await followStream(here, 'c1')
  expect(third.response.status).toBe(429)
  expect(third.response.headers.get('retry-after')).toBe('10')
  expect((await followStream(here, 'c1', { as: 'admin' })).response.status).toBe(200)
  expect((await followStream(here, 'c1', { as: 'admin' })).response.status).toBe(429)
  await first.close()
  expect((await followStream(here, 'c1')).response.status).toBe(200)
})

test('streams have heartbeats, and a stream ends soon after its key is revoked', async () => {
  const here = await start({ limits: { heartbeatMs: 20 } })
  await here.ask('POST', '/api/conversations', { body: { id: 'c1' } })
  const stream = await followStream(here, 'c1')
  const rest = stream.rest()
  await new Promise((resolve) => setTimeout(resolve, 100))
  const { body } = await here.ask('GET', '/api/keys')
  const { id } = body.items.find((each: { name: string }) => each.name === 'reader')
  await here.ask('DELETE', `/api/keys/${id}`)
  expect(await rest).toMatch(/: still here\n\n/)
})

test('when the gateway closes, streams end with a retry hint, and new ones are refused', async () => {
  const here = await start()
  await here.ask('POST', '/api/conversations', { body: { id: 'c1' } })
  const stream = await followStream(here, 'c1')
  await stream.until(isEvent('conversation.opened'))
  const rest = stream.rest()
  await here.api.close()
  expect(await rest).toMatch(/retry: \d+\n\n$/)
  expect(await here.ask('GET', '/api/conversations/c1')).toMatchObject({ status: 503, body: { code: 'closed' } })
  expect(await here.ask('GET', '/api/ready')).toMatchObject({ status: 503 })
  expect(await here.ask('GET', '/api/health')).toMatchObject({ status: 200 })
})

test('a reader with a later id than the log gets a reset', async () => {
  const here = await start()
  await here.ask('POST', '/api/conversations', { body: { id: 'c1' } })
  const stream = await followStream(here, 'c1', { after: '99' })
  const seen = await stream.until(isEvent('conversation.opened'))
  expect(seen[0]).toMatchObject({ kind: 'reset' })
  expect((await followStream(here, 'c1', { after: 'soon' })).response.status).toBe(422)
  expect((await followStream(here, 'nowhere', { after: '99' })).response.status).toBe(404)
})

test('any node streams events, also one that does not drive the conversation', async () => {
  const here = await start()
  const desk = agent({ name: 'desk', model: obedient })
  const runtime = await holdpoint({ store: here.store, agents: [desk], drive: false })
  open.unshift(runtime)
  const api = gateway({ runtime, store: here.store })
  await here.ask('POST', '/api/conversations', { body: { id: 'c1' } })
  const stream = await followStream({ ...here, api }, 'c1')
  await say(here, 'c1', 'hello')
  const seen = await stream.until(isEvent('model.replied'))
  expect(seqsOf(seen)).toEqual([1, 2, 3])
  await api.close()
})

test('a client that switches to a node that lags behind gets no event twice', async () => {
  const here = await start()
  const deaf = { ...here.store, listen: () => () => {} }
  const runtime = await holdpoint({
    store: deaf,
    agents: [agent({ name: 'desk', model: obedient })],
    drive: false,
    lookMs: 200,
  })
  open.unshift(runtime)
  const api = gateway({ runtime, store: deaf })
  await here.ask('POST', '/api/conversations', { body: { id: 'c1' } })
  const early = await followStream({ ...here, api }, 'c1')
  await early.until(isEvent('conversation.opened'))
  const arriving = early.until(isEvent('turn.started'))
  await say(here, 'c1', 'one')
  // The node has not received events 2 and 3 yet; the client got them from another node.
  const late = await followStream({ ...here, api }, 'c1', { after: '3' })
  const seeing = late.until(isEvent('model.replied'))
  await arriving
  await say(here, 'c1', 'two')
  expect(seqsOf(await seeing)).toEqual([4, 5])
  await api.close()
})

test('progress of a worker is streamed to readers', async () => {
  const here = await start()
  await say(here, 'c1', 'ship Ada')
  const stream = await followStream(here, 'c1')
  await stream.until(isEvent('call.held'))
  const { body } = await here.ask('POST', '/api/calls/claim', { as: 'worker', body: { tools: ['ship'] } })
  const [{ callId, claim }] = body.items
  await here.ask('POST', `/api/calls/${callId}/progress`, { as: 'worker', body: { claim, value: { at: 'depot' } } })
  expect((await stream.until(isFrame('call-progress'))).at(-1)).toMatchObject({ frame: { value: { at: 'depot' } } })
  const late = await followStream(here, 'c1')
  await late.until(isFrame('call-progress'))
})

test('with `missing=ok` a conversation that does not exist yet can be viewed and streamed', async () => {
  const here = await start()
  const view = (query: string): ReturnType<Kit['ask']> => here.ask('GET', `/api/conversations/new${query}`)
  expect((await view('')).status).toBe(404)
  expect(await here.ask('GET', '/api/conversations/new/events?missing=ok')).toMatchObject({ body: { items: [] } })
  expect((await view('?missing=ok')).status).toBe(204)
  expect((await followStream(here, 'new')).response.status).toBe(404)
  const early = await followStream(here, 'new', { query: '?missing=ok' })
  expect(early.response.status).toBe(200)
  const first = early.next()
  await say(here, 'new', 'hello')
  // The stream ends without events: access is checked when the reader reconnects.
  expect(await first).toBeUndefined()
  expect(early.decoder.retryMs).toBe(0)
  const again = await followStream(here, 'new', { query: '?missing=ok' })
  expect(seqsOf(await again.until(isEvent('model.replied')))[0]).toBe(1)
  await again.close()
})

test('a stream opened before the id exists does not reveal the space that is created with it', async () => {
  const here = await start()
  const early = await followStream(here, 'room', { query: '?missing=ok' })
  const first = early.next()
  await here.ask('POST', '/api/spaces', { body: { id: 'room', name: 'Secret', by: 'ada' } })
  expect(await first).toBeUndefined()
  const again = await followStream(here, 'room', { query: '?missing=ok' })
  expect(again.response.status).toBe(409)
  expect((await here.ask('GET', '/api/conversations/room?missing=ok')).body).toMatchObject({ code: 'is-a-space' })
})
