import { proves } from '@holdpoint/testing'
import { chat, ModelError, Session, step, tool, type Model, type ModelPart, type StreamItem } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  call,
  desk,
  expectSound,
  idOf,
  outcomes,
  tick,
  types,
  until,
  type Desk,
} from '../../../../test/kit/session-kit.ts'

const input = z.object({})
const description = 'For a test'
const cancelled = { ok: false, error: { code: 'cancelled', message: 'The turn was cancelled.' } }

/** A turn that is somewhere in the middle, and can be cancelled there. */
interface Middle extends Desk {
  readonly session: Session
  readonly signal: AbortSignal | undefined
  /** Lets whatever was going on come to its end. */
  readonly release: () => void
  readonly done: Promise<unknown>
}

const middles: Readonly<Record<string, (signal?: AbortSignal) => Promise<Middle>>> = {
  'the model speaks': async (signal) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const slow = desk([], { model: pausing(promise), tools: [pay] })
    const session = await Session.open(slow.agent)
    const done = session.send('Go', { ...(signal && { signal }) })
    await tick()
    return { ...slow, session, signal, release: resolve, done }
  },
  'a tool runs': (signal) => inRound([call('slow')], signal),
  'a tool runs beside a held call': (signal) => inRound([call('slow'), call('pay')], signal),
  'an approval is checked': async (signal) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const checked = tool({
      name: 'checked',
      description,
      input,
      approval: () => promise.then(() => ({ required: false })),
      run: () => ran.push('checked'),
    })
    const slow = desk([{ calls: [call('checked')] }, 'never'], { tools: [checked] })
    const session = await Session.open(slow.agent)
    const done = session.send('Go', { ...(signal && { signal }) })
    await until(() => slow.model.requests.length === 1)
    return { ...slow, session, signal, release: resolve, done }
  },
}

const ran: string[] = []
const aborted: string[] = []
const pay = tool({ name: 'pay', description, input, approval: 'required', run: () => ran.push('pay') })

async function inRound(calls: readonly ReturnType<typeof call>[], signal?: AbortSignal): Promise<Middle> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const slow = tool({
    name: 'slow',
    description,
    input,
    streaming: true,
    run: async ({ signal: own, progress }) => {
      own.addEventListener('abort', () => aborted.push('slow'))
      await promise
      progress('too late')
      return 'too late'
    },
  })
  const middle = desk([{ calls }, 'never'], { tools: [slow, pay] })
  const session = await Session.open(middle.agent)
  const done = session.send('Go', { ...(signal && { signal }) })
  await until(() => types(session).includes('call.started'))
  return { ...middle, session, signal, release: resolve, done }
}

for (const [where, begin] of Object.entries(middles)) {
  test(
    proves(
      'cancel.pairs-every-call',
      `cancelled while ${where}: the turn ends at once, every call has a result, and what comes late is dropped`,
    ),
    async () => {
      ran.length = 0
      const { session, release, done, model, agent } = await begin()

      expect(await session.cancel()).toEqual({ ok: true })
      expect(await done).toMatchObject({ status: 'stopped', reason: 'cancelled' })
      const after = [...session.events]
      for (const outcome of Object.values(outcomes(session))) expect(outcome).toEqual(cancelled)
      const asked = model.requests.length
      release()
      for (let i = 0; i < 10; i++) await tick()

      expect(session.events).toEqual(after)
      expect(model.requests).toHaveLength(asked)
      expect(ran).toEqual([])
      expect(session.status).toBe('idle')
      expectSound(session, model)
      expect(await Session.open(agent, { data: JSON.parse(JSON.stringify(session)) })).toMatchObject({ status: 'idle' })
    },
  )

  test(proves('cancel.pairs-every-call', `an aborted signal cancels while ${where}`), async () => {
    ran.length = 0
    const controller = new AbortController()
    const { session, release, done } = await begin(controller.signal)

    controller.abort()

    expect(await done).toMatchObject({ status: 'stopped', reason: 'cancelled' })
    release()
    await tick()
    expect(ran).toEqual([])
    expect(types(session).at(-1)).toBe('turn.ended')
  })
}

test("the handler's signal is aborted when its turn is cancelled", async () => {
  aborted.length = 0
  const { session, done, clock } = await inRound([call('slow')])

  await session.cancel()
  await done

  expect(aborted).toEqual(['slow'])
  expect(clock.sleeping).toBe(0)
})

test('a held call is cancelled with its turn, and answering it afterwards is told stale', async () => {
  const { agent, model } = desk([{ calls: [call('pay')] }, 'Hello.'], { tools: [pay] })
  const { session } = await chat(agent, 'Pay')
  const callId = idOf(session, 'pay')

  expect(await session.cancel('I changed my mind.')).toEqual({ ok: true })

  expect(await session.approve(callId)).toMatchObject({ verdict: 'stale' })
  expect(outcomes(session)).toEqual({ pay: { ok: false, error: { code: 'cancelled', message: 'I changed my mind.' } } })
  expect(await session.send('Hello')).toMatchObject({ status: 'done', text: 'Hello.' })
  expectSound(session, model)
})

test('a turn that paused between two steps can be cancelled', async () => {
  const ok = tool({ name: 'ok', description, input, run: () => 'ok' })
  const { session } = await step(desk([{ calls: [call('ok')] }, 'never'], { tools: [ok] }).agent, 'Go')

  expect(await session.cancel()).toEqual({ ok: true })
  expect(session.state.turn).toMatchObject({ phase: 'rest', last: { reason: 'cancelled' } })
})

test('a handler may cancel the turn it runs in', async () => {
  const self = tool({
    name: 'self',
    description,
    input,
    run: async () => (await session.cancel('That will do.'), 'too late'),
  })
  const { agent, model } = desk([{ calls: [call('self'), call('pay')] }, 'never'], { tools: [self, pay] })
  const session = await Session.open(agent)

  expect(await session.send('Go')).toMatchObject({ status: 'stopped', reason: 'cancelled', message: 'That will do.' })
  expect(Object.values(outcomes(session))).toMatchObject([{ ok: false }, { ok: false }])
  expectSound(session, model)
})

test('in an idle conversation there is nothing to cancel', async () => {
  const { session } = await chat(desk(['Hi']).agent, 'Hi')

  expect(await session.cancel()).toMatchObject({ ok: false, refusal: 'nothing-to-cancel' })
  expect(await (await Session.open(desk([]).agent)).cancel()).toMatchObject({ ok: false, refusal: 'nothing-to-cancel' })
})

test('a signal that was aborted beforehand lets nothing begin', async () => {
  const { agent, model } = desk(['never'])

  const result = await chat(agent, 'Go', { signal: AbortSignal.abort() })

  expect(result).toMatchObject({ status: 'stopped', reason: 'cancelled' })
  expect(model.requests).toHaveLength(0)
})

test('cancelled while it waits to ask the vendor again: the vendor is not asked again', async () => {
  const { agent, model, clock } = desk([new ModelError('busy', { retryable: true }), 'never'])
  const session = await Session.open(agent)
  const done = session.send('Go')
  await until(() => clock.sleeping === 1)

  await session.cancel()

  expect(await done).toMatchObject({ reason: 'cancelled' })
  for (let i = 0; i < 5; i++) await tick()
  expect(model.requests).toHaveLength(1)
  expect(clock.sleeping).toBe(0)
})

test('a call whose input was still being checked when the turn was cancelled does not run', async () => {
  ran.length = 0
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const slowly = tool({
    name: 'slowly',
    description,
    input: z.object({}).refine(() => promise),
    run: () => ran.push('slowly'),
  })
  const { agent } = desk([{ calls: [call('slowly')] }, 'never'], { tools: [slowly] })
  const session = await Session.open(agent)
  const done = session.send('Go')
  await until(() => types(session).includes('call.started'))

  await session.cancel()
  resolve(true)
  await done
  for (let i = 0; i < 5; i++) await tick()

  expect(ran).toEqual([])
})

test.each(['the model speaks', 'a tool runs'])(
  'nothing of a turn cancelled while %s is shown later, though its signal is ignored',
  async (where) => {
    const { session, release, done } = await middles[where]!()
    await session.cancel()
    await done
    const seen: StreamItem[] = []
    const next = session.send('Again', { watch: (item) => seen.push(item) })
    const turnId = session.events.findLast(({ type }) => type === 'turn.ended')

    release()
    for (let i = 0; i < 10; i++) await tick()
    await session.cancel()
    await next

    expect(seen.filter((item) => 'turnId' in item && item.turnId === (turnId as { turnId: string }).turnId)).toEqual([])
    expect(seen.filter(({ type }) => type === 'call-progress')).toEqual([])
  },
)

test('a message queued behind a turn is still answered when that turn is aborted', async () => {
  const controller = new AbortController()
  const { session, done, model } = await inRound([call('slow')], controller.signal)
  const queued = session.send('And this?', { whileBusy: 'queue' })
  await until(() => types(session).includes('message.queued'))

  controller.abort()
  await Promise.all([done, queued])

  expect(model.requests).toHaveLength(2)
  expect(await queued).toMatchObject({ status: 'done', text: 'never' })
})

/** Speaks one word, waits, and goes on whatever its signal says. */
function pausing(until: Promise<void>): Model {
  return {
    id: 'pausing',
    async *stream(): AsyncGenerator<ModelPart> {
      yield { type: 'text', id: '1', delta: 'One' }
      await until
      yield { type: 'text', id: '1', delta: 'too late' }
      yield { type: 'call', id: 'c', name: 'pay', input: '{}' }
      yield { type: 'finish', reason: 'calls', usage: { inputTokens: 1, outputTokens: 1 } }
    },
  }
}
