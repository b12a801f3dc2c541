/** A tool that is not visible is silent in a conversation: its calls are in the log, and not among the messages. */
import { messagesOf, turnsOf, viewOf, type View, type ViewMessage } from '@holdpoint/core'
import type { StreamItem } from '@holdpoint/runtime'
import { chat, stream, tool, type Tool } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { call as calls, desk } from '../../../../test/kit/session-kit.ts'
import { World } from '../../../../test/kit/runtime-kit.ts'

const common = { description: 'A tool', input: z.object({}).loose() } as const
const note = tool({ ...common, name: 'note', visible: false, run: () => 'noted' })
const says = [{ text: 'One moment.', calls: [calls('note')] }, 'Done.']

function callsIn(messages: readonly ViewMessage[]): readonly string[] {
  return messages.flatMap((message) =>
    message.role === 'assistant'
      ? message.parts.flatMap((part) => (part.type === 'call' ? [`${part.call.name} ${part.call.state}`] : []))
      : [],
  )
}

const everything = (view: View): readonly string[] =>
  turnsOf(view).flatMap(({ steps }) => steps.flatMap((step) => step.calls.map(({ name }) => name)))

async function asked(made: Tool) {
  const { agent, clock } = desk([{ calls: [calls(made.name)] }, 'Done.', 'I see.'], { tools: [made] })
  const { session, holds } = await chat(agent, 'Go')
  const shown = (): readonly string[] => callsIn(messagesOf(viewOf(session.events)))
  return { session, clock, callId: holds[0]?.callId ?? '', shown, messages: () => messagesOf(viewOf(session.events)) }
}

test('its call and its result are left out of the messages, and stay in the log and its turns', async () => {
  const { agent } = desk(says, { tools: [note] })
  const { session } = await chat(agent, 'Go')
  const view = viewOf(session.events)
  expect(messagesOf(view).at(-1)).toMatchObject({
    parts: [
      { type: 'text', text: 'One moment.' },
      { type: 'text', text: 'Done.' },
    ],
  })
  expect(everything(view)).toEqual(['note'])
  expect(turnsOf(view)[0]?.steps[0]?.calls).toMatchObject([{ silent: true, outcome: { ok: true, value: 'noted' } }])
})

test('no frame shows its arguments while they are written', async () => {
  const shown = async (made: Tool): Promise<readonly string[]> => {
    const { agent } = desk([{ calls: [calls('note', { secret: 1 })] }, 'Done.'], { tools: [made] })
    const seen = await Array.fromAsync(stream(agent, 'Go'))
    return seen.flatMap((item: StreamItem) => (!('seq' in item) && 'name' in item ? [item.type] : []))
  }
  expect(await shown(note)).toEqual([])
  expect(await shown({ ...note, visible: true })).toEqual(['call-input', 'reply-call'])
})

test('a worker that carries it out is not shown', async () => {
  const { session, callId, shown } = await asked(
    tool({ ...common, name: 'find', visible: false, executor: 'external' }),
  )
  expect(shown()).toEqual([])
  await session.answer(callId, 1)
  await session.continue()
  expect(shown()).toEqual([])
})

test('a person who must approve it is shown it, also after they did', async () => {
  const { session, callId, shown } = await asked({ ...note, gate: () => ({ required: true }) })
  expect(shown()).toEqual(['note held'])
  await session.approve(callId)
  await session.continue()
  expect(shown()).toEqual(['note settled'])
})

test('a question to a person is shown, also when the deadline passed', async () => {
  const { session, clock, shown } = await asked(tool({ ...common, name: 'ask', visible: false, executor: 'human' }))
  expect(shown()).toEqual(['ask held'])
  await clock.advance(7 * 86_400_000)
  await session.continue()
  expect(shown()).toEqual(['ask settled'])
})

test.each([true, false])('an answer that comes later is a message where its tool is visible: %s', async (visible) => {
  const later = { ...common, name: 'later', executor: 'external', async: true, visible } as const
  const { session, callId, messages } = await asked(tool(later))
  await session.answer(callId, 'here')
  await session.continue()
  const roles = messages().map(({ role }) => role)
  expect(roles).toEqual(visible ? ['user', 'assistant', 'answer', 'assistant'] : ['user', 'assistant', 'assistant'])
})

test('a call that the vendor of the model carries out is silent too', async () => {
  const search = { name: 'web', executor: 'provider', id: 'vendor.search' } as const
  const parts = async (visible: boolean): Promise<readonly string[]> => {
    const model = {
      id: 'm',
      async *stream() {
        yield { type: 'call', id: 'w1', name: 'web', input: '{}', byProvider: true } as const
        yield { type: 'provider-result', id: 'w1', name: 'web', result: 1 } as const
        yield { type: 'text', id: 't', delta: 'Found.' } as const
        yield { type: 'finish', reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } } as const
      },
    }
    const { agent } = desk([], { model, tools: [tool({ ...search, visible })] })
    const last = messagesOf(viewOf((await chat(agent, 'Go')).session.events)).at(-1)
    return last?.role === 'assistant' ? last.parts.map(({ type }) => type) : []
  }
  expect(await parts(true)).toEqual(['provider-call', 'provider-result', 'text'])
  expect(await parts(false)).toEqual(['text'])
})

test('the log of an autonomous agent shows all its calls: there, visible is about spaces', async () => {
  const world = new World()
  const one = await world.process('one', { tools: [note], says: [{ calls: [{ name: 'note' }] }, 'Done.'] })
  await one.runtime.agents.trigger('desk', { name: 'go' })
  await world.until(async () => (await world.log('agent:desk')).some(({ type }) => type === 'call.settled'))
  expect(callsIn(messagesOf(viewOf(await world.log('agent:desk'))))).toEqual(['note settled'])
})
