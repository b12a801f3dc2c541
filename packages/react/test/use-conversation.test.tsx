import { memo, StrictMode, Suspense, use, useState, type ReactNode } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, test, vi } from 'vitest'
import type { ViewMessage } from '@holdpoint/client'
import { HoldpointProvider, useConversation, useHolds, type ConversationState } from '@holdpoint/react'
import { act, draw, event, fakeGateway, frame, takeOver, talk } from './page.ts'

const textOf = (message: ViewMessage): string =>
  !('parts' in message) ? '' : message.parts.map((part) => ('text' in part ? part.text : `[${part.type}]`)).join('')

function Chat({
  id,
  onState,
}: {
  readonly id: string
  readonly onState?: (state: ConversationState) => void
}): ReactNode {
  const state = useConversation(id)
  onState?.(state)
  return [...state.messages, ...(state.streaming ? [state.streaming] : [])].map(textOf).join(' | ')
}

/** Waits until all pending updates are drawn. */
const seen = (check: () => void): Promise<void> =>
  vi.waitFor(
    async () => {
      await act(async () => new Promise((done) => setTimeout(done, 0)))
      check()
    },
    { timeout: 60_000 },
  )

const delta = (turnId: string, text: string): ReturnType<typeof frame> =>
  frame({ type: 'reply-text', turnId, step: 1, id: 'a', delta: text })

const replied = (seq: number, turnId: string, text: string): ReturnType<typeof event> =>
  event({
    seq,
    at: seq,
    type: 'model.replied',
    turnId,
    step: 1,
    reply: { parts: [{ type: 'text', text }], finish: 'stop', usage: { inputTokens: 0, outputTokens: 0 } },
  })

test('streaming 200 pieces into a conversation of 1,000 messages draws only one message again, and not the list', async () => {
  const { view, seq } = talk(500, { goingOn: true })
  expect(view.turns.length * 2).toBeGreaterThan(1000)
  const gateway = fakeGateway(view)
  const drawn = new Map<string, number>()
  let lists = 0
  const Message = memo(function Message({ message }: { readonly message: ViewMessage }): ReactNode {
    drawn.set(message.id, (drawn.get(message.id) ?? 0) + 1)
    return <p>{textOf(message)}</p>
  })
  function Streaming(): ReactNode {
    const streaming = useConversation('c1', (state) => state.streaming)
    return streaming && <Message message={streaming} />
  }
  function List(): ReactNode {
    lists++
    const messages = useConversation('c1', (state) => state.messages)
    return messages.map((message) => <Message key={message.id} message={message} />)
  }
  const page = await draw(
    <HoldpointProvider client={gateway.client}>
      <List />
      <Streaming />
    </HoldpointProvider>,
  )
  await act(async () => new Promise((resolve) => setTimeout(resolve, 0)))
  expect(drawn.size).toBe(1002)
  drawn.clear()
  lists = 0
  for (let nth = 0; nth < 200; nth++) await gateway.say(delta('t501', `${nth} `))
  console.log(`200 pieces: ${[...drawn.values()].join()} drawings of ${drawn.size} message, ${lists} of the list`)
  expect([...drawn]).toEqual([['turn:t501', 200]])
  expect(lists).toBe(0)
  expect(page.text()).toContain('198 199 ')

  await gateway.say(replied(seq + 1, 't501', 'the end'))
  expect(page.text()).toContain('the end')
  expect(lists).toBe(1)
})

test('a component renders again only for its selected part, and the functions stay the same', async () => {
  const { view, seq } = talk(1, { goingOn: true })
  const gateway = fakeGateway(view)
  const seen: string[] = []
  const sends = new Set<unknown>()
  function Status(): ReactNode {
    seen.push(useConversation('c1', (state) => state.status))
    sends.add(useConversation('c1', (state) => state.send))
    return null
  }
  await draw(
    <HoldpointProvider client={gateway.client}>
      <Status />
    </HoldpointProvider>,
  )
  await act(async () => new Promise((resolve) => setTimeout(resolve, 0)))
  const before = seen.length
  await gateway.say(delta('t2', 'a'))
  await gateway.say(delta('t2', 'b'))
  expect(seen.slice(before)).toEqual([])
  await gateway.say(replied(seq + 1, 't2', 'ab'))
  expect(seen.at(-1)).toBe('idle')
  expect(sends.size).toBe(1)
})

test('in StrictMode a conversation is loaded and connected once, and disconnected with its last component', async () => {
  const gateway = fakeGateway(talk(2).view)
  const page = await draw(
    <StrictMode>
      <HoldpointProvider client={gateway.client}>
        <Chat id="c1" />
        <Chat id="c1" />
      </HoldpointProvider>
    </StrictMode>,
  )
  await act(async () => new Promise((resolve) => setTimeout(resolve, 0)))
  expect(page.text()).toContain('question 1 | answer 1 | question 2 | answer 2')
  expect(gateway.asked).toEqual(['GET /api/conversations/c1', 'GET /api/conversations/c1/events'])
  expect(gateway.open).toBe(1)
  await page.remove()
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(gateway.open).toBe(0)
})

test('a server renders the empty conversation and sends no request', () => {
  const gateway = fakeGateway(talk(2).view)
  let seen: ConversationState | undefined
  const html = renderToString(
    <HoldpointProvider client={gateway.client}>
      <Chat id="c1" onState={(state) => (seen = state)} />
      <b>served</b>
    </HoldpointProvider>,
  )
  expect(html).toBe('<b>served</b>')
  expect(seen).toMatchObject({ loaded: false, messages: [], connection: { state: 'off' } })
  expect(gateway.asked).toEqual([])
})

test('HTML of a server is hydrated without a mismatch, although the page has newer data', async () => {
  const gateway = fakeGateway(talk(2).view)
  let served = false
  const { promise, resolve } = Promise.withResolvers<void>()
  function Late(): ReactNode {
    const messages = useConversation('c1', (state) => state.messages)
    const { loading } = useHolds()
    if (served) use(promise)
    return <i>{`${messages.length} ${loading ? 'loading' : 'loaded'}`}</i>
  }
  const page = (
    <HoldpointProvider client={gateway.client}>
      <Chat id="c1" />
      <Holds />
      <Suspense fallback="…">
        <Late />
      </Suspense>
    </HoldpointProvider>
  )
  const html = renderToString(page)
  expect(html).toContain('0 loading')
  served = true
  const { wrong, text } = await takeOver(html, page)
  await seen(() => expect(text()).toContain('answer 2'))
  expect(text()).toContain('0 loading')
  await act(async () => resolve())
  await seen(() => expect(text()).toContain('4 loaded'))
  expect(wrong).toEqual([])
})

function Holds(): ReactNode {
  return <b>{useHolds().holds.length}</b>
}

test('each of many conversations on a page is loaded once and keeps its state', async () => {
  const gateway = fakeGateway(talk(1).view)
  const ids = Array.from({ length: 70 }, (_, nth) => `c${nth}`)
  const All = ({ nth }: { readonly nth: number }): ReactNode => (
    <HoldpointProvider client={gateway.client}>
      {ids.map((id) => (
        <Chat key={`${id} ${nth}`} id={id} />
      ))}
    </HoldpointProvider>
  )
  const page = await draw(<All nth={1} />)
  await seen(() => expect(gateway.open).toBe(70))
  await page.redraw(<All nth={1} />)
  // Unmounted and mounted in one render, as when one screen replaces another.
  await page.redraw(<All nth={2} />)
  await act(async () => new Promise((done) => setTimeout(done, 5)))
  const loads = gateway.asked.filter((line) => /conversations\/c\d+$/.test(line))
  expect(new Set(loads).size).toBe(70)
  expect(loads).toHaveLength(70)
  expect(gateway.open).toBe(70)
})

test('quick changes between conversations leave no open streams, and the last conversation is shown', async () => {
  const gateway = fakeGateway(talk(1).view)
  const show = (id: string): ReactNode => (
    <StrictMode>
      <HoldpointProvider client={gateway.client}>
        <Chat id={id} />
      </HoldpointProvider>
    </StrictMode>
  )
  const page = await draw(show('c0'))
  for (let nth = 1; nth <= 50; nth++) await page.redraw(show(`c${nth}`))
  await seen(() => expect(page.text()).toBe('question 1 | answer 1'))
  await seen(() => expect(gateway.open).toBe(1))
})

test('client tools run once for the shown conversation, with the newest function', async () => {
  const { view, seq } = talk(1, { goingOn: true })
  const gateway = fakeGateway(view)
  const ran: string[] = []
  let rename: (name: string) => void = () => {}
  function App(): ReactNode {
    const [name, setName] = useState('first')
    rename = setName
    return (
      <HoldpointProvider client={gateway.client} tools={{ 'browser.zone': { run: () => ran.push(name) && 'CET' } }}>
        <Chat id="c1" />
        <Chat id="c1" />
      </HoldpointProvider>
    )
  }
  await draw(<App />)
  await act(async () => rename('second'))
  const call = { type: 'call', callId: 't2.1.0', vendorId: 'v', name: 'browser.zone', input: {} }
  await gateway.say(
    event({
      seq: seq + 1,
      at: 9,
      type: 'model.replied',
      turnId: 't2',
      step: 1,
      reply: { parts: [call], finish: 'calls', usage: { inputTokens: 0, outputTokens: 0 } },
    }),
    event({
      seq: seq + 2,
      at: 9,
      type: 'call.held',
      callId: 't2.1.0',
      hold: {
        kind: 'client',
        cause: 'tool',
        accepts: ['answer'],
        input: {},
        inputHash: 'h',
        fingerprint: 'f',
        expiresAt: 99,
        approvers: 1,
        timeoutMs: 1,
        onExpire: 'error',
        late: 'reject',
      },
    }),
  )
  expect(ran).toEqual(['second'])
  expect(gateway.answers).toMatchObject([{ kind: 'answer', value: 'CET' }])
})

test('an invisible call is neither in the messages nor in the open calls', async () => {
  const { view, seq } = talk(1, { goingOn: true })
  const gateway = fakeGateway(view)
  let state: ConversationState | undefined
  await draw(
    <HoldpointProvider client={gateway.client}>
      <Chat id="c1" onState={(now) => (state = now)} />
    </HoldpointProvider>,
  )
  const calls = ['look', 'note'].map((name) => ({ type: 'call', callId: name, vendorId: name, name, input: {} }))
  const reply = { parts: calls, finish: 'calls', usage: { inputTokens: 0, outputTokens: 0 } }
  const display = [{ callId: 'note', silent: true }]
  await gateway.say(event({ seq: seq + 1, at: 9, type: 'model.replied', turnId: 't2', step: 1, reply, display }))
  expect(state?.calls.map(({ name }) => name)).toEqual(['look'])
  expect(state?.streaming?.parts).toMatchObject([{ type: 'call', call: { name: 'look' } }])
})

test('a hook without a provider throws an error that names the provider', () => {
  expect(() => renderToString(<Chat id="c1" />)).toThrow('<HoldpointProvider')
})
