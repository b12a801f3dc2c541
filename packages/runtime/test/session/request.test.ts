/** What a caller may give with one message: tools, a policy for errors, a request id, an answer to a question. */
import { askUser, chat, Session, step, stream, tool, toolError, type OnToolError } from 'holdpoint'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { call, desk, expectSound, idOf, outcomes, saved, toldTo } from '../../../../test/kit/session-kit.ts'

const input = z.object({ city: z.string() })
const rome = call('weather', { city: 'Rome' })
const weather = tool({
  name: 'weather',
  description: 'Weather',
  input,
  run: ({ input: { city } }) => `mild in ${city}`,
})
const bare = tool({ name: 'weather', description: 'Weather', input })

describe('mode manual', () => {
  test('needs no `run`: every call is handed to the caller, whose results the model reads', async () => {
    const { agent, model } = desk([{ calls: [rome] }, 'Mild.'], { tools: [bare], mode: 'manual' })
    const stopped = await chat(agent, 'Weather?')
    expect(stopped).toMatchObject({
      status: 'held',
      reason: 'tool_calls',
      holds: [{ name: 'weather', cause: 'manual' }],
    })
    await stopped.session.submitToolResult(idOf(stopped.session, 'weather'), 'mild')
    expect(await stopped.session.continue()).toMatchObject({ status: 'done', text: 'Mild.' })
    expect(toldTo(model)).toEqual({ weather: { ok: true, result: 'mild' } })
    expectSound(stopped.session, model)
  })

  test('a tool without `run` is refused by an agent that is to run its tools', () => {
    expect(() => desk([], { tools: [bare] })).toThrow(
      /the tool "weather" has nothing to run\. Add "run".*mode "manual"/,
    )
  })
})

describe('tools of one request', () => {
  test.each([
    ['chat', chat],
    ['stream', (...given: Parameters<typeof stream>) => stream(...given).result],
  ] as const)('%s: they are there for this turn, besides the agent’s, and gone in the next', async (_name, begin) => {
    const other = tool({ name: 'other', description: 'x', input: z.object({}), run: () => 1 })
    const { agent, model } = desk([{ calls: [rome] }, 'Mild.', 'Bye.'], { tools: [other] })
    const { session } = await begin(agent, 'Weather?', { tools: [weather] })
    await session.send('Bye')
    expect(outcomes(session)['weather']).toEqual({ ok: true, value: 'mild in Rome' })
    expect(model.requests.map(({ tools }) => tools.map(({ name }) => name))).toEqual([
      ['other', 'weather'],
      ['other', 'weather'],
      ['other'],
    ])
  })

  test('a session remembers them while the turn waits, step by step and for an answer', async () => {
    const sure = tool({ name: 'sure', description: 'x', executor: 'human', input: z.object({}), output: z.boolean() })
    const { agent } = desk([{ calls: [rome] }, { calls: [call('sure')] }, 'Done.'])
    const { session } = await step(agent, 'Go', { tools: [weather, sure] })
    await session.step()
    expect(await session.answer(idOf(session, 'sure'), true)).toMatchObject({ verdict: 'accepted' })
    expect(await session.continue()).toMatchObject({ status: 'done', text: 'Done.' })
  })

  test('a session that is opened again is given them when it is opened', async () => {
    const pay = tool({ name: 'pay', description: 'x', input: z.object({}), approval: 'required', run: () => 'paid' })
    const { agent } = desk([{ calls: [call('pay')] }, 'Paid.'])
    const { session } = await chat(agent, 'Pay', { tools: [pay] })
    const opened = await Session.open(agent, { ...saved(session), tools: [pay] })
    await opened.approve(idOf(opened, 'pay'))
    expect(await opened.continue()).toMatchObject({ status: 'done' })
    expect(outcomes(opened)['pay']).toEqual({ ok: true, value: 'paid' })
  })

  test('a name that the agent has already is refused, and nothing is written', async () => {
    const { agent, model } = desk(['x'], { tools: [weather] })
    await expect(chat(agent, 'Weather?', { tools: [bare] })).rejects.toThrow('two tools named "weather"')
    expect(model.requests).toEqual([])
  })
})

describe('unknown options', () => {
  test.each([
    ['a misspelt one', { maxStep: 3 }, 'There is no option "maxStep" here. It takes scope, requestId, trace, signal,'],
    ['one of a tool', { approval: 'required' }, 'There is no option "approval" here.'],
    ['tools that are none', { tools: [{ name: 'x' }] }, '"tools" must be a list of tools, as tool() makes them.'],
    [
      'a policy that is none',
      { onToolError: 'stop' },
      '"onToolError" must be continue, halt or a function, not "stop".',
    ],
    ['a request id that is no text', { requestId: 7 }, '"requestId" must be a string, not 7.'],
  ])('%s is refused, wherever something is said', async (_what, options, message) => {
    const { agent, model } = desk([])
    const session = Session.begin(agent)
    const given = options as never
    await expect(chat(agent, 'Hello', given)).rejects.toThrow(message)
    await expect(step(agent, 'Hello', given)).rejects.toThrow(message)
    await expect(stream(agent, 'Hello', given).result).rejects.toThrow(message)
    await expect(session.continue(given)).rejects.toThrow(message)
    expect(model.requests).toEqual([])
  })

  test('so it is with an answer, and with what a session is opened from', async () => {
    const { agent } = desk([{ calls: [rome] }], { tools: [bare], mode: 'manual' })
    const { session } = await chat(agent, 'Weather?')
    await expect(session.answer(idOf(session, 'weather'), 1, { who: 'ada' } as never)).rejects.toThrow(
      'There is no option "who" here. It takes hold, by, kinds, scope.',
    )
    await expect(Session.open(agent, { events: [] } as never)).rejects.toThrow('There is no option "events" here.')
  })
})

describe('onToolError', () => {
  const fails = tool({ name: 'fails', description: 'x', input, run: () => toolError('out of stock') })

  test('of one request counts in place of the agent’s, and sees what the tool was called with', async () => {
    const seen: unknown[] = []
    const onToolError: OnToolError = (failed, error) => (seen.push(failed, error.message), 'halt')
    const script = { calls: [call('fails', { city: 'Rome' })] }
    const { agent } = desk([script, script, 'Pity.'], { tools: [fails] })
    const halted = await chat(agent, 'Go', { onToolError })
    expect(halted).toMatchObject({ status: 'stopped', reason: 'tool_error', message: 'out of stock' })
    expect(seen).toEqual([{ id: expect.any(String), name: 'fails', input: { city: 'Rome' } }, 'out of stock'])
    expect(await halted.session.send('Again')).toMatchObject({ status: 'done', text: 'Pity.' }) // the agent's again
  })

  const outside = [
    ['a client tool', tool({ name: 'x', description: 'x', input, executor: 'client' })],
    ['an external tool', tool({ name: 'x', description: 'x', input, executor: 'external' })],
    ['a manual tool', tool({ name: 'x', description: 'x', input, manual: true })],
    [
      'an approved external tool',
      tool({ name: 'x', description: 'x', input, executor: 'external', approval: 'required' }),
    ],
  ] as const

  test.each(outside)('%s that its executor reports as failed ends the turn', async (what, x) => {
    for (const where of ['agent', 'request'] as const) {
      const seen: unknown[] = []
      const onToolError: OnToolError = (failed, error) => (seen.push(failed, error), 'halt')
      const { agent, model } = desk([{ calls: [call('x', { city: 'Rome' })] }, 'not said'], {
        tools: [x],
        ...(where === 'agent' && { onToolError }),
      })
      const { session } = await chat(agent, 'Go', where === 'request' ? { onToolError } : {})
      if (what.includes('approved')) await session.approve(idOf(session, 'x'))
      await session.fail(idOf(session, 'x'), 'printer on fire')
      expect(await session.continue()).toMatchObject({
        status: 'stopped',
        reason: 'tool_error',
        message: 'printer on fire',
      })
      expect(seen).toEqual([
        { id: expect.any(String), name: 'x', input: { city: 'Rome' } },
        { code: 'failed', message: 'printer on fire' },
      ])
      expect(model.requests).toHaveLength(1)
      expectSound(session, model)
    }
  })

  test('a client or a service that does not answer in time has failed; a person who does not approve has not', async () => {
    const late = tool({ name: 'late', description: 'x', input: z.object({}), executor: 'external', timeout: '1 s' })
    const pay = tool({
      name: 'pay',
      description: 'x',
      input: z.object({}),
      approval: 'required',
      approvalTimeout: '1 s',
      run: () => 1,
    })
    const ends = async (made: typeof late | typeof pay) => {
      const { agent, clock } = desk([{ calls: [call(made.name)] }, 'went on'], { tools: [made], onToolError: 'halt' })
      const { session } = await chat(agent, 'Go')
      await clock.advance(1000)
      return (await session.continue()).reason
    }
    expect([await ends(late), await ends(pay)]).toEqual(['tool_error', 'completed'])
  })

  test('a turn that ended so can be taken up again, and the model reads the error', async () => {
    const { agent, model } = desk([{ calls: [call('x', { city: 'Rome' })] }, 'I see.'], {
      tools: [outside[1][1]],
      onToolError: 'halt',
    })
    const { session } = await chat(agent, 'Go')
    await session.fail(idOf(session, 'x'), 'printer on fire')
    await session.continue()
    expect(await session.continue()).toMatchObject({ status: 'done', text: 'I see.' })
    expect(toldTo(model)).toMatchObject({ x: { ok: false, error: { message: 'printer on fire' } } })
  })
})

describe('a message with whileBusy `answer`', () => {
  const asks = tool({ name: 'paint', description: 'x', input: z.object({}), run: () => askUser('Which colour?') })
  const painting = { calls: [call('paint')] }

  test('answers the question that a tool asked, and the turn goes on', async () => {
    const { agent, model } = desk([painting, 'Red it is.'], { tools: [asks] })
    const { session } = await chat(agent, 'Paint')
    expect(await session.send('red', { whileBusy: 'answer', by: 'ada' })).toMatchObject({
      status: 'done',
      text: 'Red it is.',
    })
    expect(toldTo(model)).toEqual({ paint: { ok: true, result: 'red' } })
    expect(session.events.find(({ type }) => type === 'call.settled')).toMatchObject({ by: 'ada' })
    expectSound(session, model)
  })

  test('is an ordinary message when no question is open', async () => {
    const { agent } = desk(['Hello.', painting], { tools: [asks] })
    const session = Session.begin(agent)
    expect(await session.send('Hi', { whileBusy: 'answer' })).toMatchObject({ status: 'done', text: 'Hello.' })
  })

  test('never approves: it is refused while a call waits for a yes, or as the agent says', async () => {
    const pay = tool({ name: 'pay', description: 'x', input: z.object({}), approval: 'required', run: () => 'paid' })
    const { agent } = desk([{ calls: [call('pay')] }], { tools: [pay] })
    const { session } = await chat(agent, 'Pay')
    expect(await session.send('yes', { whileBusy: 'answer' })).toMatchObject({
      status: 'refused',
      reason: 'turn-in-progress',
    })
    expect(session.holds).toHaveLength(1)
  })

  test('that does not fit is refused with the reason, and the question stays open', async () => {
    const age = tool({ name: 'paint', description: 'x', executor: 'human', input: z.object({}), output: z.number() })
    const { agent } = desk([painting], { tools: [age] })
    const { session } = await chat(agent, 'Paint')
    const picture = {
      type: 'file',
      mediaType: 'image/png',
      file: { kind: 'url', url: 'https://a.example/x.png' },
    } as const
    for (const content of ['many', [picture]])
      expect(await session.send(content, { whileBusy: 'answer' })).toMatchObject({
        status: 'refused',
        reason: 'turn-in-progress',
        message: expect.stringContaining('The message does not answer the open question.'),
      })
    expect(session.holds).toHaveLength(1)
  })

  test('that is sent again under its key is taken once', async () => {
    const { agent } = desk([painting, 'Red it is.', 'not said'], { tools: [asks] })
    const { session } = await chat(agent, 'Paint')
    const again = { whileBusy: 'answer', key: 'm-2' } as const
    const first = await session.send('red', again)
    const second = await session.send('red', again)
    expect([first, second]).toMatchObject([{ text: 'Red it is.' }, { status: 'done', text: 'Red it is.' }])
    expect(await session.send('blue', again)).toMatchObject({ status: 'refused', reason: 'key-reused' })
  })
})

test('a request id of our own is there when the caller gives none: one for the whole request', async () => {
  const seen: string[] = []
  const trace = tool({
    name: 'trace',
    description: 'x',
    input: z.object({}),
    run: ({ requestId }) => void seen.push(requestId),
  })
  const twice = { calls: [call('trace'), call('trace')] }
  const { agent } = desk([twice, twice, 'ok', twice, 'ok', twice, 'ok'], { tools: [trace] })
  const { session } = await chat(agent, 'Go')
  await session.send('Go')
  await session.send('Go', { requestId: 'mine' })
  expect(seen).toHaveLength(8)
  expect(seen.every((id) => typeof id === 'string' && id !== '')).toBe(true)
  expect([new Set(seen.slice(0, 4)).size, new Set(seen.slice(4, 6)).size, seen.slice(6)]).toEqual([
    1,
    1,
    ['mine', 'mine'],
  ])
  expect(seen[0]).not.toBe(seen[4])
})
