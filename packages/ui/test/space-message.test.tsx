/** Messages of a space: components and fallback for calls, and answers of members. */
import type { ReactNode } from 'react'
import { expect, test, vi } from 'vitest'
import { connect, type PendingHold, type SpaceMessage as Shown, type ToolMessage } from '@holdpoint/client'
import { emptySpaceView } from '@holdpoint/spaces/view'
import { HoldpointProvider } from '@holdpoint/react'
import {
  PlainToolCall,
  SpaceMessage,
  SpaceWriting,
  ToolComponentsContext,
  type ToolCallProps,
  type ToolComponents,
} from '@holdpoint/ui'
import { button, click, fields, holdOf, type } from './cards.ts'
import { act, draw } from './drawn.ts'

const members = (['owner', 'reader'] as const).map((role, nth) => ({
  member: { kind: 'human', id: ['ada', 'rita'][nth] },
  role,
  joinedAt: 1,
  read: 0,
}))

/** A fake gateway with these holds. It records the requests that it gets. */
function gateway(holds: readonly PendingHold[] = []) {
  const told: { path: string; body: unknown }[] = []
  const answer = async (url: string, init?: RequestInit): Promise<Response> => {
    const { pathname } = new URL(url)
    if (init?.method === 'POST') {
      told.push({ path: decodeURIComponent(pathname), body: JSON.parse(init.body as string) })
      return Response.json({ verdict: 'accepted', message: 'Taken.' })
    }
    if (pathname === '/api/holds') return Response.json({ items: holds })
    if (pathname === '/api/spaces/trip') return Response.json({ ...emptySpaceView, name: 'Trip', seq: 9, members })
    return new Response(new ReadableStream(), { headers: { 'content-type': 'text/event-stream' } })
  }
  return { client: connect({ url: 'http://gateway.test', key: 'k', fetch: answer }), told }
}

const call: ToolMessage = {
  kind: 'tool',
  seq: 7,
  at: 1000,
  agent: 'concierge',
  toolCallId: 't.1.1',
  name: 'confirmAction',
  input: { question: 'Book it?' },
  status: 'complete',
  output: { confirmed: true },
}

interface Shows {
  readonly tools?: ToolComponents
  readonly holds?: readonly PendingHold[]
  readonly by?: string
  readonly pageTools?: readonly string[]
}

async function show(message: Shown, { tools = { by_name: {} }, holds, by = 'ada', pageTools = [] }: Shows = {}) {
  const { client, told } = gateway(holds)
  const here = Object.fromEntries(pageTools.map((name) => [name, { run: () => 1 }]))
  const { text } = await draw(
    <HoldpointProvider client={client} tools={here}>
      <ToolComponentsContext value={tools}>
        <SpaceMessage message={message} spaceId="trip" by={by} />
      </ToolComponentsContext>
    </HoldpointProvider>,
  )
  // The hold is requested first.
  await act(async () => void (await vi.advanceTimersByTimeAsync(10)))
  return { text, told }
}

const Own = ({ call: { name, state } }: ToolCallProps): ReactNode => <b>{`own ${name} ${state}`}</b>
const Other = ({ call: { name } }: ToolCallProps): ReactNode => <i>{`fallback for ${name}`}</i>

test('a call is drawn by the component for its tool', async () => {
  const { text } = await show(call, { tools: { by_name: { confirmAction: Own }, Fallback: Other } })
  expect(text()).toContain('own confirmAction settled')
  expect(text()).not.toContain('fallback')
})

test('a call of another tool is drawn by the fallback, or in its plain form', async () => {
  const other = { ...call, name: 'displayChart' }
  const tools = { by_name: { confirmAction: Own } }
  expect((await show(other, { tools: { ...tools, Fallback: Other } })).text()).toContain('fallback for displayChart')
  const plain = (await show(other, { tools })).text()
  expect(plain).toContain('displayChart')
  expect(plain).toContain('done')
})

test('the name of an inherited property is not taken for a component', async () => {
  const { text } = await show({ ...call, name: 'constructor' }, { tools: { by_name: {}, Fallback: Other } })
  expect(text()).toContain('fallback for constructor')
})

const asks: ToolMessage = {
  kind: 'tool',
  seq: 7,
  at: 1000,
  agent: 'concierge',
  toolCallId: 't.1.1',
  name: 'confirmAction',
  input: { question: 'Book it?' },
  status: 'requires_action',
  hold: { kind: 'client', nth: 1, expiresAt: 9_000_000_000_000 },
}

test('a component answers its call in the name of the user', async () => {
  const Confirm = ({ call: held, onResolve }: ToolCallProps): ReactNode => (
    <button onClick={() => void onResolve?.(held, { kind: 'answer', value: { confirmed: true } })}>{held.state}</button>
  )
  const { told } = await show(asks, { tools: { by_name: { confirmAction: Confirm } } })
  await act(async () => button('held').click())
  expect(told).toEqual([
    {
      path: '/api/spaces/trip/tool-results',
      body: { callId: 't.1.1', result: { confirmed: true }, from: { kind: 'human', id: 'ada' }, hold: 1 },
    },
  ])
})

test('without a component, a member answers with a form generated from the schema', async () => {
  const answerSchema = { type: 'object', properties: { seats: { type: 'integer' } }, required: ['seats'] }
  const hold = { kind: 'elicitation', nth: 2, expiresAt: 9_000_000_000_000, reason: 'How many?', answerSchema } as const
  const { text, told } = await show({ ...asks, hold })
  expect(text()).toContain('How many?')
  expect(text()).not.toContain('Decline')
  await type(fields()[0]!, '4')
  await click('Answer')
  expect(told).toMatchObject([{ path: '/api/spaces/trip/tool-results', body: { result: { seats: 4 }, hold: 2 } }])
})

test('a call that this page runs shows no form', async () => {
  const { text } = await show(asks, { pageTools: ['confirmAction'] })
  expect(text()).toContain('waiting for the user’s browser')
  expect(document.querySelector('form')).toBeNull()
})

const pending: PendingHold = {
  ...holdOf({ callId: 't.1.1', name: 'confirmAction' }),
  conversationId: 'agent:concierge',
  agent: 'concierge',
  askedBy: [{ via: 'space', by: 'grace', kind: 'human', space: 'trip' }],
  endorsed: [],
  missing: 1,
}
const gated: ToolMessage = { ...asks, hold: { kind: 'approval', nth: 1 } }

test('an approval is a card for a credential that can read the hold, and names the author', async () => {
  const { text, told } = await show(gated, { holds: [pending] })
  expect(text()).toContain('asked by grace')
  await click('Approve')
  expect(told).toEqual([
    { path: '/api/holds/agent:concierge/t.1.1/resolve', body: { kind: 'approve', hold: 1, by: 'ada' } },
  ])
})

const asked: PendingHold = { ...pending, kind: 'elicitation', accepts: ['answer', 'reject'], reason: 'How many?' }

test.each([
  ['ada', 'a member who can post, answers in the space', '/api/spaces/trip/tool-results'],
  ['rita', 'a reader, answers with the right to resolve holds', '/api/holds/agent:concierge/t.1.1/resolve'],
  ['root', 'not a member, answers with the right to resolve holds', '/api/holds/agent:concierge/t.1.1/resolve'],
])('%s, %s', async (by, _what, path) => {
  const question: ToolMessage = { ...asks, hold: { kind: 'elicitation', nth: 1, expiresAt: 9_000_000_000_000 } }
  const { told } = await show(question, { holds: [asked], by })
  await type(document.querySelector('textarea')!, 'four')
  await click('Answer')
  expect(told.map((each) => each.path)).toEqual([path])
})

test('another credential sees what the call waits for, and has no buttons', async () => {
  const { text } = await show(gated)
  expect(text()).toContain('Waiting for a person who can approve it.')
  expect([...document.querySelectorAll('button')].map(({ textContent }) => textContent)).not.toContain('Approve')
})

test('a call of a streaming tool has a progress bar before its first progress', async () => {
  const running: ToolMessage = {
    kind: 'tool',
    seq: 7,
    at: 1000,
    agent: 'concierge',
    toolCallId: 't.1.1',
    name: 'build',
    input: {},
    status: 'running',
  }
  const bars = (): number => document.querySelectorAll('[role="progressbar"]').length
  await show(running)
  expect(bars()).toBe(0)
  await show({ ...running, streaming: true })
  expect(bars()).toBe(1)
})

test('messages of people and agents are shown, and the text that an agent is writing', async () => {
  const said = { kind: 'message', seq: 1, at: 1000, text: '**Hello**' } as const
  const mine = await show({ ...said, from: { kind: 'human', id: 'ada' } })
  expect(mine.text()).toContain('**Hello**')
  expect(document.querySelector('[aria-label="ada said"]')?.className).toContain('justify-items-end')
  const agents = await show({ ...said, from: { kind: 'agent', id: 'concierge' }, quiet: true })
  expect(agents.text()).toMatch(/concierge.*did not wake any agent.*Hello/)
  expect(agents.text()).not.toContain('**')
  const { text } = await draw(
    <SpaceWriting writing={{ agent: 'concierge', id: 't.1.2', name: 'displayChart', text: '{"bars":[1' }} />,
  )
  expect(text()).toMatch(/concierge.*is writing.*displayChart.*\{"bars":\[1/)
})

test('a custom component can draw the plain form of a call', async () => {
  const Mine = (props: ToolCallProps): ReactNode => (
    <section>
      mine <PlainToolCall {...props} />
    </section>
  )
  expect((await show(call, { tools: { by_name: {}, Fallback: Mine } })).text()).toMatch(/mine .*confirmAction/)
})
