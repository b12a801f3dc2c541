import { manualClock, proves, scriptedModel } from '@holdpoint/testing'
import { agent, chat, definePlugin, Session, step, tool, type ToolContext } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { call, desk, expectSound, portsOf, toldTo, types } from '../../../../test/kit/session-kit.ts'

const weather = tool({
  name: 'weather.get',
  description: 'The weather in a city',
  input: z.object({ city: z.string() }),
  run: ({ input }) => ({ city: input.city, degrees: 17 }),
})

test(
  proves(
    'prompt.every-call-has-result',
    'log.no-gaps',
    'chat runs the calls the model asks for and comes back with its last words',
  ),
  async () => {
    const { agent, model } = desk(
      [{ text: 'Let me look.', calls: [call('weather.get', { city: 'Rome' })] }, 'It is 17 degrees.'],
      { tools: [weather] },
    )

    const result = await chat(agent, 'How warm is it in Rome?')

    expect(result).toMatchObject({
      status: 'done',
      reason: 'completed',
      text: 'It is 17 degrees.',
      holds: [],
      usage: { inputTokens: 20, outputTokens: 10 },
    })
    expect(result.steps).toMatchObject([
      {
        step: 1,
        text: 'Let me look.',
        calls: [
          { name: 'weather.get', input: { city: 'Rome' }, outcome: { ok: true, value: { city: 'Rome', degrees: 17 } } },
        ],
      },
      { step: 2, text: 'It is 17 degrees.', calls: [] },
    ])
    expect(toldTo(model)).toEqual({ weather__get: { ok: true, result: { city: 'Rome', degrees: 17 } } })
    expect(types(result.session)).toEqual([
      'turn.started',
      'model.replied',
      'call.started',
      'call.settled',
      'model.replied',
    ])
    expectSound(result.session, model)
  },
)

test('chat needs no store, no tools and no setup', async () => {
  const hello = agent({ name: 'hello', model: scriptedModel(['Hello!']) })

  expect(await chat(hello, 'Hi')).toMatchObject({ status: 'done', text: 'Hello!' })
})

test('a chat goes on in its session, and the model sees all of it', async () => {
  const { agent, model } = desk(['Ada.', 'You said Ada.'], { instructions: 'Be brief.' })

  const { session } = await chat(agent, 'My name is Ada')
  const second = await session.send('What did I say?')

  expect(second.text).toBe('You said Ada.')
  expect(second.steps).toHaveLength(1)
  expect(model.requests[1]?.prompt).toEqual([
    { role: 'system', text: 'Be brief.' },
    { role: 'user', parts: [{ type: 'text', text: 'My name is Ada' }] },
    { role: 'assistant', parts: [{ type: 'text', text: 'Ada.' }] },
    { role: 'user', parts: [{ type: 'text', text: 'What did I say?' }] },
  ])
})

test('step makes one model call, runs what it asked for, and waits to be told to go on', async () => {
  const { agent, model } = desk(
    [
      { calls: [call('weather.get', { city: 'Rome' })] },
      { calls: [call('weather.get', { city: 'Oslo' })] },
      'Both are mild.',
    ],
    { tools: [weather] },
  )

  const first = await step(agent, 'Rome and Oslo?')
  expect(first).toMatchObject({ status: 'paused', reason: 'step', steps: [{ calls: [{ outcome: { ok: true } }] }] })
  expect(model.requests).toHaveLength(1)

  const second = await first.session.step(undefined)
  expect(second).toMatchObject({ status: 'paused', steps: [{ step: 1 }, { step: 2 }] })

  const last = await second.session.step(undefined)
  expect(last).toMatchObject({ status: 'done', text: 'Both are mild.' })
  expectSound(last.session, model)
})

test('after a step, continue runs the rest of the turn', async () => {
  const { agent } = desk(
    [{ calls: [call('weather.get', { city: 'Rome' })] }, { calls: [call('weather.get', { city: 'Oslo' })] }, 'Mild.'],
    { tools: [weather] },
  )

  const { session } = await step(agent, 'Rome and Oslo?')

  expect(await session.continue()).toMatchObject({
    status: 'done',
    text: 'Mild.',
    steps: [{ step: 1 }, { step: 2 }, { step: 3 }],
  })
})

test('a handler is told whose call it is, on whose behalf it runs and in which conversation', async () => {
  const seen: ToolContext[] = []
  const look = tool({
    name: 'look',
    description: 'Look',
    input: z.object({ at: z.string().default('sky') }),
    run: (context) => void seen.push(context),
  })
  const { agent } = desk([{ calls: [call('look')] }, 'ok'], { tools: [look] })
  const session = await Session.open(agent, { id: 'c1' })

  await session.send('Look up', { scope: { user: 'ada' }, requestId: 'r-7' })

  expect(seen[0]).toMatchObject({
    input: { at: 'sky' },
    call: { name: 'look', args: {}, attempt: 1 },
    scope: { user: 'ada' },
    requestId: 'r-7',
    conversation: { id: 'c1' },
  })
  expect(seen[0]?.agent).toBe(agent)
  expect(JSON.stringify(session)).not.toContain('ada')
})

test('an error thrown by a plugin reaches the caller, and the turn can be taken up once it is mended', async () => {
  let broken = true
  const flaky = definePlugin({
    id: 'flaky',
    prepare: () => {
      if (broken) throw new Error('the plugin broke')
    },
  })
  const { agent, model } = desk(['Here I am.'], { plugins: [flaky] })
  const session = await Session.open(agent)

  await expect(session.send('Hello')).rejects.toThrow('the plugin broke')
  expect(model.requests).toHaveLength(0)
  broken = false

  expect(await session.continue()).toMatchObject({ status: 'done', text: 'Here I am.' })
  expectSound(session, model)
})

test('an error thrown by a stop condition or an encoder reaches the caller', async () => {
  const scripts = [{ calls: [call('weather.get', { city: 'Rome' })] }, 'ok']
  const stopping = desk(scripts, {
    tools: [weather],
    stopWhen: () => {
      throw new Error('no idea')
    },
  })
  const encoding = desk(scripts, {
    tools: [weather],
    encodeOutcome: () => {
      throw new Error('no words')
    },
  })

  await expect(chat(stopping.agent, 'Rome?')).rejects.toThrow('no idea')
  await expect(chat(encoding.agent, 'Rome?')).rejects.toThrow('no words')
})

test.each([
  [undefined],
  [null],
  [42],
  [{}],
  [[{ type: 'nonsense' }]],
  [[null]],
  [[{ type: 'text', text: 5 }]],
  [[{ type: 'file', mediaType: 'image/png' }]],
])(
  proves('bad-input.nothing-half-written', 'a message that is none (%j) is refused before anything is written'),
  async (content) => {
    const { agent } = desk(['never'])
    const session = await Session.open(agent)

    await expect(session.send(content as never)).rejects.toMatchObject({ code: 'config-invalid' })
    expect(session.events).toEqual([])
  },
)

test('only what belongs to a message is stored of it', async () => {
  const { session } = await chat(desk(['ok']).agent, [
    { type: 'text', text: 'Hi', hidden: 10n } as never,
    {
      type: 'file',
      mediaType: 'image/png',
      file: { kind: 'url', url: 'https://example.org/a.png', more: () => {} } as never,
      filename: 'a.png',
    },
  ])

  expect(session.events[0]).toMatchObject({
    items: [
      {
        message: {
          parts: [
            { type: 'text', text: 'Hi' },
            { type: 'file', filename: 'a.png' },
          ],
        },
      },
    ],
  })
  expect(JSON.stringify(session)).not.toMatch(/hidden|more/)
  expectSound(session)
})

test.each([[{ maxSteps: 0 }], [{ maxSteps: Number.NaN }], [{ maxSteps: '3' }], [{ whileBusy: 'wait' }], [{ by: 7 }]])(
  proves('bad-input.nothing-half-written', 'a wrong option (%j) is refused before anything is written'),
  async (options) => {
    const { agent } = desk(['never'])
    const session = await Session.open(agent)

    await expect(session.send('Hello', options as never)).rejects.toMatchObject({ code: 'config-invalid' })
    expect(session.events).toEqual([])
  },
)

test.each([
  [{ mode: 'semi' }],
  [{ onToolError: 'shrug' }],
  [{ whileBusy: 'wait' }],
  [{ maxSteps: 0 }],
  [{ maxParallel: 1.5 }],
  [{ maxTokens: -1 }],
  [{ name: '' }],
  [{ model: {} }],
])('an agent with a wrong setting (%j) cannot be made', (options) => {
  const make = (): unknown =>
    agent({ name: 'desk', model: scriptedModel([]), ports: portsOf('p', manualClock()), ...(options as object) })

  expect(make).toThrow(expect.objectContaining({ code: 'config-invalid' }))
})
