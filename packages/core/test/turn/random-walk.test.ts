import fc from 'fast-check'
import { expect, test } from 'vitest'
import { proves } from '@holdpoint/testing'
import { next, type LogEvent } from '../../src/index.ts'
import { isDeadline } from '../../src/turn/turn-state.ts'
import { checkAll, checkStep } from './invariants.ts'
import { Walk } from '../../../../test/kit/walk.ts'

function wasResumed(before: readonly LogEvent[], { callId }: { readonly callId: string }): boolean {
  return before.some((event) => event.type === 'call.resumed' && event.callId === callId)
}

const choices = fc.array(fc.nat({ max: 1000 }), { minLength: 20, maxLength: 500, size: 'max' })
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
    'whatever outsiders and tools do, every invariant holds after every step',
  ),
  async () => {
    const counts: Record<string, number> = {}
    const count = (what: string): void => {
      counts[what] = (counts[what] ?? 0) + 1
    }
    await fc.assert(
      fc.asyncProperty(choices, async (numbers) => {
        const walk = new Walk(numbers)
        while (!walk.over) {
          const before = walk.state
          await walk.step()
          checkStep(walk, before)
        }
        walk.log.forEach((event) => count(event.type === 'turn.ended' ? `ended:${event.reason}` : event.type))
        walk.log.forEach((event, at) => {
          if (event.type === 'call.resumed') count(event.resolution ? 'resumed:answer' : 'resumed:deadline')
          if (event.type === 'call.held' && event.hold.cause === 'changed' && wasResumed(walk.log.slice(0, at), event))
            count('changed after a question')
        })
        walk.told.forEach(({ verdict }) => count(verdict))
        walk.heard.forEach((notice) => 'show' in notice && count(notice.show.type))
      }),
      { numRuns: 2000, seed: 20301 },
    )
    // A walk that never meets a thing proves nothing about it.
    const met = [
      'turn.started',
      'message.queued',
      'model.replied',
      'call.held',
      'call.endorsed',
      'call.approved',
      'call.resumed',
      'resumed:answer',
      'resumed:deadline',
      'changed after a question',
      'call.started',
      'call.settled',
      'answer.arrived',
      'plan.set',
      'plan.removed',
      'plan.fired',
      'notices.delivered',
      'agent.activated',
      'agent.rested',
      'tool.started',
      'tool.changed',
      'tool.done',
      'tool.error',
    ]
    const ends = [
      'ended:skipped',
      'ended:halted',
      'ended:max_steps',
      'ended:cancelled',
      'ended:superseded',
      'ended:expired',
    ]
    const verdicts = ['accepted', 'duplicate', 'conflict', 'expired', 'stale', 'unknown', 'wrong-kind', 'invalid']
    for (const what of [...met, ...ends, ...verdicts]) expect(counts[what] ?? 0, what).toBeGreaterThan(20)
  },
  720_000,
)

test('from any state, doing what next asks for ends idle or with open holds only', async () => {
  await fc.assert(
    fc.asyncProperty(choices, async (numbers) => {
      const walk = new Walk(numbers)
      while (!walk.over) await walk.step()
      expect(walk.finish()).toBeLessThan(500)
      expect(next(walk.state).every(isDeadline)).toBe(true)
      checkAll(walk)
    }),
    { numRuns: 500, seed: 77 },
  )
}, 240_000)
