import { callsTo, chat, tool, viewOf } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { call, desk } from '../../../../test/kit/session-kit.ts'

const description = 'For a test'
const input = z.object({ n: z.number() })
const half = tool({
  name: 'half',
  description,
  input,
  run: ({ input: { n } }) => {
    if (n % 2 === 1) throw new Error('odd')
    return { half: n / 2, at: new Date(0) }
  },
})
const slow = tool({ name: 'slow', description, input, executor: 'external', async: true, output: z.number() })
const other = tool({ name: 'other', description, input, run: () => 'x' })
const scripts = [
  { calls: [call('half', { n: 4 }), call('other', { n: 1 }), call('half', { n: 3 }), call('slow', { n: 1 })] },
  'Done.',
]

test('the calls of a tool are found with their outcomes, in the result of a turn and in a view', async () => {
  const { agent } = desk(scripts, { tools: [half, slow, other] })
  const result = await chat(agent, 'Go')
  const [good, bad, ...rest] = callsTo(half, result)
  expect(good?.input).toEqual({ n: 4 })
  // The compiler knows what is in it.
  const value: { half: number; at: string } | undefined = good?.outcome?.ok ? good.outcome.value : undefined
  expect(value).toEqual({ half: 2, at: '1970-01-01T00:00:00.000Z' })
  expect(bad?.outcome).toEqual({ ok: false, error: { code: 'failed', message: 'odd' } })
  expect(rest).toEqual([])

  const [turn] = viewOf(result.session.events).turns
  expect(turn && callsTo(half, turn)).toEqual([good, bad])
})

test('an async call has no outcome while its answer is on the way, whatever the model reads', async () => {
  const { agent } = desk(scripts, { tools: [half, slow, other] })
  const { steps } = await chat(agent, 'Go')
  expect(steps[0]?.calls.at(-1)?.outcome).toMatchObject({ ok: true, value: { status: 'pending' } })
  expect(callsTo(slow, { steps })).toEqual([{ callId: expect.any(String), input: { n: 1 }, outcome: undefined }])
})
