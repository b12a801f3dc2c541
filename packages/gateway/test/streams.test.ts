import fc from 'fast-check'
import { agent, holdpoint, type Model } from 'holdpoint'
import { afterEach, expect, test } from 'vitest'
import { gateway } from '@holdpoint/gateway'
import { applyEvent, applyFrame, emptyView, turnsOf, type View } from '@holdpoint/core'
import type { StreamMessage } from '@holdpoint/protocol'
import { follow, isEvent, isFrame, seqsOf } from './follow.ts'
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

/** A model that stops in the middle of its reply until it is let go. */
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

test('a client that reconnects at any time sees every event once and in order', async () => {
  const here = await start()
  for (let nth = 0; nth < 30; nth++) await say(here, 'c1', `message ${nth}`)
  const last = (await here.runtime.tenant('acme').events('c1', 0, 1000)).length
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 25 })), async (cuts) => {
      const seen: StreamMessage[] = []
      let after: string | undefined
      for (const cut of [...cuts, Infinity]) {
        const stream = await follow(here, 'c1', after === undefined ? {} : { after })
        for (let read = 0; read < cut && seqsOf(seen).length < last; read++)
          seen.push((await stream.next()) as StreamMessage)
        await stream.close()
        // A client goes on from what it took in, which may be less than what had arrived.
        after = String(seqsOf(seen).at(-1) ?? 0)
      }
      expect(seqsOf(seen)).toEqual(Array.from({ length: last }, (_, index) => index + 1))
    }),
    { numRuns: 30 },
  )
})

test('events and frames come while they happen, and make the same view as the server has', async () => {
  const here = await start()
  await here.ask('POST', '/api/conversations', { body: { id: 'c1' } })
  const stream = await follow(here, 'c1')
  const seeing = stream.until(isEvent('model.replied'))
  await say(here, 'c1', 'hello')
  const seen = await seeing
  expect(seen.filter(isFrame('reply-text'))).toHaveLength(3)
  const { body } = await here.ask('GET', '/api/conversations/c1')
  expect(JSON.parse(JSON.stringify(viewOf(seen)))).toEqual(body)
})

test('whoever joins in the middle of a reply finds the text that was written before', async () => {
  const { model, halfway, goOn } = halting()
  const here = await start({ model })
  await here.ask('POST', '/api/conversations', { body: { id: 'c1' } })
  const first = await follow(here, 'c1')
  await here.ask('POST', '/api/conversations/c1/messages', { body: { content: 'tell' } })
  await first.until(
    (message) =>
      message.kind === 'frame' && message.frame.type === 'reply-text' && message.frame.delta.endsWith('upon '),
  )
  await halfway
  const second = await follow(here, 'c1')
  const seen = await second.until(isFrame('reply-text'))
  expect(turnsOf(viewOf(seen)).at(-1)?.steps.at(-1)?.streaming?.parts).toMatchObject([{ text: 'Once upon ' }])
  goOn()
  seen.push(...(await second.until(isFrame('reply-text'))))
  expect(turnsOf(viewOf(seen)).at(-1)?.steps.at(-1)?.streaming?.parts).toMatchObject([{ text: 'Once upon a time' }])
})

test('whoever says something and then opens the stream finds the text that was written meanwhile', async () => {
  const { model, halfway, goOn } = halting()
  const here = await start({ model })
  await here.ask('POST', '/api/conversations/c1/messages', { body: { content: 'tell' } })
  await halfway
  const stream = await follow(here, 'c1')
  const seen = await stream.until(isFrame('reply-text'))
  expect(turnsOf(viewOf(seen)).at(-1)?.steps.at(-1)?.streaming?.parts).toMatchObject([{ text: 'Once upon ' }])
  goOn()
  await stream.until(isEvent('model.replied'))
})

test('CVE-2026-59951: a slow reader is cut off, comes again with the last id it saw, and has missed nothing', async () => {
  const here = await start({ limits: { streamQueueBytes: 20_000 } })
  await here.ask('POST', '/api/conversations', { body: { id: 'c1' } })
  const slow = await follow(here, 'c1')
  const seen = await slow.until(isEvent('conversation.opened'))
  for (let nth = 0; nth < 20; nth++) await say(here, 'c1', 'x'.repeat(3000))
  const cut = async (): Promise<void> => {
    for (;;) seen.push((await slow.next()) as StreamMessage)
  }
  await expect(cut()).rejects.toThrow('too slow')
  const last = (await here.runtime.tenant('acme').events('c1', 0, 1000)).length
  expect(seqsOf(seen).length).toBeLessThan(last)
  const again = await follow(here, 'c1', { after: String(seqsOf(seen).at(-1)) })
  seen.push(...(await again.until((message) => message.kind === 'event' && message.event.seq === last)))
  expect(seqsOf(seen)).toEqual(Array.from({ length: last }, (_, index) => index + 1))
})

test('streams are limited by key, and by tenant; one that is left makes room', async () => {
  const here = await start({ limits: { streamsPerKey: 2, streamsPerTenant: 3 } })
  await here.ask('POST', '/api/conversations', { body: { id: 'c1' } })
  const first = await follow(here, 'c1')
  await follow(here, 'c1')
  const third = await follow(here, 'c1')
  expect(third.response.status).toBe(429)
  expect(third.response.headers.get('retry-after')).toBe('10')
  expect((await follow(here, 'c1', { as: 'admin' })).response.status).toBe(200)
  expect((await follow(here, 'c1', { as: 'admin' })).response.status).toBe(429)
  await first.close()
  expect((await follow(here, 'c1')).response.status).toBe(200)
})

test('heartbeats say that somebody is there, and a stream ends soon after its key is revoked', async () => {
  const here = await start({ limits: { heartbeatMs: 20 } })
  await here.ask('POST', '/api/conversations', { body: { id: 'c1' } })
  const stream = await follow(here, 'c1')
  const rest = stream.rest()
  await new Promise((resolve) => setTimeout(resolve, 100))
  const { body } = await here.ask('GET', '/api/keys')
  const { id } = body.items.find((each: { name: string }) => each.name === 'reader')
  await here.ask('DELETE', `/api/keys/${id}`)
  expect(await rest).toMatch(/: still here\n\n/)
})

test('when the gateway closes, streams end with a hint when to come again, and new ones are refused', async () => {
  const here = await start()
  await here.ask('POST', '/api/conversations', { body: { id: 'c1' } })
  const stream = await follow(here, 'c1')
  await stream.until(isEvent('conversation.opened'))
  const rest = stream.rest()
  await here.door.close()
  expect(await rest).toMatch(/retry: \d+\n\n$/)
  expect(await here.ask('GET', '/api/conversations/c1')).toMatchObject({ status: 503, body: { code: 'closed' } })
  expect(await here.ask('GET', '/api/ready')).toMatchObject({ status: 503 })
  expect(await here.ask('GET', '/api/health')).toMatchObject({ status: 200 })
})

test('a reader that knows more than the log has is told to begin anew', async () => {
  const here = await start()
  await here.ask('POST', '/api/conversations', { body: { id: 'c1' } })
  const stream = await follow(here, 'c1', { after: '99' })
  const seen = await stream.until(isEvent('conversation.opened'))
  expect(seen[0]).toMatchObject({ kind: 'reset' })
  expect((await follow(here, 'c1', { after: 'soon' })).response.status).toBe(422)
  expect((await follow(here, 'nowhere', { after: '99' })).response.status).toBe(404)
})

test('events come from any node, also where the conversation is not driven', async () => {
  const here = await start()
  const desk = agent({ name: 'desk', model: obedient })
  const runtime = await holdpoint({ store: here.store, agents: [desk], drive: false })
  open.unshift(runtime)
  const door = gateway({ runtime, store: here.store })
  await here.ask('POST', '/api/conversations', { body: { id: 'c1' } })
  const stream = await follow({ ...here, door }, 'c1')
  await say(here, 'c1', 'hello')
  const seen = await stream.until(isEvent('model.replied'))
  expect(seqsOf(seen)).toEqual([1, 2, 3])
  await door.close()
})

test('a client that comes from a node that knew more is given nothing twice by one that lags behind', async () => {
  const here = await start()
  const deaf = { ...here.store, listen: () => () => {} }
  const runtime = await holdpoint({
    store: deaf,
    agents: [agent({ name: 'desk', model: obedient })],
    drive: false,
    lookMs: 200,
  })
  open.unshift(runtime)
  const door = gateway({ runtime, store: deaf })
  await here.ask('POST', '/api/conversations', { body: { id: 'c1' } })
  const early = await follow({ ...here, door }, 'c1')
  await early.until(isEvent('conversation.opened'))
  const arriving = early.until(isEvent('turn.started'))
  await say(here, 'c1', 'one')
  // The node has not heard of events 2 and 3 yet, and this client has seen them elsewhere.
  const late = await follow({ ...here, door }, 'c1', { after: '3' })
  const seeing = late.until(isEvent('model.replied'))
  await arriving
  await say(here, 'c1', 'two')
  expect(seqsOf(await seeing)).toEqual([4, 5])
  await door.close()
})

test('what a worker says of its call is shown to those who watch', async () => {
  const here = await start()
  await say(here, 'c1', 'ship Ada')
  const stream = await follow(here, 'c1')
  await stream.until(isEvent('call.held'))
  const { body } = await here.ask('POST', '/api/calls/claim', { as: 'worker', body: { tools: ['ship'] } })
  const [{ callId, claim }] = body.items
  await here.ask('POST', `/api/calls/${callId}/progress`, { as: 'worker', body: { claim, value: { at: 'depot' } } })
  expect((await stream.until(isFrame('call-progress'))).at(-1)).toMatchObject({ frame: { value: { at: 'depot' } } })
  const late = await follow(here, 'c1')
  await late.until(isFrame('call-progress'))
})
