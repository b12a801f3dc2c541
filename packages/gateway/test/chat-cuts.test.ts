/** The connection breaks between any two chunks of a turn with calls of every kind. The stock client comes back. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { comparable } from '../../../test/kit/read-message.ts'
import { cutFetch } from '../../../test/kit/cut-fetch.ts'
import type { NodeChat } from '../../../test/kit/node-chat.ts'
import { chatKit, type ChatKit } from './chat-kit.ts'

const search = { name: 'search', input: { q: 'x' } }
const calls = [search, { name: 'email', input: { to: 'bo' } }, { name: 'place' }]
const SCRIPT = [
  { reasoning: 'I look first.', text: 'I am looking.', calls: [search] },
  { text: 'One moment.', calls },
  { reasoning: 'Again.', calls: [search] },
  'All is done.',
]
/** How often the tools of the server run in this turn. */
const RAN = [{ q: 'x' }, { q: 'x' }, { to: 'bo' }, { q: 'x' }]

let here: ChatKit | undefined
beforeEach(() => {
  // The transport reports each break.
  vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(async () => {
  await here?.close()
  here = undefined
  vi.restoreAllMocks()
})

/** What a person does with a page until the answer is complete: answers what it asks, and resumes when it shows an error. */
async function untilDone(chat: NodeChat): Promise<void> {
  const asked = new Set<string>()
  const once = (what: string): boolean => !asked.has(what) && asked.add(what).size > 0
  await vi.waitFor(
    async () => {
      if (chat.status === 'error') await chat.resumeStream()
      if (chat.status !== 'ready') throw new Error(chat.status)
      const parts = chat.messages.flatMap((message) => message.parts)
      for (const part of parts) {
        if (!('toolCallId' in part)) continue
        const { state, toolCallId, type } = part
        if (state === 'approval-requested' && once(part.approval.id)) await chat.answerApproval('email', true)
        if (state === 'input-available' && type === 'tool-place' && once(toolCallId))
          await chat.addToolOutput({ tool: 'place', toolCallId, output: { city: 'Rome' } })
        // The page shows the person's own answer, which the server has not said that it got.
        if (state === 'approval-responded') await chat.resumeStream()
      }
      if (!chat.text.endsWith('All is done.') || chat.status !== 'ready') throw new Error(JSON.stringify(chat.messages))
    },
    { timeout: 60_000, interval: 1 },
  )
}

interface Cut {
  readonly transport: 'default' | 'workflow'
  /** Another gateway takes the place of this one, which has nothing in its memory. */
  readonly restarts: boolean
  /** After how many chunks. */
  readonly at?: number
}

async function tell({ transport, restarts, at }: Cut): Promise<number> {
  const kit = await chatKit(SCRIPT)
  here = kit
  const cut = cutFetch({ at, ...(restarts && { broken: () => kit.restart() }) })
  const chat = here.page('c1', { transport, fetch: cut.fetch })
  void chat.sendMessage({ text: 'go' })
  await untilDone(chat)
  const stored = await here.reload('c1')
  const turns = (await here.runtime.view('c1'))?.turns ?? []
  expect({ ran: here.ran, roles: chat.messages.map(({ role }) => role), turns: turns.length }).toEqual({
    ran: RAN,
    roles: ['user', 'assistant'],
    turns: 1,
  })
  expect(comparable(chat.lastMessage)).toEqual(comparable(stored.lastMessage))
  expect(chat.lastMessage?.id).toBe(stored.lastMessage?.id)
  await here.close()
  here = undefined
  return cut.chunks
}

/** `CUTS=all`: at every chunk. Otherwise at every fifth, for each kind of client another one. */
const STEP = process.env['CUTS'] === 'all' ? 1 : 5

test.each([
  { transport: 'default', restarts: false, first: 0 },
  { transport: 'workflow', restarts: false, first: 1 },
  { transport: 'workflow', restarts: true, first: 2 },
] as const)('$transport, gateway restarts: $restarts', async ({ first, ...cut }) => {
  const whole = await tell({ ...cut, restarts: false })
  expect(whole).toBeGreaterThan(30)
  for (let at = first % STEP; at < whole; at += STEP) {
    await tell({ ...cut, at }).catch((error: unknown) => {
      throw new Error(`cut after chunk ${at}`, { cause: error })
    })
  }
})

test('a page that comes back with a number that no answer has, or to an unknown answer, gets an error', async () => {
  const kit = await chatKit(['Hello.', 'Hello again.'])
  here = kit
  await kit.page('c1').sendMessage({ text: 'hi' })
  const get = async (path: string, as = 'ada'): Promise<readonly [number, string]> => {
    const response = await fetch(`${kit.url}/api/chat/${path}`, { headers: { 'x-user': as } })
    return [response.status, await response.text()]
  }
  const sent = await kit.post('/api/chat', {
    id: 'c1',
    messages: [{ id: 'm2', role: 'user', parts: [{ type: 'text', text: 'again' }] }],
    resumable: true,
  })
  const run = sent.headers.get('x-workflow-run-id') ?? ''
  await sent.text()
  const status = async (path: string, as?: string): Promise<number> => (await get(path, as))[0]
  expect(await status(`${run}/stream?startIndex=0`)).toBe(200)
  expect(await status(`${run}/stream?startIndex=999999`)).toBe(200)
  expect(await status(`${run}/stream?startIndex=-1`)).toBe(422)
  expect(await status(`${run}/stream?startIndex=x`)).toBe(422)
  expect(await status('c1/stream?startIndex=7')).toBe(422)
  expect(await status(`${run}/stream?startIndex=0`, 'eve')).toBe(403)
  const forged = (fields: unknown): string => `run.${Buffer.from(JSON.stringify(fields)).toString('base64url')}`
  expect(await status(`${forged(['c1', 'no-such-turn', 0, ''])}/stream?startIndex=0`)).toBe(404)
  for (const fields of [['c1'], {}, ['c1', -1, 0, ''], ['c1', {}, 0, ''], ['', 't', 0, '']])
    expect(await get(`${forged(fields)}/stream?startIndex=0`)).toEqual([200, expect.not.stringContaining('Hello')])
  expect((await get('c1/stream?startIndex=0'))[1]).toMatch(/Hello.*"finish"/s)
  const newest = await fetch(`${kit.url}/api/chat/c1/stream?startIndex=-5`, { headers: { 'x-user': 'ada' } })
  expect(newest.headers.get('x-workflow-stream-tail-index')).toBe('4')
  expect(await newest.text()).toMatch(/"start".*"finish"/s)
  expect((await get('nothing-yet/stream?startIndex=0'))[1]).toBe(
    'data: {"type":"finish","finishReason":"stop"}\n\ndata: [DONE]\n\n',
  )
})

test('a failed answer ends, and the transport does not ask for more', async () => {
  const kit = await chatKit([{ calls: [search] }, new Error('the vendor is down')])
  here = kit
  const chat = kit.page('c1', { transport: 'workflow' })
  await chat.sendMessage({ text: 'go' })
  expect({ status: chat.status, message: chat.error?.message }).toEqual({
    status: 'error',
    message: expect.stringContaining('The model could not answer'),
  })
  const { requests } = chat
  await chat.settled(requests.length)
  expect(kit.ran).toEqual([{ q: 'x' }])
})
