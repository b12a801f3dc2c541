import { memoryStore, proves } from '@holdpoint/testing'
import { Session, tool, type Store, type Tool, type Verdict } from 'holdpoint'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { byProgress } from './crash.ts'
import { addressOf, call, desk, expectSound, tick } from '../../../../test/kit/session-kit.ts'

const input = z.object({})
const description = 'For a test'
const names = ['quick', 'slow', 'gated', 'slowGate', 'worker', 'person', 'job', 'fails'] as const

interface World {
  readonly log: { readonly id: string; readonly attempt: number }[]
  pause(): Promise<void>
}

function toolsOf({ log, pause }: World): Tool[] {
  const run = async ({ call: { id, attempt } }: { call: { id: string; attempt: number } }): Promise<string> => {
    log.push({ id, attempt })
    await pause()
    return 'ran'
  }
  return [
    tool({ name: 'quick', description, input, run: ({ call: { id, attempt } }) => void log.push({ id, attempt }) }),
    tool({ name: 'slow', description, input, run }),
    tool({ name: 'gated', description, input, approval: 'required', run }),
    tool({ name: 'slowGate', description, input, approval: async () => (await pause(), { required: true }), run }),
    tool({ name: 'worker', description, input, executor: 'external', approval: 'required' }),
    tool({ name: 'person', description, input, executor: 'human', timeout: '1 hour' }),
    tool({ name: 'job', description, input, executor: 'external', async: true, timeout: '1 hour' }),
    tool({
      name: 'fails',
      description,
      input,
      run: async (context) => (await run(context), Promise.reject(new Error('no'))),
    }),
  ]
}

function unsteady(store: Store, pause: () => Promise<void>): Store {
  return {
    ...store,
    append: async (write) => (await pause(), await store.append(write)),
    load: async (from) => (await pause(), await store.load(from)),
    read: async (...given) => (await pause(), await store.read(...given)),
  }
}

const doing = fc.constantFrom(
  'answer',
  'answer',
  'answer elsewhere',
  'answer elsewhere',
  'contradict',
  'continue',
  'cancel',
  'cancel elsewhere',
  'queue',
  'supersede',
  'refuse',
  'expire',
  'step',
)
const scripts = fc.array(fc.array(fc.constantFrom(...names), { maxLength: 4 }), { minLength: 1, maxLength: 5 })

test(
  proves(
    'hold.resolves-once',
    'hold.never-accepted-and-dropped',
    'call.one-outcome',
    'call.held-never-starts',
    'round.model-waits-for-all',
    'prompt.every-call-has-result',
    'log.no-gaps',
    'log.fold-equals-live',
    'cancel.pairs-every-call',
    'whatever people do to a conversation, in whatever order and from two processes, every promise is kept',
  ),
  async () => {
    const verdicts = new Map<Verdict, number>()
    await fc.assert(
      fc.asyncProperty(
        scripts,
        fc.array(fc.tuple(doing, fc.nat({ max: 6 })), { maxLength: 14 }),
        fc.array(fc.nat({ max: 3 }), { minLength: 40, maxLength: 40 }),
        async (rounds, doings, pauses) => {
          let paused = 0
          const pause = async (): Promise<void> => {
            for (let left = pauses[paused++ % pauses.length]!; left > 0; left--) await tick()
          }
          const log: World['log'] = []
          const replies = byProgress(
            rounds.map((round) =>
              round.length > 0 ? { text: 'Now.', calls: round.map((name) => call(name)) } : 'Enough.',
            ),
          )
          const store = memoryStore({ now: () => 0 })
          const here = desk(replies, { tools: toolsOf({ log, pause }), maxParallel: 3, maxSteps: 6 })
          const there = desk([], { tools: toolsOf({ log, pause }), process: 'q', clock: here.clock })
          const session = await Session.open(here.agent, { store: unsteady(store, pause), id: 'c' })
          const other = await Session.open(there.agent, { store: unsteady(store, pause), id: 'c' })
          const accepted: string[] = []
          const answer = async (from: Session, no: boolean): Promise<void> => {
            await from.expire()
            const hold = from.holds[paused % Math.max(from.holds.length, 1)]
            if (!hold) return
            const by = `answer-${accepted.length}-${paused}`
            const { verdict } = await (hold.accepts.includes('approve')
              ? no
                ? from.reject(hold.callId, 'no', { by })
                : from.approve(hold.callId, { by })
              : from.answer(hold.callId, no, { by }))
            verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1)
            if (verdict === 'accepted') accepted.push(by)
          }
          const run: Readonly<Record<string, () => Promise<unknown>>> = {
            answer: () => answer(session, false),
            'answer elsewhere': () => answer(other, false),
            contradict: () => Promise.all([answer(session, true), answer(other, false)]),
            continue: () => session.continue(),
            cancel: () => session.cancel(),
            'cancel elsewhere': () => other.cancel(),
            queue: () => session.send('Queued', { whileBusy: 'queue' }),
            supersede: () => session.send('Never mind', { whileBusy: 'supersede' }),
            refuse: () => session.send('May I?'),
            expire: () => here.clock.advance(3_60_000),
            step: () => session.step(),
          }
          const going: Promise<unknown>[] = [session.send('Go')]
          for (const [what, ticks] of doings) {
            for (let i = 0; i < ticks; i++) await tick()
            going.push(run[what]!())
          }
          await Promise.all(going)
          while (session.status !== 'completed' && session.state.turn.phase !== 'rest') {
            await session.continue()
            await session.cancel()
          }

          await session.expire()

          expectSound(session, here.model)
          expect(await store.read(addressOf('c'), 0)).toEqual(session.events)
          const resolvers = session.events.flatMap((event) =>
            'by' in event && event.by !== undefined ? [event.by] : [],
          )
          expect(resolvers.toSorted()).toEqual(accepted.toSorted())
          expect(new Set(log.map(({ id, attempt }) => `${id}:${attempt}`)).size).toBe(log.length)
          const held = new Set(
            session.events.flatMap((event) =>
              event.type === 'call.held' && event.hold.kind === 'approval' ? [event.callId] : [],
            ),
          )
          const approved = new Set(
            session.events.flatMap((event) => (event.type === 'call.approved' ? [event.callId] : [])),
          )
          for (const { id } of log) expect(!held.has(id) || approved.has(id)).toBe(true)
          for (const { prompt } of here.model.requests) expect(blocked(prompt)).toEqual([])
        },
      ),
      { numRuns: 250 },
    )
    expect(verdicts.get('accepted')).toBeGreaterThan(50)
    expect(verdicts.get('conflict')).toBeGreaterThan(5)
  },
  240_000,
)

/** Results that were still pending when the model was asked, although only a job may be. */
function blocked(prompt: Parameters<ReturnType<typeof desk>['model']['stream']>[0]['prompt']): readonly string[] {
  return prompt.flatMap((message) =>
    message.role === 'tool'
      ? message.results
          .filter(({ name, content }) => name !== 'job' && JSON.stringify(content).includes('"pending"'))
          .map(({ name }) => name)
      : [],
  )
}
