import { afterEach, expect, test } from 'vitest'
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

test('a message is answered, and a reloaded page shows the same', async () => {
  const { page, reload } = await start([{ reasoning: 'hm', text: 'Hello Ada.' }])
  const chat = page('c1')
  await chat.sendMessage({ text: 'hi' })
  expect(chat.status).toBe('ready')
  expect(chat.text).toBe('Hello Ada.')
  const again = await reload('c1')
  expect(again.messages.map(({ role }) => role)).toEqual(['user', 'assistant'])
  expect(again.lastMessage?.id).toBe(chat.lastMessage?.id)
  expect(again.text).toBe('Hello Ada.')
  expect(chat.requests).toEqual(['POST'])
})

test('a tool of the server runs inside the answer', async () => {
  const { page, ran } = await start([{ calls: [{ name: 'search', input: { q: 'ada' } }] }, 'Found.'])
  const chat = page('c1')
  await chat.sendMessage({ text: 'find' })
  expect(chat.tool('search')).toMatchObject({ state: 'output-available', input: { q: 'ada' }, output: 'sent' })
  expect({ text: chat.text, ran, requests: chat.requests }).toEqual({
    text: 'Found.',
    ran: [{ q: 'ada' }],
    requests: ['POST'],
  })
})

test('a call waits for approval, runs once after it, and the answer continues in the same message', async () => {
  const { page, ran } = await start([email, 'Sent it.'])
  const chat = page('c1')
  await chat.sendMessage({ text: 'write' })
  expect(chat.tool('email')).toMatchObject({
    state: 'approval-requested',
    approval: { requestReason: 'It leaves the company' },
  })
  expect(ran).toEqual([])
  await chat.answerApproval('email', true)
  await chat.settled(2)
  expect(chat.tool('email')).toMatchObject({ state: 'output-available', output: 'sent', approval: { approved: true } })
  expect({ text: chat.text, ran }).toEqual({ text: 'Sent it.', ran: [{ to: 'bo' }] })
  expect(chat.messages).toHaveLength(2)
  expect(chat.requests).toEqual(['POST', 'POST'])
  expect(chat.data('hold')).toMatchObject([{ kind: 'approval', open: false, resolution: 'approve', by: 'ada' }])
})

test('a denied call does not run, and the model reads the reason', async () => {
  const { page, ran } = await start([email, 'I will not.'])
  const chat = page('c1')
  await chat.sendMessage({ text: 'write' })
  await chat.answerApproval('email', false, 'not Bo')
  await chat.settled(2)
  expect(chat.tool('email')).toMatchObject({ state: 'output-denied', approval: { approved: false, reason: 'not Bo' } })
  expect({ text: chat.text, ran, requests: chat.requests }).toEqual({
    text: 'I will not.',
    ran: [],
    requests: ['POST', 'POST'],
  })
})

test('a client tool runs on the page, and its output goes to the model', async () => {
  const { page } = await start([{ calls: [{ name: 'place' }] }, 'You are in Rome.'])
  const asked: string[] = []
  const chat = page('c1', {
    onToolCall: ({ toolCall: { toolName, toolCallId } }) => {
      asked.push(toolName)
      void chat.addToolOutput({ tool: toolName, toolCallId, output: { city: 'Rome' } })
    },
  })
  await chat.sendMessage({ text: 'where am I' })
  await chat.settled(2)
  expect(chat.text).toBe('You are in Rome.')
  expect(chat.tool('place')).toMatchObject({ state: 'output-available', output: { city: 'Rome' } })
  expect({ asked, requests: chat.requests }).toEqual({ asked: ['place'], requests: ['POST', 'POST'] })
})

test('a client tool that needs approval reaches the page only after it was approved', async () => {
  const { page } = await start([{ calls: [{ name: 'photo' }] }, 'Nice.'])
  const asked: string[] = []
  const chat = page('c1', {
    onToolCall: ({ toolCall: { toolName, toolCallId } }) => {
      asked.push(toolName)
      void chat.addToolOutput({ tool: toolName, toolCallId, output: { url: 'a.png' } })
    },
  })
  await chat.sendMessage({ text: 'photo' })
  expect({ asked, state: chat.tool('photo').state }).toEqual({ asked: [], state: 'approval-requested' })
  await chat.answerApproval('photo', true)
  await chat.settled(3)
  expect({ asked, text: chat.text, requests: chat.requests }).toEqual({
    asked: ['photo'],
    text: 'Nice.',
    requests: ['POST', 'POST', 'POST'],
  })
})

test('a round with an approval, a client tool and a tool of the server goes on when all are answered', async () => {
  const calls = [{ name: 'search', input: { q: 'x' } }, { name: 'email', input: { to: 'bo' } }, { name: 'place' }]
  const { page, ran } = await start([{ calls }, 'All done.'])
  const chat = page('c1')
  await chat.sendMessage({ text: 'go' })
  expect(['search', 'email', 'place'].map((name) => chat.tool(name).state)).toEqual([
    'output-available',
    'approval-requested',
    'input-available',
  ])
  await chat.addToolOutput({ tool: 'place', toolCallId: chat.tool('place').toolCallId, output: { city: 'Rome' } })
  expect(chat.requests).toEqual(['POST'])
  await chat.answerApproval('email', true)
  await chat.settled(2)
  expect({ text: chat.text, ran, requests: chat.requests }).toEqual({
    text: 'All done.',
    ran: [{ q: 'x' }, { to: 'bo' }],
    requests: ['POST', 'POST'],
  })
})

test('a question is answered on the page; an answer that does not fit is shown, and sent once', async () => {
  const { page, reload } = await start([{ calls: [{ name: 'size' }] }, 'M it is.'])
  const chat = page('c1')
  await chat.sendMessage({ text: 'a shirt' })
  expect(chat.data('hold')).toMatchObject([{ kind: 'elicitation', open: true, answerSchema: { enum: ['S', 'M'] } }])
  await chat.addToolOutput({ tool: 'size', toolCallId: chat.tool('size').toolCallId, output: 'XXL' })
  await chat.settled(2)
  expect(chat.tool('size')).toMatchObject({ state: 'output-error', errorText: expect.stringContaining('Not accepted') })
  expect(chat.data('verdict')).toMatchObject([{ verdict: 'invalid' }])
  await chat.resumeStream()
  expect(chat.tool('size').state).toBe('input-available')
  const again = await reload('c1')
  await again.addToolOutput({ tool: 'size', toolCallId: again.tool('size').toolCallId, output: 'M' })
  await again.settled(1)
  expect(again.text).toBe('M it is.')
})

test('an error of a tool and of the model reach the page', async () => {
  const { page } = await start([{ calls: [{ name: 'broken' }] }, new Error('the vendor is down')])
  const chat = page('c1')
  await chat.sendMessage({ text: 'print' })
  expect(chat.tool('broken')).toMatchObject({ state: 'output-error', errorText: expect.stringContaining('no paper') })
  expect({ status: chat.status, error: chat.error?.message }).toEqual({
    status: 'error',
    error: expect.stringContaining('The model could not answer'),
  })
  expect(chat.data('ended')).toMatchObject([{ reason: 'model_failed' }])
})

test('a failed answer is continued with regenerate; a complete one stays', async () => {
  const { page } = await start([new Error('the vendor is down'), 'Here I am.'])
  const chat = page('c1')
  await chat.sendMessage({ text: 'hi' })
  expect(chat.status).toBe('error')
  await chat.regenerate()
  expect({ status: chat.status, text: chat.text }).toEqual({ status: 'ready', text: 'Here I am.' })
  await chat.regenerate()
  expect(chat.error?.message).toContain('The answer is complete')
})

test('two of two approvers approve on their own pages', async () => {
  const { page, reload, ran, post } = await start([{ calls: [{ name: 'pay', input: { to: 'bo' } }] }, 'Paid.'])
  const chat = page('c1')
  await chat.sendMessage({ text: 'pay' })
  await chat.answerApproval('pay', true)
  await chat.settled(2)
  expect(chat.tool('pay')).toMatchObject({
    state: 'approval-requested',
    approval: { requestReason: expect.stringContaining('1 more must approve') },
  })
  expect(chat.data('verdict')).toMatchObject([{ verdict: 'accepted', remaining: 1 }])
  expect({ ran, requests: chat.requests }).toEqual({ ran: [], requests: ['POST', 'POST'] })
  const { id: ownerOnly } = chat
  expect((await post('/api/chat', { id: ownerOnly, messages: chat.messages }, 'ben')).status).toBe(403)
  const callId = chat.tool('pay').toolCallId
  expect((await post(`/api/holds/c1/${callId}/resolve`, { kind: 'approve' }, 'ben')).status).toBe(200)
  await chat.resumeStream()
  expect({ text: chat.text, ran }).toEqual({ text: 'Paid.', ran: [{ to: 'bo' }] })
  expect((await reload('c1')).text).toBe('Paid.')
})
