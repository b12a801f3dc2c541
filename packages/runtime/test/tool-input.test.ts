/** Input is validated before the tool runs and before an approver is asked. The model has to correct bad arguments. */
import { toolDefiner, type Json, type Tool } from '@holdpoint/core'
import { chat } from '@holdpoint/runtime'
import { proves, type ScriptedCall } from '@holdpoint/testing'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { call, desk, expectSound, toldTo } from '../../../test/kit/session-kit.ts'

const tool = toolDefiner(undefined)
const ran: Json[] = []
const asked: Json[] = []
const note = { description: 'Add a note', input: z.object({ text: z.string() }) }
const remember = (list: Json[], input: { text: string }) => list.push(input)

/** The same input on every executor, gated where a gate is legal. */
const everyKind: Tool[] = [
  tool({ ...note, name: 'server', run: ({ input }) => remember(ran, input) }),
  tool({
    ...note,
    name: 'gated',
    approval: ({ input }) => ({ required: remember(asked, input) > 0 }),
    run: ({ input }) => remember(ran, input),
  }),
  tool({ ...note, name: 'required', approval: 'required', run: ({ input }) => remember(ran, input) }),
  tool({ ...note, name: 'manual', manual: true }),
  tool({ ...note, name: 'human', executor: 'human' }),
  tool({ ...note, name: 'client', executor: 'client', approval: 'required' }),
  tool({ ...note, name: 'external', executor: 'external', async: true }),
]

const bad: [what: string, call: Omit<ScriptedCall, 'name'>][] = [
  ['do not fit the schema', { input: { text: 5 } }],
  ['are missing', { input: {} }],
  ['are no JSON', { raw: '{"text": "hi' }],
  ['are text', { raw: '"hi"' }],
  ['are a list', { raw: '[{"text":"hi"}]' }],
  ['are null', { raw: 'null' }],
  ['are nested too deep', { raw: `{"text":${'['.repeat(200)}${']'.repeat(200)}}` }],
  ['hide the field in the prototype', { raw: '{"__proto__":{"text":"hi"}}' }],
]

describe.each(everyKind)('$name', ({ name }) => {
  test.each(bad)('is not run, held or shown when the arguments %s', async (_what, given) => {
    ran.length = asked.length = 0
    const { agent, model } = desk([{ calls: [{ name, ...given }] }, 'I see.'], { tools: everyKind })
    const { status, holds, session } = await chat(agent, 'go')

    expect({ status, holds, ran, asked }).toEqual({ status: 'done', holds: [], ran: [], asked: [] })
    expect(toldTo(model)).toMatchObject({
      [name]: { ok: false, error: { code: 'invalid-input', message: expect.stringMatching(/\w/) } },
    })
    expect(session.events.some(({ type }) => type === 'call.held')).toBe(false)
    expectSound(session, model)
  })
})

test('the model reads what was wrong and does better, and its other calls are not disturbed', async () => {
  ran.length = 0
  const { agent, model } = desk(
    [
      { calls: [call('server', { text: 5 }), call('server', { text: 'good' })] },
      { calls: [call('server', { text: 'better' })] },
      'done',
    ],
    { tools: everyKind },
  )
  const { steps } = await chat(agent, 'go')
  expect(steps[0]?.calls.map(({ outcome }) => outcome)).toMatchObject([
    { ok: false, error: { code: 'invalid-input', message: expect.stringContaining('text: ') } },
    { ok: true },
  ])
  expect(toldTo(model)).toMatchObject({ server: { ok: true } })
  expect(ran).toEqual([{ text: 'good' }, { text: 'better' }])
})

test('no arguments at all are an empty object', async () => {
  const ping = tool({ name: 'ping', description: 'Ping', input: z.object({}), run: ({ input }) => input })
  const { agent, model } = desk([{ calls: [{ name: 'ping', raw: '' }] }, 'done'], { tools: [ping] })
  await chat(agent, 'go')
  expect(toldTo(model)).toEqual({ ping: { ok: true, result: {} } })
})

test(
  proves(
    'bad-input.nothing-half-written',
    'an edited input that does not fit is refused with the reason, and the hold stays as it was',
  ),
  async () => {
    ran.length = 0
    const { agent } = desk([{ calls: [call('required', { text: 'proposed' })] }, 'done'], { tools: everyKind })
    const { session, holds } = await chat(agent, 'go')
    const before = JSON.stringify(session)

    for (const input of [{ text: 5 }, 'text', null, []] as Json[]) {
      expect(await session.approve(holds[0]?.callId ?? '', { input })).toMatchObject({
        verdict: 'invalid',
        message: expect.stringMatching(/The edited input does not fit the tool: \w/),
      })
    }
    expect(JSON.stringify(session)).toBe(before)
    expect(ran).toEqual([])

    expect(await session.approve(holds[0]?.callId ?? '', { input: { text: 'edited' } })).toMatchObject({
      verdict: 'accepted',
    })
    await session.continue()
    expect(ran).toEqual([{ text: 'edited' }])
  },
)

describe('a provider tool', () => {
  const search = tool({ name: 'web_search', executor: 'provider', id: 'openai.web_search', args: { size: 'small' } })

  test('is described to the vendor by its own id and settings', async () => {
    const { agent, model } = desk(['done'], { tools: [search] })
    await chat(agent, 'go')
    expect(model.requests[0]?.tools).toEqual([
      { kind: 'provider', name: 'web_search', id: 'openai.web_search', args: { size: 'small' } },
    ])
  })

  test(
    proves(
      'provider.never-dispatched',
      'called by the vendor: call and result are kept in the reply, and nothing is held or run here',
    ),
    async () => {
      const { agent, model } = desk(
        [
          [
            { type: 'call', id: 'v1', name: 'web_search', input: '{"query":"ada"}', byProvider: true },
            { type: 'provider-result', id: 'v1', name: 'web_search', result: { found: 1 } },
            { type: 'text', id: 't', delta: 'Found.' },
            { type: 'finish', reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } },
          ],
        ],
        { tools: [search] },
      )
      const { status, text, session } = await chat(agent, 'go')
      expect({ status, text }).toEqual({ status: 'done', text: 'Found.' })
      expect(session.events.map(({ type }) => type).filter((type) => type.startsWith('call.'))).toEqual([])
      expect(session.events.find((event) => event.type === 'model.replied')?.reply.parts).toMatchObject([
        { type: 'provider-call', name: 'web_search' },
        { type: 'provider-result', result: { found: 1 } },
        { type: 'text' },
      ])
      expect(model.requests).toHaveLength(1)
    },
  )

  test(
    proves('provider.never-dispatched', 'called as if it were ours: the model is told that it cannot be'),
    async () => {
      const { agent, model } = desk([{ calls: [call('web_search', { query: 'ada' })] }, 'done'], { tools: [search] })
      const { session } = await chat(agent, 'go')
      expect(toldTo(model)).toMatchObject({
        web_search: {
          ok: false,
          error: { code: 'unknown-tool', message: expect.stringContaining("run by the model's vendor") },
        },
      })
      expect(session.events.some(({ type }) => type === 'call.started')).toBe(false)
    },
  )
})
