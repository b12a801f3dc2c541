/** A visible call, as subscribers of the space see it. */
import { isSpaceFrame, type Model, type ModelPart } from '@holdpoint/core'
import type { StreamItem } from '@holdpoint/runtime'
import { applySpaceEvent, applySpaceFrame, emptySpaceView } from '@holdpoint/spaces'
import { tool } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { World } from '../../../test/kit/runtime-kit.ts'

const finish: ModelPart = { type: 'finish', reason: 'calls', usage: { inputTokens: 1, outputTokens: 1 } }
const enter: readonly ModelPart[] = [
  { type: 'call-input', id: 'e', name: 'enter_space', delta: '{"space":"trip"}' },
  { type: 'call', id: 'e', name: 'enter_space', input: '{"space":"trip"}' },
]
const chart = tool({
  name: 'chart',
  description: 'Draws',
  input: z.object({}).loose(),
  streaming: true,
  run: ({ input }) => input,
})
const fails = tool({
  name: 'fails',
  description: 'Fails',
  input: z.object({}).loose(),
  run: () => Promise.reject(new Error('no ink')),
})

/** What a subscriber of the space hears when an agent there says this in one reply. */
async function heard(parts: readonly ModelPart[]): Promise<readonly StreamItem[]> {
  const world = new World()
  const model: Model = {
    id: 'm',
    async *stream({ prompt }) {
      if (prompt.at(-1)?.role !== 'tool') yield* parts
      yield finish
    },
  }
  const one = await world.process('one', { tools: [chart, fails], agent: { model } })
  const by = { kind: 'human', id: 'ada' } as const
  const members = [{ member: { kind: 'agent', id: 'desk' } as const }]
  await one.runtime.spaces.create({ id: 'trip', name: 'Trip', by, members })
  const items: StreamItem[] = []
  void (async () => {
    for await (const item of one.runtime.subscribe('trip')) items.push(item)
  })()
  await one.runtime.agents.trigger('desk', { name: 'go' })
  await world.until(async () => items.some(({ type }) => type === 'agent.rested'))
  return items
}

const callsOf = (items: readonly StreamItem[]): readonly string[] =>
  items.flatMap((item) => ('toolCallId' in item ? [`${item.type} ${item.toolCallId.replace(/^[^.]+\./, '')}`] : []))
/** Each kind once: the event of a start says again, with the whole input, what the frame said. */
const inOrder = (items: readonly StreamItem[]): readonly string[] => [...new Set(callsOf(items))]

test('its events come as started, streaming, done, each with the id of the call', async () => {
  const items = await heard([
    ...enter,
    { type: 'call-input', id: 'c', name: 'chart', delta: '{"bars":' },
    { type: 'call-input', id: 'c', delta: '[1,2]}' },
    { type: 'call', id: 'c', name: 'chart', input: '{"bars":[1,2]}' },
  ])
  expect(inOrder(items)).toEqual(['tool.started 1.2', 'tool.streaming 1.2', 'tool.done 1.2'])
  const calls = items.filter((item) => 'toolCallId' in item)
  expect(calls).toMatchObject([
    { type: 'tool.started', name: 'chart', status: 'writing' },
    { type: 'tool.streaming', name: 'chart', at: 0, delta: '{"bars":' },
    { type: 'tool.streaming', name: 'chart', at: 8, delta: '[1,2]}' },
    { type: 'tool.started', name: 'chart', status: 'running', input: { bars: [1, 2] }, seq: expect.any(Number) },
    { type: 'tool.done', output: { bars: [1, 2] }, seq: expect.any(Number) },
  ])
})

test('one that fails ends with an error, under the same id', async () => {
  const items = await heard([
    ...enter,
    { type: 'call-input', id: 'c', name: 'fails', delta: '{}' },
    { type: 'call', id: 'c', name: 'fails', input: '{}' },
  ])
  expect(inOrder(items)).toEqual(['tool.started 1.2', 'tool.streaming 1.2', 'tool.error 1.2'])
})

test('calls that are written at the same time each have their own id from the start, whichever is whole first', async () => {
  const items = await heard([
    ...enter,
    { type: 'call-input', id: 'a', name: 'chart', delta: '{"n":' },
    { type: 'call-input', id: 'b', name: 'chart', delta: '{"n":2' },
    { type: 'call-input', id: 'b', delta: '}' },
    { type: 'call', id: 'b', name: 'chart', input: '{"n":2}' },
    { type: 'call-input', id: 'a', delta: '1}' },
    { type: 'call', id: 'a', name: 'chart', input: '{"n":1}' },
  ])
  const outputs = Object.fromEntries(
    items.flatMap((item) => (item.type === 'tool.done' ? [[item.toolCallId.at(-1), item.output]] : [])),
  )
  expect(outputs).toEqual({ 2: { n: 1 }, 3: { n: 2 } })
  for (const id of ['1.2', '1.3'])
    expect(inOrder(items).filter((each) => each.endsWith(id))).toEqual([
      `tool.started ${id}`,
      `tool.streaming ${id}`,
      `tool.done ${id}`,
    ])
})

test('a view that follows shows the call as it is written, then the call itself, and never both', async () => {
  const items = await heard([
    ...enter,
    { type: 'call-input', id: 'c', name: 'chart', delta: '' },
    { type: 'call-input', id: 'c', delta: '{}' },
    { type: 'call', id: 'c', name: 'chart', input: '{}' },
  ])
  const shown: string[] = []
  let view = emptySpaceView
  for (const item of items) {
    if (!('seq' in item)) view = isSpaceFrame(item) ? applySpaceFrame(view, item) : view
    else view = applySpaceEvent(view, item as Parameters<typeof applySpaceEvent>[1])
    const call = view.messages.find(({ kind }) => kind === 'tool')
    const now = [...view.writing.map(({ text }) => `writing ${text}`), ...(call?.kind === 'tool' ? [call.status] : [])]
    if (now.join(' and ') !== shown.at(-1)) shown.push(now.join(' and '))
  }
  expect(shown).toEqual(['', 'writing ', 'writing {}', 'running', 'complete'])
  expect(view.messages).toMatchObject([{ kind: 'tool', name: 'chart', streaming: true }])
})

test('what asks the people in the space says what they need to answer it; an approval does not', async () => {
  const world = new World()
  const output = z.object({ confirmed: z.boolean() })
  const asks = { description: 'Asks', input: z.object({}).loose(), output, timeout: '1 hour' } as const
  const one = await world.process('one', {
    tools: [
      tool({ ...asks, name: 'form', executor: 'human' }),
      tool({ ...asks, name: 'dialog', executor: 'client', grace: '1 hour' }),
      tool({ ...asks, name: 'gated', executor: 'client', approval: 'required' }),
      tool({ ...asks, name: 'job', executor: 'external' }),
    ],
    says: [
      {
        calls: [
          { name: 'enter_space', input: { space: 'trip' } },
          ...['form', 'dialog', 'gated', 'job'].map((name) => ({ name })),
        ],
      },
    ],
  })
  const members = [{ member: { kind: 'agent', id: 'desk' } as const }]
  await one.runtime.spaces.create({ id: 'trip', name: 'Trip', by: { kind: 'human', id: 'ada' }, members })
  await one.runtime.agents.trigger('desk', { name: 'go' })
  const holds = async (): Promise<Record<string, unknown>> =>
    Object.fromEntries(
      ((await one.runtime.spaces.view('trip'))?.messages ?? []).flatMap((message) =>
        message.kind === 'tool' ? [[message.name, message.hold]] : [],
      ),
    )
  await world.until(async () => Object.keys(await holds()).length === 4)
  const expiresAt = expect.any(Number)
  const answerSchema = expect.objectContaining({ required: ['confirmed'] })
  expect(await holds()).toEqual({
    form: { kind: 'elicitation', nth: 1, expiresAt, answerSchema },
    dialog: { kind: 'client', nth: 1, expiresAt, answerSchema },
    gated: { kind: 'approval', nth: 1 },
    job: { kind: 'external', nth: 1 },
  })
  const { items } = await one.runtime.pending({ tool: 'gated' })
  await one.runtime.approve('agent:desk', items[0]?.callId ?? '')
  await world.until(async () => JSON.stringify((await holds())['gated']).includes('client'))
  expect((await holds())['gated']).toEqual({ kind: 'client', nth: 2, expiresAt, answerSchema })
})
