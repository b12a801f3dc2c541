/** What is refused of plans, inboxes, clients that are away and questions. */
import { expect, test } from 'vitest'
import type { EventBody, InboxItem } from '../../src/index.ts'
import { decideInbox } from '../../src/turn/decide.ts'
import { decidePlanFire } from '../../src/turn/decide-plan-fire.ts'
import { decideClientGrace } from '../../src/turn/decide-client-grace.ts'
import { decideExpire } from '../../src/turn/expire-hold.ts'
import { decideResolve } from '../../src/turn/resolve.ts'
import { after, held, replied, running, settled, started } from './history.ts'

const news: InboxItem = { kind: 'event', id: 'x', at: 1, event: { type: 'trigger', name: 'it', data: null } }

test('the first event for an inbox opens the conversation of its agent', () => {
  expect(decideInbox(after(), 'desk', news)).toMatchObject({ ok: true, events: [{}, { item: news }] })
  const erased = after({ type: 'conversation.erased', agent: 'desk' })
  expect(decideInbox(erased, 'desk', news)).toMatchObject({ ok: false, refusal: 'erased' })
})

test('a plan fires when its time has come, and none that is not there', () => {
  const state = after(
    { type: 'conversation.opened', agent: 'desk' },
    {
      type: 'plan.set',
      plan: { id: 'p', what: 'it', missed: 'once', nextAt: 5000 },
    },
  )
  expect(decidePlanFire(state, 'p', 4999, undefined)).toMatchObject({ refusal: 'not-due' })
  expect(decidePlanFire(state, 'p', 5000, undefined)).toMatchObject({ ok: true, events: [{ due: [5000] }] })
  expect(decidePlanFire(state, 'q', 9000, undefined)).toMatchObject({ refusal: 'not-due' })
})

test('a call is given up for want of a client once its grace is over, and not before', () => {
  const state = after(started, replied(1, 'a'), held('a', { kind: 'client', graceMs: 1000 }))
  expect(decideClientGrace(state, 'a', 2499, 1500)).toMatchObject({ refusal: 'not-due' })
  expect(decideClientGrace(state, 'a', 2500, 1500)).toMatchObject({
    ok: true,
    events: [{ outcome: { error: { code: 'no-client' } } }],
  })
  expect(decideClientGrace(state, 'b', 9000, 0)).toMatchObject({ refusal: 'hold-not-open' })
  const runs = after(started, replied(1, 'a'), running('a'))
  expect(decideClientGrace(runs, 'a', 9000, 0)).toMatchObject({ refusal: 'hold-not-open' })
  const without = after(started, replied(1, 'a'), held('a', { kind: 'client' }))
  expect(decideClientGrace(without, 'a', 30_000, 0)).toMatchObject({ refusal: 'not-due' })
})

test('a call that asked to resume later continues at its time; a question without an answer does not', () => {
  const later = after(started, replied(1, 'a'), running('a'), held('a', { kind: 'external', resumes: 'deadline' }))
  expect(decideExpire(later, 'a', 31_000)).toMatchObject({ ok: true, events: [{ type: 'call.resumed' }] })
  const asked = after(started, replied(1, 'a'), running('a'), held('a', { kind: 'elicitation', resumes: 'answer' }))
  expect(decideExpire(asked, 'a', 31_000)).toMatchObject({ ok: true, events: [{ type: 'call.settled' }] })
})

test('an answer to a question in the middle of a call is not its result: the call goes on with it', () => {
  const asked = { kind: 'elicitation', accepts: ['answer'], resumes: 'answer' } as const
  const { turn } = after(started, replied(1, 'a'), running('a'), held('a', asked))
  const [call] = turn.phase === 'calls' ? turn.calls : []
  const answer = { callId: 'a', resolution: { kind: 'answer', value: 1 }, by: undefined, now: 2000 } as const
  expect(decideResolve(call, answer)).toMatchObject({ verdict: 'accepted', events: [{ type: 'call.resumed' }] })
})

test('only a call that is held is resumed', () => {
  const resumed: EventBody = { type: 'call.resumed', callId: 'a' }
  expect(after(started, replied(1, 'a'), running('a'), held('a', { resumes: 'deadline' }), resumed).turn).toMatchObject(
    {
      calls: [{ at: 'ready' }],
    },
  )
  for (const before of [[], [running('a')]]) {
    expect(() => after(started, replied(1, 'a', 'b'), ...before, resumed)).toThrow('cannot have happened')
  }
  expect(() => after(started, replied(1, 'a', 'b'), settled('a'), resumed)).toThrow('cannot have happened')
})

test('a conversation takes no event of a space, and no notice that was not waiting', () => {
  const joined: EventBody = { type: 'member.joined', member: { kind: 'human', id: 'ada' }, role: 'owner' }
  expect(() => after(started, joined)).toThrow('a space is no conversation')
  expect(() => after(started, { type: 'notices.delivered', count: 1 })).toThrow('more notices were delivered')
})
