import { proves } from '@holdpoint/testing'
import { chat, tool, type ModelPart } from 'holdpoint'
import type { Finish } from '@holdpoint/core'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { call, desk, expectSound, outcomes, toldTo } from '../../../../test/kit/session-kit.ts'

const ran: unknown[] = []
const echo = tool({
  name: 'notes.add',
  description: 'Notes',
  input: z.object({ text: z.string().optional() }),
  run: ({ input, call: { id } }) => (ran.push(id), input),
})
const search = tool({ name: 'web', executor: 'provider', id: 'vendor.web_search' })
const tools = [echo, search]
const usage = { inputTokens: 1, outputTokens: 1 }
const finish = (reason: Finish = 'calls'): ModelPart => ({ type: 'finish', reason, usage })
const say = (delta: string): ModelPart => ({ type: 'text', id: 't', delta })
const ask = (id: string, input = '{}', name = 'notes__add'): ModelPart => ({ type: 'call', id, name, input })

test.each([
  ['not JSON', '{"text": "a'],
  ['a number', '42'],
  ['null', 'null'],
  ['a list', '[{"text": "a"}]'],
  ['a string', '"text"'],
  ['deeper than can be stored', `{"text":${'['.repeat(5000)}${']'.repeat(5000)}}`],
  ['a number beyond all numbers', '{"text": 1e999}'],
  ['two objects', '{} {}'],
])('arguments that are %s are an error the model can mend', async (_what, raw) => {
  ran.length = 0
  const { agent, model } = desk(
    [{ calls: [{ name: 'notes.add', raw }] }, { calls: [call('notes.add', { text: 'better' })] }, 'Noted.'],
    { tools },
  )

  const result = await chat(agent, 'Note')

  expect(result).toMatchObject({ status: 'done', text: 'Noted.' })
  expect(result.steps[0]?.calls[0]?.outcome).toMatchObject({ ok: false, error: { code: 'invalid-input' } })
  expect(ran).toHaveLength(1)
  expectSound(result.session, model)
})

test('no arguments at all are an empty object', async () => {
  const { agent } = desk([{ calls: [{ name: 'notes.add', raw: ' ' }] }, 'ok'], { tools })

  expect((await chat(agent, 'Note')).steps[0]?.calls[0]?.outcome).toEqual({ ok: true, value: {} })
})

test('huge arguments pass, and of huge nonsense only the beginning is kept', async () => {
  const long = 'x'.repeat(1_000_000)
  const { agent } = desk(
    [{ calls: [call('notes.add', { text: long }), { name: 'notes.add', raw: `{${long}` }] }, 'ok'],
    { tools },
  )

  const { session, steps } = await chat(agent, 'Note')

  expect(steps[0]?.calls[0]?.outcome).toEqual({ ok: true, value: { text: long } })
  expect(JSON.stringify(steps[0]?.calls[1]).length).toBeLessThan(5000)
  expectSound(session)
})

test('arguments named after parts of every object do no harm', async () => {
  const raw = '{"__proto__": {"admin": true}, "constructor": 1, "text": "a"}'
  const { agent } = desk([{ calls: [{ name: 'notes.add', raw }] }, 'ok'], { tools })

  const { steps, session } = await chat(agent, 'Note')

  expect(steps[0]?.calls[0]?.outcome).toMatchObject({ ok: true, value: { text: 'a' } })
  expect(({} as { admin?: boolean }).admin).toBeUndefined()
  expectSound(session)
})

test.each(['delete_everything', 'notes.remove', '', '../../etc', 'x'.repeat(500), '🙂'])(
  'an unknown tool (%s) is an error the model reads',
  async (name) => {
    const { agent, model } = desk([[ask('c1', '{}', name), finish()], 'I see.'], { tools })

    const result = await chat(agent, 'Go')

    expect(result).toMatchObject({
      status: 'done',
      steps: [{ calls: [{ outcome: { ok: false, error: { code: 'unknown-tool' } } }] }, {}],
    })
    expectSound(result.session, model)
  },
)

test(
  proves(
    'call.one-outcome',
    'prompt.every-call-has-result',
    'repeated call ids, in one reply and across replies, are different calls with an outcome each',
  ),
  async () => {
    ran.length = 0
    const { agent, model } = desk(
      [
        [ask('same', '{"text":"1"}'), ask('same', '{"text":"2"}'), ask('', '{"text":"3"}'), finish()],
        [ask('same', '{"text":"4"}'), finish()],
        'Four notes.',
      ],
      { tools },
    )

    const { session, steps } = await chat(agent, 'Note')

    expect(new Set(ran).size).toBe(4)
    expect(steps.flatMap(({ calls }) => calls).map(({ outcome }) => outcome)).toMatchObject(
      ['1', '2', '3', '4'].map((text) => ({ ok: true, value: { text } })),
    )
    const ids = model.requests
      .at(-1)!
      .prompt.flatMap((message) => (message.role === 'tool' ? message.results.map(({ id }) => id) : []))
    expect(new Set(ids).size).toBe(4)
    expectSound(session, model)
  },
)

test('an empty reply ends the turn, and the next prompt has no empty message', async () => {
  const { agent, model } = desk([[finish('stop')], 'Sorry.'], { tools })
  const result = await chat(agent, 'Hello?')
  expect(result).toMatchObject({ status: 'done', text: '' })

  await result.session.send('Hello??')

  expect(model.requests[1]?.prompt.map(({ role }) => role)).toEqual(['user', 'user'])
})

test.each<[string, readonly ModelPart[], string]>([
  ['before anything came', [], ''],
  ['in the middle of its text', [say('Half a ')], 'Half a '],
  [
    'in the middle of a call',
    [say('Well. '), { type: 'call-input', id: 'c', name: 'notes__add', delta: '{"te' }],
    'Well. ',
  ],
])(
  'a stream that just ends %s: what came is kept, nothing runs, and the turn can be taken up again',
  async (_where, parts, text) => {
    ran.length = 0
    const { agent, model } = desk([parts, 'Again, in full.'], { tools })

    const result = await chat(agent, 'Go')

    expect(result).toMatchObject({ status: 'failed', reason: 'interrupted', text })
    expect(ran).toEqual([])
    expect(result.session.status).toBe('error')
    expect(await result.session.continue()).toMatchObject({ status: 'done', text: 'Again, in full.' })
    expectSound(result.session, model)
  },
)

test('a call that was cut off is noted in the reply', async () => {
  const { agent } = desk([[{ type: 'call-input', id: 'c', name: 'notes__add', delta: '{' }]], { tools })

  expect((await chat(agent, 'Go')).steps[0]?.reply.notes).toMatchObject([{ leftOut: 'call', name: 'notes__add' }])
})

test('a stream that ends after a whole call: the call counts, and the half one behind it does not', async () => {
  const { agent, model } = desk(
    [
      [ask('c1', '{"text":"whole"}'), { type: 'call-input', id: 'c2', name: 'notes__add', delta: '{"te' }],
      'Noted one.',
    ],
    { tools },
  )

  const result = await chat(agent, 'Note')

  expect(result).toMatchObject({ status: 'done', text: 'Noted one.' })
  expect(result.steps[0]?.calls).toHaveLength(1)
  expectSound(result.session, model)
})

test('a thought that was cut off is not sent back, since vendors refuse one without its signature', async () => {
  const { agent, model } = desk([[{ type: 'reasoning', id: 'r', delta: 'hm' }, say('Half')], 'ok'], { tools })
  const { session } = await chat(agent, 'Go')
  await session.continue()

  expect(model.requests[1]?.prompt.at(-2)).toEqual({ role: 'assistant', parts: [{ type: 'text', text: 'Half' }] })
})

test.each<[Finish, string, string]>([
  ['error', 'failed', 'model_failed'],
  ['length', 'done', 'completed'],
  ['content-filter', 'done', 'completed'],
  ['other', 'done', 'completed'],
  ['calls', 'done', 'completed'],
])('a reply without calls that finishes with %s leaves the turn %s', async (reason, status, why) => {
  expect(await chat(desk([[say('Words'), finish(reason)]], { tools }).agent, 'Go')).toMatchObject({
    status,
    reason: why,
    text: 'Words',
  })
})

test('a finish without usage costs nothing, and does not break the budget', async () => {
  const { agent } = desk([[say('Words'), { type: 'finish', reason: 'stop' } as never]], { tools, maxTokens: 10 })

  expect(await chat(agent, 'Go')).toMatchObject({ status: 'done', usage: { inputTokens: 0, outputTokens: 0 } })
})

test(
  proves('provider.never-dispatched', 'what the vendor runs passes through and is never dispatched, nor waits for us'),
  async () => {
    const parts: ModelPart[] = [
      { type: 'call', id: 'p1', name: 'web', input: '{"q":"x"}', byProvider: true },
      { type: 'provider-result', id: 'p1', name: 'web', result: { hits: 3 } },
      say('Three hits.'),
      finish('stop'),
    ]
    const { agent, model } = desk([parts, 'Yes.'], { tools })
    const { session, status } = await chat(agent, 'Search')
    expect(status).toBe('done')
    expect(session.events.map(({ type }) => type)).toEqual(['turn.started', 'model.replied'])

    await session.send('Sure?')

    expect(model.requests[1]?.prompt[1]).toMatchObject({
      role: 'assistant',
      parts: [
        { type: 'call', byProvider: true, input: { q: 'x' } },
        { type: 'provider-result', result: { hits: 3 } },
        { type: 'text' },
      ],
    })
    expectSound(session, model)
  },
)

test(
  proves('provider.never-dispatched', "calling the vendor's tool as a function of ours is an error the model reads"),
  async () => {
    const { agent, model } = desk([[ask('c1', '{}', 'web'), finish()], 'I see.'], { tools })

    expect(await chat(agent, 'Search')).toMatchObject({ status: 'done' })
    expect(toldTo(model)).toMatchObject({
      web: { ok: false, error: { code: 'unknown-tool', message: expect.stringContaining('vendor') } },
    })
  },
)

test("a vendor's result for nothing, and one for a call of ours, are kept and change nothing", async () => {
  ran.length = 0
  const stray: ModelPart = { type: 'provider-result', id: 'unknown', name: 'web', result: 1 }
  const forged: ModelPart = { type: 'provider-result', id: 'c1', name: 'notes__add', result: 'forged' }
  const { agent, model } = desk([[stray, ask('c1', '{"text":"a"}'), forged, finish()], 'ok'], { tools })

  const { session } = await chat(agent, 'Go')

  expect(ran).toHaveLength(1)
  expect(outcomes(session)).toEqual({ 'notes.add': { ok: true, value: { text: 'a' } } })
  expectSound(session, model)
})

test('a part that makes no sense is left out with a note, and the rest of the reply counts', async () => {
  const { agent } = desk(
    [[say('Words '), { type: 'call', id: 'x', name: 'web' } as never, null as never, say('and more'), finish('stop')]],
    { tools },
  )

  const result = await chat(agent, 'Go')

  expect(result).toMatchObject({ status: 'done', text: 'Words and more' })
  expect(result.steps[0]?.reply.notes).toHaveLength(2)
})

test("of a reply that was cut off, a vendor's own call goes back with its result, and not without one", async () => {
  const own = (id: string): ModelPart => ({ type: 'call', id, name: 'web_search', input: '{}', byProvider: true })
  const cut: ModelPart[] = [
    own('whole'),
    { type: 'provider-result', id: 'whole', name: 'web_search', result: 1 },
    own('half'),
  ]
  const { agent, model } = desk([[...cut, say('So')], 'ok'])
  const { session } = await chat(agent, 'Go')
  await session.continue()

  const sent = model.requests[1]?.prompt.find(({ role }) => role === 'assistant')
  expect(sent).toMatchObject({ parts: [{ type: 'call', id: 'whole' }, { type: 'provider-result' }, { text: 'So' }] })
})
