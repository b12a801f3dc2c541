import type { Model } from 'holdpoint'
import { afterEach, expect, test, vi } from 'vitest'
import { chatKit, type ChatKit } from './chat-kit.ts'

const open: ChatKit[] = []
async function start(...args: Parameters<typeof chatKit>): Promise<ChatKit> {
  const here = await chatKit(...args)
  open.push(here)
  return here
}
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

const email = { calls: [{ name: 'email', input: { to: 'bo' } }] }

/** A model that pauses in the middle of its first reply until released. */
function halting(): { readonly model: Model; readonly goOn: () => void } {
  const gate = Promise.withResolvers<void>()
  let asked = 0
  const model: Model = {
    id: 'halting',
    async *stream({ signal }) {
      const first = asked++ === 0
      yield { type: 'text', id: 't', delta: first ? 'Once upon ' : 'Next ' }
      const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
      if (first) await Promise.race([gate.promise, stopped])
      yield { type: 'text', id: 't', delta: 'a time' }
      yield { type: 'finish', reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } }
    },
  }
  return { model, goOn: gate.resolve }
}

test('a page that is reloaded in the middle of an answer shows the rest, and no word twice', async () => {
  const { model, goOn } = halting()
  const { page, reload } = await start(model)
  const chat = page('c1')
  const sending = chat.sendMessage({ text: 'a story' })
  await vi.waitFor(() => expect(chat.text).toBe('Once upon '))
  await chat.stop()
  await sending
  const again = await reload('c1')
  const resuming = again.resumeStream()
  await vi.waitFor(() => expect(again.text).toBe('Once upon '))
  goOn()
  await resuming
  expect({ text: again.text, count: again.messages.length }).toEqual({ text: 'Once upon a time', count: 2 })
  expect(again.lastMessage?.id).toBe(chat.lastMessage?.id)
  await chat.resumeStream()
  expect({ text: chat.text, count: chat.messages.length }).toEqual({ text: 'Once upon a time', count: 2 })
})

test('a page that is reloaded while a call is held can approve it', async () => {
  const { reload, page, ran } = await start([email, 'Sent.'])
  await page('c1').sendMessage({ text: 'write' })
  const stored = await reload('c1')
  expect(stored.tool('email').state).toBe('approval-requested')
  await stored.resumeStream()
  await stored.answerApproval('email', true)
  await stored.settled(2 + 0)
  expect({ text: stored.text, ran, count: stored.messages.length }).toEqual({
    text: 'Sent.',
    ran: [{ to: 'bo' }],
    count: 2,
  })
})

test('without history, a page that resumes shows the newest message, and nothing before the first', async () => {
  const { page } = await start([email, 'Sent.'])
  const empty = page('c1')
  await empty.resumeStream()
  expect({ messages: empty.messages, status: empty.status }).toEqual({ messages: [], status: 'ready' })
  await page('c1').sendMessage({ text: 'write' })
  await empty.resumeStream()
  await empty.answerApproval('email', true)
  await empty.settled(3)
  expect(empty.text).toBe('Sent.')
})

test('a click after another person answered says who was first, and shows the result', async () => {
  const { page, post, ran } = await start([email, 'Not sent.'])
  const chat = page('c1')
  await chat.sendMessage({ text: 'write' })
  const { toolCallId } = chat.tool('email')
  await post(`/api/holds/c1/${toolCallId}/resolve`, { kind: 'reject', reason: 'no' }, 'ben')
  await chat.answerApproval('email', true)
  await chat.settled(2)
  expect(chat.data('verdict')).toMatchObject([{ verdict: 'conflict', first: { by: 'ben', resolution: 'reject' } }])
  expect(chat.tool('email')).toMatchObject({ state: 'output-denied', approval: { approved: false, reason: 'no' } })
  expect({ text: chat.text, ran }).toEqual({ text: 'Not sent.', ran: [] })
})

test('another person answers, and the page that resumes shows it', async () => {
  const { page, post } = await start([email, 'Sent.'])
  const chat = page('c1')
  await chat.sendMessage({ text: 'write' })
  await post(`/api/holds/c1/${chat.tool('email').toolCallId}/resolve`, { kind: 'approve' }, 'ben')
  await chat.resumeStream()
  expect({ text: chat.text, count: chat.messages.length }).toEqual({ text: 'Sent.', count: 2 })
  expect(chat.data('hold')).toMatchObject([{ by: 'ben', resolution: 'approve' }])
})

test('a stream stays open while only a worker has to answer, and shows the result', async () => {
  const { page, post } = await start([{ calls: [{ name: 'ship' }] }, 'Shipped.'])
  const chat = page('c1')
  const sending = chat.sendMessage({ text: 'ship it' })
  await vi.waitFor(() => expect(chat.tool('ship').state).toBe('input-available'))
  await post(`/api/holds/c1/${chat.tool('ship').toolCallId}/resolve`, { kind: 'answer', value: 'on its way' }, 'ben')
  await sending
  expect(chat.tool('ship')).toMatchObject({ state: 'output-available', output: 'on its way' })
  expect({ text: chat.text, requests: chat.requests }).toEqual({ text: 'Shipped.', requests: ['POST'] })
})

test('two tabs approve at the same time: the call runs once, and both show it', async () => {
  const { page, reload, ran } = await start([email, 'Sent.'])
  await page('c1').sendMessage({ text: 'write' })
  const tabs = [await reload('c1'), await reload('c1')]
  await Promise.all(tabs.map((tab) => tab.answerApproval('email', true)))
  await Promise.all(tabs.map((tab) => tab.settled(1)))
  expect(tabs.map(({ text }) => text)).toEqual(['Sent.', 'Sent.'])
  expect(ran).toEqual([{ to: 'bo' }])
})

test('stopping the page leaves the turn running; the stop route ends it', async () => {
  const { model, goOn } = halting()
  const { page, post, runtime } = await start(model)
  const chat = page('c1')
  const sending = chat.sendMessage({ text: 'a story' })
  await vi.waitFor(() => expect(chat.text).toBe('Once upon '))
  await chat.stop()
  await sending
  expect((await runtime.view('c1'))?.status).toBe('running')
  expect((await post('/api/chat/c1/stop', undefined)).status).toBe(200)
  await chat.resumeStream()
  expect(chat.data('ended')).toMatchObject([{ reason: 'cancelled' }])
  expect(chat.text).toBe('')
  goOn()
})

test('a message that is sent while a call is held waits, and is answered after it', async () => {
  const { page, ran } = await start([email, 'Sent.', 'Good evening.'])
  const next: unknown[] = []
  const chat = page('c1', { onData: (part) => void (part.type === 'data-next' && next.push(part.data)) })
  await chat.sendMessage({ text: 'write' })
  await chat.sendMessage({ text: 'good evening' })
  expect({ status: chat.status, next }).toEqual({ status: 'ready', next: [{ queued: 1 }] })
  await chat.answerApproval('email', true)
  await chat.sendMessage()
  await vi.waitFor(() => expect(chat.tool('email').state).toBe('output-available'))
  await vi.waitFor(async () => {
    await chat.resumeStream()
    expect(chat.text).toBe('Good evening.')
  })
  expect({ ran, roles: chat.messages.map(({ role }) => role) }).toEqual({
    ran: [{ to: 'bo' }],
    roles: ['user', 'assistant', 'user', 'assistant'],
  })
})

test('a message of another tab waits for the answer in progress, and its page follows its own answer', async () => {
  const { model, goOn } = halting()
  const { page } = await start(model)
  const first = page('c1')
  const sending = first.sendMessage({ text: 'a story' })
  await vi.waitFor(() => expect(first.text).toBe('Once upon '))
  const second = page('c1')
  const waiting = second.sendMessage({ text: 'another' })
  await vi.waitFor(() => expect(second.status).toBe('submitted'))
  goOn()
  await Promise.all([sending, waiting])
  expect([first.text, second.text]).toEqual(['Once upon a time', 'Next a time'])
})

test('a stream that is cut before its end is an error on the page, and resuming repairs it', async () => {
  const { model, goOn } = halting()
  const here = await start(model)
  const { page, runtime } = here
  const chat = page('c1')
  const sending = chat.sendMessage({ text: 'a story' })
  await vi.waitFor(() => expect(chat.text).toBe('Once upon '))
  await here.restart()
  await sending
  expect({ status: chat.status, text: chat.text }).toEqual({ status: 'error', text: 'Once upon ' })
  goOn()
  await vi.waitFor(async () => expect((await runtime.view('c1'))?.status).toBe('idle'))
  await chat.resumeStream()
  expect({ status: chat.status, text: chat.text, count: chat.messages.length }).toEqual({
    status: 'ready',
    text: 'Once upon a time',
    count: 2,
  })
})
