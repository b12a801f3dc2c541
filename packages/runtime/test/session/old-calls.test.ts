import type { Call, Resolution, ResolveResult } from '@holdpoint/core'
import { manualClock, memoryStore, proves, testPorts } from '@holdpoint/testing'
import fc from 'fast-check'
import { tool, type Store, type Verdict } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { ConversationLog } from '../../src/conversation/conversation-log.ts'
import { decideResolve } from '@holdpoint/core/internal/turn/resolve'
import { Walk } from '../../../../test/kit/walk.ts'
import { addressOf, call, desk, goOn, live, say } from '../../../../test/kit/session-kit.ts'

const input = z.object({})
const description = 'For a test'
const tools = [
  tool({ name: 'pay', description, input, approval: 'required', approvalTimeout: '1 hour', run: () => 'paid' }),
  tool({ name: 'person', description, input, executor: 'human', timeout: '1 hour' }),
  tool({ name: 'form', description, input, executor: 'human', timeout: '1 hour', late: 'inbox' }),
  tool({ name: 'job', description, input, executor: 'external', async: true, timeout: '1 day' }),
]
const context = { window: { messages: 2 } }

/** A conversation whose first turn had these calls, and was long ago. `settle` ends their waiting. */
async function longAgo(
  names: readonly string[],
  settle: (answer: (name: string, resolution: Resolution) => Promise<ResolveResult>) => Promise<unknown>,
) {
  const clock = manualClock()
  const store = memoryStore({ now: () => 0 })
  const replies = Array.from({ length: 20 }, () => 'Fine.')
  const { agent } = desk([{ calls: names.map((name) => call(name)) }, ...replies], { tools, context, clock })
  const then = await live(agent, store)
  const { steps } = await say(then, 'Go')
  const idOf = (name: string): string => steps[0]!.calls.find((each) => each.name === name)!.callId
  await settle((name, resolution) => then.resolve(idOf(name), resolution, { by: 'first' }))
  await clock.advance(2 * 3_600_000)
  await goOn(then)
  for (let nth = 0; nth < 5; nth++) await say(then, `Message ${nth}`)
  /** What a process says that came to the conversation only now. */
  const answer = async (name: string, resolution: Resolution): Promise<ResolveResult> => {
    const now = await live(desk(['Thanks.'], { tools, context, clock, process: 'q' }).agent, store)
    expect(now.log.events.some((event) => 'callId' in event)).toBe(false)
    return now.resolve(idOf(name), resolution, { by: 'late' })
  }
  return { answer, store }
}

const approve = { kind: 'approve' } as const
const reject = { kind: 'reject' } as const
const red = { kind: 'answer', value: 'red' } as const
const blue = { kind: 'answer', value: 'blue' } as const

test.each<[string, string, Resolution | undefined, Resolution, Verdict]>([
  ['approved, and now again', 'pay', approve, approve, 'duplicate'],
  ['approved, and is now rejected', 'pay', approve, reject, 'conflict'],
  ['rejected, and is now approved', 'pay', reject, approve, 'conflict'],
  ['answered, and now again', 'person', red, red, 'duplicate'],
  ['answered, and now otherwise', 'person', red, blue, 'conflict'],
  ['answered, and is now approved', 'person', red, approve, 'wrong-kind'],
  ['left to expire', 'person', undefined, red, 'expired'],
  ['left to expire, and is now approved', 'pay', undefined, approve, 'expired'],
])(
  proves('hold.resolves-once', 'a call that was %s: an answer after many turns gets the true verdict'),
  async (_what, name, first, second, verdict) => {
    const { answer, store } = await longAgo([name], async (then) => first && then(name, first))
    const before = await store.read(addressOf('c'), 0)

    const told = await answer(name, second)

    expect(told).toMatchObject({ verdict })
    if (verdict === 'duplicate' || verdict === 'conflict') expect(told.first).toMatchObject({ by: 'first' })
    expect(await store.read(addressOf('c'), 0)).toEqual(before)
  },
)

test('a call of a turn that was cancelled long ago is stale', async () => {
  const store = memoryStore({ now: () => 0 })
  const { agent } = desk([{ calls: [call('pay')] }, 'Fine.', 'Fine.'], { tools, context })
  const then = await live(agent, store)
  const { holds } = await say(then, 'Go')
  await then.cancel(undefined)
  for (const message of ['One', 'Two']) await say(then, message)

  const now = await live(desk([], { tools, process: 'q' }).agent, store)
  expect(await now.resolve(holds[0]!.callId, approve, {})).toMatchObject({ verdict: 'stale' })
  expect(await now.resolve('unknown', approve, {})).toMatchObject({ verdict: 'unknown' })
})

test(
  proves(
    'hold.resolves-once',
    'hold.never-accepted-and-dropped',
    'a late answer to a call of long ago is taken once, and the model reads it',
  ),
  async () => {
    const { answer, store } = await longAgo(['form'], async () => {})

    expect(await answer('form', red)).toMatchObject({ verdict: 'accepted' })
    expect(await answer('form', red)).toMatchObject({ verdict: 'duplicate', first: { by: 'late' } })
    expect(await answer('form', blue)).toMatchObject({ verdict: 'conflict', first: { by: 'late' } })

    const { agent, model } = desk(['Thanks.'], { tools, context, process: 'r' })
    expect(await goOn(await live(agent, store))).toMatchObject({ text: 'Thanks.' })
    expect(JSON.stringify(model.requests[0]?.prompt.at(-1))).toContain('red')
    expect(await answer('form', red)).toMatchObject({ verdict: 'duplicate' })
  },
)

test('an async call of long ago takes its answer once', async () => {
  const { answer } = await longAgo(['job'], async () => {})

  expect(await answer('job', red)).toMatchObject({ verdict: 'accepted' })
  expect(await answer('job', red)).toMatchObject({ verdict: 'duplicate' })
  expect(await answer('job', blue)).toMatchObject({ verdict: 'conflict' })
})

const choices = fc.array(fc.nat({ max: 1000 }), { minLength: 20, maxLength: 400, size: 'max' })
const resolutions: readonly Resolution[] = [approve, { kind: 'approve', input: { edited: true } }, reject, red, blue]

test(
  proves('hold.resolves-once', 'what is said of any call that ever waited does not depend on what is in memory'),
  async () => {
    const verdicts = new Map<Verdict, number>()
    await fc.assert(
      fc.asyncProperty(choices, async (numbers) => {
        const walk = new Walk(numbers)
        while (!walk.over) await walk.step()
        const store = memoryStore({ now: () => 0 })
        for (const events of walk.writes) {
          // Each by its own process, which looks the call up as a caller that answers does.
          const log = await logOf(store)
          const recalled: Call[] = []
          for (const event of events) {
            const call = 'callId' in event ? await log.find(event.callId) : undefined
            if (call) recalled.push(call)
          }
          expect(await log.append(events, undefined, recalled)).toBe('ok')
        }
        const [newest, whole] = [await logOf(store), await logOf(store)]
        await whole.reachBack(1)
        const held = new Set(whole.events.flatMap((event) => (event.type === 'call.held' ? [event.callId] : [])))
        for (const callId of walk.callIds) {
          const [call, wanted] = [await newest.find(callId), await whole.find(callId)]
          if (held.has(callId)) expect(call).toEqual(wanted)
          for (const resolution of held.has(callId) ? resolutions : []) {
            const command = { callId, resolution, by: undefined, now: walk.now }
            const { verdict } = decideResolve(call, command)
            verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1)
          }
        }
        expect(newest.state).toEqual(whole.state)
      }),
      { numRuns: 150, seed: 12 },
    )
    for (const verdict of ['accepted', 'duplicate', 'conflict', 'expired', 'stale'] as const)
      expect(verdicts.get(verdict) ?? 0, verdict).toBeGreaterThan(20)
  },
  240_000,
)

async function logOf(store: Store): Promise<ConversationLog> {
  const log = new ConversationLog(addressOf('walk'), store, testPorts())
  await log.refresh()
  return log
}
