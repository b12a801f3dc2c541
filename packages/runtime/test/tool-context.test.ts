/** What a handler is handed besides its input, and what of it is never written down. */
import {
  definePlugin,
  Services,
  systemScope,
  toolDefiner,
  type Scope,
  type Tool,
  type ToolContext,
} from '@holdpoint/core'
import { chat, Session, type StreamItem } from '@holdpoint/runtime'
import { proves } from '@holdpoint/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { call, desk, saved, until } from '../../../test/kit/session-kit.ts'

const tool = toolDefiner(undefined)
const nothing = z.object({})
const note = {
  name: 'note.add',
  description: 'Add a note',
  input: z.object({ text: z.string().trim(), stars: z.number().default(3) }),
}
const noting = { calls: [call('note.add', { text: ' hi ' })] }

/** A tool that keeps the contexts it was called with. */
function spy(options: { approval?: 'required'; executor?: 'server' } = {}): { made: Tool; contexts: ToolContext[] } {
  const contexts: ToolContext[] = []
  return { contexts, made: tool({ ...note, ...options, run: (context) => void contexts.push(context) }) }
}

describe('a handler is handed', () => {
  test('its checked input, and the call as the model wrote it', async () => {
    const { made, contexts } = spy()
    const { session } = await chat(desk([noting, 'done'], { tools: [made] }).agent, 'go')
    const started = session.events.find((event) => event.type === 'call.started')
    expect(contexts).toMatchObject([
      {
        input: { text: 'hi', stars: 3 },
        call: { id: started?.callId, name: 'note.add', args: { text: ' hi ' }, attempt: 1 },
      },
    ])
  })

  test('the conversation, the turn and the request it belongs to', async () => {
    const { made, contexts } = spy()
    const { agent } = desk([noting, 'done', noting, 'done'], { tools: [made] })
    const { session } = await chat(agent, 'go', { requestId: 'req-1' })
    await session.send('again')

    const turns = session.events.flatMap((event) => (event.type === 'turn.started' ? [event.turnId] : []))
    expect(turns).toHaveLength(2)
    expect(contexts.map(({ conversation }) => conversation)).toEqual(
      turns.map((turnId) => ({ tenant: '', id: session.id, turnId })),
    )
    expect(contexts.map(({ requestId }) => requestId)).toEqual(['req-1', expect.any(String)])
  })

  test('the agent and its services', async () => {
    const { made, contexts } = spy()
    const services = new Services()
    const { agent } = desk([noting, 'done'], { tools: [made], services })
    await chat(agent, 'go')
    expect(contexts[0]?.agent).toBe(agent)
    expect(contexts[0]?.services).toBe(services)
  })

  test('the state of plugins', async () => {
    const mood = definePlugin({ id: 'mood', state: z.string(), initial: 'calm' })
    const seen: unknown[] = []
    const feel = tool({
      name: 'feel',
      description: 'x',
      input: nothing,
      run: ({ state }) => void seen.push(state.get(mood)),
    })
    await chat(desk([{ calls: [call('feel')] }, 'done'], { tools: [feel], plugins: [mood] }).agent, 'go')
    expect(seen).toEqual(['calm'])
  })

  test(
    proves('call.same-id-on-retry', 'the same call id at the next attempt, when the process died in the middle'),
    async () => {
      const attempts: unknown[] = []
      const hanging = tool({ ...note, run: () => new Promise<never>(() => {}) })
      const dying = await Session.open(desk([noting], { tools: [hanging] }).agent)
      void dying.send('go')
      await until(() => dying.events.some(({ type }) => type === 'call.started'))

      const again = tool({ ...note, run: ({ call: { id, attempt } }) => void attempts.push({ id, attempt }) })
      const reopened = await Session.open(desk(['done'], { tools: [again], process: 'q' }).agent, saved(dying))
      await reopened.continue()

      const started = dying.events.find((event) => event.type === 'call.started')
      expect(attempts).toEqual([{ id: started?.callId, attempt: 2 }])
    },
  )
})

describe('the scope', () => {
  const secret = 's3cr3t-handle'
  const scope: Scope = { user: 'ada', db: { token: secret } }

  test('is the very object of the entry call, for the gate and the handler alike', async () => {
    const scopes: Scope[] = []
    const gated = tool({
      ...note,
      approval: (context) => (scopes.push(context.scope), { required: false }),
      run: (context) => void scopes.push(context.scope),
    })
    await chat(desk([noting, 'done'], { tools: [gated] }).agent, 'go', { scope })
    expect(scopes).toHaveLength(2)
    for (const each of scopes) expect(each).toBe(scope)
  })

  test('is that of the call that goes on, not of the one that began', async () => {
    const { made, contexts } = spy({ approval: 'required' })
    const { agent } = desk([noting, 'done'], { tools: [made] })
    const { session, holds } = await chat(agent, 'go', { scope: { user: 'ada' } })
    await session.approve(holds[0]?.callId ?? '')
    await session.continue({ scope: { user: 'boss' } })
    expect(contexts.map((context) => context.scope)).toEqual([{ user: 'boss' }])
  })

  test('is empty by default: a forgotten scope never has the rights of the system', async () => {
    const { made, contexts } = spy()
    await chat(desk([noting, 'done'], { tools: [made] }).agent, 'go')
    expect(contexts[0]?.scope).toEqual({})
    expect(Object.isFrozen(systemScope) && systemScope).toEqual({ system: true })
  })

  test('is never written down: not in the session, its events, its frames or what the model reads', async () => {
    const { made } = spy()
    const ask = tool({ name: 'ask', description: 'x', executor: 'human', input: nothing })
    const plugin = definePlugin({ id: 'p', prepare: () => {} })
    const { agent, model } = desk([noting, { calls: [call('ask')] }], { tools: [made, ask], plugins: [plugin] })
    const session = await Session.open(agent)
    const items: StreamItem[] = []
    for await (const item of session.stream('go', { scope, requestId: secret })) items.push(item)

    expect(session.holds).toHaveLength(1)
    expect(JSON.stringify(session)).not.toContain(secret)
    expect(JSON.stringify(items)).not.toContain(secret)
    expect(JSON.stringify(model.requests)).not.toContain(secret)
  })
})

describe('the signal', () => {
  async function running(timeout?: string) {
    const reached = Promise.withResolvers<AbortSignal>()
    const slow = tool({
      ...note,
      ...(timeout !== undefined && { timeout }),
      run: ({ signal }) => {
        reached.resolve(signal)
        return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      },
    })
    const { agent, clock } = desk([noting, 'done'], { tools: [slow] })
    const session = await Session.open(agent)
    const turn = session.send('go')
    return { session, turn, clock, signal: await reached.promise }
  }

  test('aborts when the turn is cancelled', async () => {
    const { session, turn, signal } = await running()
    expect(signal.aborted).toBe(false)
    await session.cancel()
    expect(await turn).toMatchObject({ status: 'stopped', reason: 'cancelled' })
    expect(signal.aborted).toBe(true)
  })

  test('aborts when the call’s time is up, and says so', async () => {
    const { turn, clock, signal } = await running('5 seconds')
    await clock.advance(4999)
    expect(signal.aborted).toBe(false)
    await clock.advance(1)
    expect(signal.aborted).toBe(true)
    expect(signal.reason).toMatchObject({ message: '"note.add" took longer than 5000 ms' })
    expect((await turn).steps[0]?.calls[0]?.outcome).toMatchObject({ error: { code: 'timed-out' } })
  })
})

test('progress is shown live, between the start and the end of the call, and never stored', async () => {
  const working = tool({
    ...note,
    streaming: true,
    run: async ({ progress }) => {
      progress(0.5)
      await Promise.resolve()
      progress({ done: 'all' })
      return 'ok'
    },
  })
  const session = await Session.open(desk([noting, 'done'], { tools: [working] }).agent)
  const shown: unknown[] = []
  for await (const item of session.stream('go')) {
    if (item.type === 'call-progress') shown.push(item.value)
    if (item.type === 'call.started' || item.type === 'call.settled') shown.push(item.type)
  }
  expect(shown).toEqual(['call.started', 0.5, { done: 'all' }, 'call.settled'])
  expect(JSON.stringify(session)).not.toContain('progress')
})
