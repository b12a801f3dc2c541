import { proves } from '@holdpoint/testing'
import { askUser, chat, definePlugin, halt, Session, tool, toolError } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { call, desk, expectSound, idOf, outcomes, saved, toldTo, types } from '../../../../test/kit/session-kit.ts'

const input = z.object({})
const description = 'For a test'
const pay = tool({ name: 'pay', description, input, approval: 'required', run: () => 'paid' })

test('a value, a promised value and nothing at all are results', async () => {
  const tools = [
    tool({ name: 'now', description, input, run: () => [1, 2] }),
    tool({ name: 'later', description, input, run: async () => ({ a: 1 }) }),
    tool({ name: 'nothing', description, input, run: () => {} }),
  ]
  const { agent, model } = desk([{ calls: tools.map(({ name }) => call(name)) }, 'ok'], { tools })

  await chat(agent, 'Go')

  expect(toldTo(model)).toEqual({
    now: { ok: true, result: [1, 2] },
    later: { ok: true, result: { a: 1 } },
    nothing: { ok: true, result: null },
  })
})

test('a thrown and a returned error are told to the model, which goes on', async () => {
  const tools = [
    tool({
      name: 'throws',
      description,
      input,
      run: () => {
        throw new Error('disk full')
      },
    }),
    tool({ name: 'rejects', description, input, run: () => Promise.reject(new Error('no route')) }),
    tool({ name: 'returns', description, input, run: () => toolError('out of stock', { left: 0 }) }),
  ]
  const { agent, model } = desk([{ calls: tools.map(({ name }) => call(name)) }, 'I will try something else.'], {
    tools,
  })

  const result = await chat(agent, 'Go')

  expect(result).toMatchObject({ status: 'done', text: 'I will try something else.' })
  expect(toldTo(model)).toEqual({
    throws: { ok: false, error: { code: 'failed', message: 'disk full' } },
    rejects: { ok: false, error: { code: 'failed', message: 'no route' } },
    returns: { ok: false, error: { code: 'failed', message: 'out of stock', details: { left: 0 } } },
  })
  expectSound(result.session, model)
})

test.each([
  ['a number too big for JSON', 10n],
  ['a function', () => {}],
  ['a circle', circle()],
  [
    'something that cannot be read',
    {
      toJSON: () => {
        throw new Error('no')
      },
    },
  ],
  ['more levels than can be stored', deep(5000)],
])(
  'a result that is no JSON (%s) is an error the model can read, and the session can still be saved',
  async (_what, value) => {
    const odd = tool({ name: 'odd', description, input, run: () => value as never })
    const { agent, model } = desk([{ calls: [call('odd')] }, 'Odd.'], { tools: [odd] })

    const { session } = await chat(agent, 'Go')

    expect(toldTo(model)).toMatchObject({ odd: { ok: false, error: { code: 'invalid-output' } } })
    expectSound(session, model)
  },
)

test.each([
  ['the metadata of a question', () => askUser('Which?', { big: 10n } as never)],
  ['the details of an error', () => toolError('no', { big: 10n } as never)],
  ['the value of a halt', () => halt('enough', { big: 10n } as never)],
  ['the prompt of a question', () => askUser(10n as never)],
  ['the message of an error', () => toolError(10n as never)],
  ['the reason of a halt', () => halt(10n as never)],
])('%s that is no JSON cannot spoil the log', async (_what, run) => {
  const odd = tool({ name: 'odd', description, input, run })
  const { agent, model } = desk([{ calls: [call('odd')] }, 'Odd.'], { tools: [odd] })

  const { session } = await chat(agent, 'Go')

  expect(() => JSON.stringify(session)).not.toThrow()
  expectSound(session, model)
  await Session.open(agent, saved(session))
})

test('a result that does not fit the output schema is an error, and what fits is cleaned by it', async () => {
  const output = z.object({ id: z.string() })
  const tools = [
    tool({ name: 'good', description, input, output, run: () => ({ id: 'a', secret: 'x' }) }),
    tool({ name: 'bad', description, input, output, run: () => ({ id: 7 }) as never }),
  ]
  const { agent, model } = desk([{ calls: [call('good'), call('bad')] }, 'ok'], { tools })

  await chat(agent, 'Go')

  expect(toldTo(model)).toMatchObject({
    good: { ok: true, result: { id: 'a' } },
    bad: { ok: false, error: { code: 'invalid-output' } },
  })
  expect(JSON.stringify(toldTo(model))).not.toContain('secret')
})

test('halt settles the call with its value and ends the turn without asking the model again', async () => {
  const stop = tool({ name: 'stop', description, input, run: () => halt('That is enough.', { total: 3 }) })
  const { agent, model } = desk([{ text: 'Working.', calls: [call('stop')] }], { tools: [stop] })

  const result = await chat(agent, 'Go')

  expect(result).toMatchObject({ status: 'stopped', reason: 'halted', message: 'That is enough.', text: 'Working.' })
  expect(result.steps[0]?.calls[0]?.outcome).toEqual({ ok: true, value: { total: 3 } })
  expect(model.requests).toHaveLength(1)
  expect(result.session.status).toBe('idle')
  expectSound(result.session, model)
})

test('after a halt the conversation goes on with the next message', async () => {
  const stop = tool({ name: 'stop', description, input, run: () => halt('Enough.') })
  const { agent, model } = desk([{ calls: [call('stop')] }, 'Hello again.'], { tools: [stop] })
  const { session } = await chat(agent, 'Go')

  expect(await session.send('And now?')).toMatchObject({ status: 'done', text: 'Hello again.' })
  expectSound(session, model)
})

test(
  proves('round.siblings-unharmed', 'a halt with a held sibling ends the turn only when no call is open'),
  async () => {
    const stop = tool({ name: 'stop', description, input, run: () => halt('Enough.') })
    const { agent, model } = desk([{ calls: [call('stop'), call('pay')] }], { tools: [stop, pay] })

    const held = await chat(agent, 'Go')
    expect(held).toMatchObject({ status: 'held', holds: [{ name: 'pay' }] })
    const session = await Session.open(desk([], { tools: [stop, pay], process: 'q' }).agent, saved(held.session))
    await session.approve(idOf(session, 'pay'))
    const ended = await session.continue()

    expect(ended).toMatchObject({ status: 'stopped', reason: 'halted', message: 'Enough.' })
    expect(outcomes(session)).toEqual({ stop: { ok: true, value: null }, pay: { ok: true, value: 'paid' } })
    expect(types(session).at(-1)).toBe('turn.ended')
    expectSound(session, model)
  },
)

test('of two halts in a round the first one names the reason', async () => {
  const tools = ['first', 'second'].map((name) =>
    tool({ name, description, input, run: () => halt(`${name} says stop`) }),
  )
  const { agent } = desk([{ calls: [call('first'), call('second')] }], { tools })

  expect(await chat(agent, 'Go')).toMatchObject({ reason: 'halted', message: 'first says stop' })
})

test('what a tool wrote to its state counts when it succeeds or halts, and not when it fails', async () => {
  const notes = definePlugin({ id: 'notes', state: z.array(z.string()), initial: [] })
  const write = (name: string, then: () => unknown): ReturnType<typeof tool> =>
    tool({
      name,
      description,
      input,
      run: async ({ state }) => {
        await state.set(notes, [...(state.get(notes) ?? []), name])
        return then()
      },
    })
  const tools = [
    write('works', () => 'ok'),
    write('fails', () => toolError('no')),
    write('stops', () => halt('enough')),
  ]
  const { agent } = desk([{ calls: [call('works')] }, { calls: [call('fails')] }, { calls: [call('stops')] }], {
    tools,
    plugins: [notes],
  })

  const { session } = await chat(agent, 'Go')

  expect(session.state.plugins).toEqual({ notes: ['works', 'stops'] })
})

function circle(): unknown {
  const self: { me?: unknown } = {}
  self.me = self
  return self
}

function deep(levels: number): unknown {
  let value: unknown = 1
  for (let i = 0; i < levels; i++) value = [value]
  return value
}
