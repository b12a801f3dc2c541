import { chat, ModelError, type Frame, type Model, type ModelPart, type StreamItem } from 'holdpoint'
import { expect, test } from 'vitest'
import { desk, until, type Desk } from '../../../../test/kit/session-kit.ts'

const busy = new ModelError('overloaded', { retryable: true, status: 529 })
const part: ModelPart = { type: 'text', id: 't', delta: 'Half a ' }

/** Runs a turn to its end, moving time to each wake-up, and tells how long each wait was and what was shown of it. */
async function run({
  agent,
  clock,
}: Desk): Promise<{ result: Awaited<ReturnType<typeof chat>>; waits: number[]; shown: Frame[] }> {
  const shown: StreamItem[] = []
  let over = false
  const done = chat(agent, 'Go', { watch: (item) => shown.push(item) }).finally(() => (over = true))
  for (;;) {
    await until(() => over || clock.sleeping > 0)
    if (over) break
    await clock.advance(60_000)
  }
  const frames = shown.filter((item): item is Frame => !('seq' in item))
  const waits = frames.flatMap((frame) => (frame.type === 'model-retry' ? [frame.delayMs] : []))
  return { result: await done, waits, shown: frames }
}

test('a vendor that fails before its first word is asked again, and subscribers are told', async () => {
  const overloaded = desk([busy, new ModelError('500', { retryable: true, status: 500 }), 'Here I am.'])

  const { result, shown } = await run(overloaded)

  expect(result).toMatchObject({ status: 'done', text: 'Here I am.', steps: { length: 1 } })
  expect(shown.map((frame) => [frame.type, 'attempt' in frame && frame.attempt]).slice(0, 5)).toEqual([
    ['reply-start', 1],
    ['model-retry', 1],
    ['reply-start', 2],
    ['model-retry', 2],
    ['reply-start', 3],
  ])
  expect(result.session.events.map(({ type }) => type)).toEqual(['turn.started', 'model.replied'])
})

test('after three attempts the turn fails, and can be taken up again', async () => {
  const overloaded = desk([busy, busy, busy, 'Back.'])

  const { result } = await run(overloaded)

  expect(result).toMatchObject({
    status: 'failed',
    reason: 'model_failed',
    message: expect.stringContaining('Try again'),
  })
  expect(result.session.status).toBe('error')
  expect(overloaded.model.requests).toHaveLength(3)
  expect(await result.session.continue()).toMatchObject({ status: 'done', text: 'Back.' })
})

test('the waits double, are spread by chance and never exceed the limit', async () => {
  const attempts = 9
  const { waits } = await run(
    desk(
      Array.from({ length: attempts }, () => busy),
      { retry: { attempts, firstDelayMs: 100, maxDelayMs: 3000 } },
    ),
  )

  expect(waits).toHaveLength(attempts - 1)
  for (const [index, wait] of waits.entries()) {
    const full = Math.min(100 * 2 ** index, 3000)
    expect(wait).toBeGreaterThanOrEqual(full / 2)
    expect(wait).toBeLessThanOrEqual(full)
  }
  expect(new Set(waits.slice(-3)).size).toBe(3)
})

test.each([
  ['a time within our patience is kept', 1234, 1234],
  ['a longer one is cut', 999_999, 30_000],
  ['zero means at once', 0, 0],
  ['a negative one means at once', -5, 0],
  ['one that is no number falls back to our own', Number.NaN, undefined],
])('retry-after: %s', async (_what, retryAfterMs, expected) => {
  const { waits, result } = await run(
    desk([new ModelError('429', { retryable: true, status: 429, retryAfterMs }), 'ok']),
  )

  expect(result.status).toBe('done')
  expect(waits).toHaveLength(1)
  if (expected === undefined) expect(waits[0]).toBeGreaterThanOrEqual(250)
  else expect(waits).toEqual([expected])
})

test.each([
  ['says no for good', new ModelError('bad key', { retryable: false, status: 401 })],
  ['throws something of its own', new TypeError('undefined is not a function')],
])('a model that %s is not asked again', async (_what, error) => {
  const failing = desk([error, 'never'])

  const { result } = await run(failing)

  expect(result).toMatchObject({
    status: 'failed',
    reason: 'model_failed',
    message: expect.stringContaining('could not'),
  })
  expect(failing.model.requests).toHaveLength(1)
})

test.each<[string, ModelPart]>([
  ['a word', part],
  ['a thought', { type: 'reasoning', id: 'r', delta: 'hm' }],
  ['the beginning of a call', { type: 'call-input', id: 'c', name: 'pay', delta: '{' }],
  ['a file', { type: 'file', mediaType: 'image/png', file: { kind: 'base64', base64: 'AA==' } }],
])(
  'after %s came, a failure is not retried: what came is kept, and the turn ends as interrupted',
  async (_what, first) => {
    let asked = 0
    const { agent } = desk([], { model: failingAfter([first], busy, () => asked++) })

    const result = await chat(agent, 'Go')

    expect(result).toMatchObject({ status: 'failed', reason: 'interrupted' })
    expect(result.steps[0]?.reply).toMatchObject({
      finish: 'interrupted',
      notes: expect.arrayContaining([{ interrupted: 'the model broke off' }]),
    })
    expect(asked).toBe(1)
  },
)

test('word from the vendor about the reply as a whole is no first token', async () => {
  const info: ModelPart = { type: 'info', responseId: 'r1', warnings: ['beta'] }
  let asked = 0
  const { agent, clock } = desk([], { model: failingAfter([info], busy, () => asked++), retry: { attempts: 2 } })
  const done = chat(agent, 'Go')
  await until(() => clock.sleeping === 1)
  await clock.advance(30_000)

  expect(await done).toMatchObject({ reason: 'model_failed' })
  expect(asked).toBe(2)
})

function failingAfter(parts: readonly ModelPart[], error: Error, asked: () => void): Model {
  return {
    id: 'failing',
    async *stream(): AsyncGenerator<ModelPart> {
      asked()
      yield* parts
      throw error
    },
  }
}
