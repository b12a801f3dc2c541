/** Who may approve: groups, the requester, delegation, and how people are counted. */
import { proves } from '@holdpoint/testing'
import { expect, test } from 'vitest'
import type { EventBody, Hold, Principal, Resolution } from '../../src/index.ts'
import { approverRule, routeOf } from '../../src/turn/approvers.ts'
import { decideAssign, decideComment } from '../../src/turn/assign-and-comment.ts'
import { decideRemindApprovers } from '../../src/turn/remind-approvers.ts'
import { findCall } from '../../src/turn/find-call.ts'
import { decideResolve } from '../../src/turn/resolve.ts'
import type { ResolveDecision } from '../../src/turn/verdict.ts'
import { after, held, replied, settled, started } from './history.ts'

const person = (id: string, ...groups: readonly string[]): Principal => ({ id, kind: 'person', groups })
const ann = person('ann', 'finance')
const bob = person('bob', 'finance')
const eve = person('eve', 'sales')
const finance = { to: ['group:finance'] } as const
const askedBy = [{ via: 'message', by: 'ann' }] as const

function log(hold: Partial<Hold>, ...events: readonly EventBody[]): ReturnType<typeof after> {
  return after(started, replied(1, 'a', 'sibling'), held('a', hold), ...events)
}

function resolve(
  hold: Partial<Hold>,
  by: Principal | undefined,
  events: readonly EventBody[] = [],
  kind: 'approve' | 'reject' = 'approve',
): ResolveDecision {
  return decideResolve(findCall(log(hold, ...events), 'a'), { callId: 'a', resolution: { kind }, by, now: 2000 })
}

test('a hold for a group is resolved by its people and by no others', () => {
  expect(resolve(finance, ann)).toMatchObject({ verdict: 'accepted', events: [{ type: 'call.approved', by: 'ann' }] })
  expect(resolve(finance, eve)).toMatchObject({ verdict: 'not-allowed', events: [] })
  expect(resolve(finance, eve, [], 'reject')).toMatchObject({ verdict: 'not-allowed', events: [] })
  expect(resolve(finance, ann, [], 'reject').verdict).toBe('accepted')
  expect(resolve(finance, undefined)).toMatchObject({ verdict: 'invalid', message: expect.stringContaining('say who') })
})

test('a person is named by the exact id: a look-alike gains no right, and a group is no person', () => {
  const hold = { to: ['ann'] }
  expect(resolve(hold, person('ann')).verdict).toBe('accepted')
  for (const id of ['Ann', 'ann ', '\u0430nn', 'group:finance'])
    expect(resolve(hold, person(id)).verdict).toBe('not-allowed')
  expect(resolve(finance, person('group:finance')).verdict).toBe('not-allowed')
  expect(resolve({ to: ['finance'] }, bob).verdict).toBe('not-allowed')
})

test('a person that the hold was for is told that they are too late; one that it was not for learns nothing', () => {
  const late = (by: Principal, hold: Partial<Hold>, ...events: readonly EventBody[]): ResolveDecision =>
    decideResolve(findCall(log(hold, ...events), 'a'), {
      callId: 'a',
      resolution: { kind: 'approve' },
      by,
      kinds: ['client'],
      now: 2000,
    })
  const rejected: EventBody = {
    type: 'call.settled',
    callId: 'a',
    outcome: { ok: false, error: { code: 'rejected', message: 'Rejected.' } },
    resolution: { kind: 'reject' },
    by: 'bob',
  }
  const expired: EventBody = {
    type: 'call.settled',
    callId: 'a',
    outcome: { ok: false, error: { code: 'expired', message: 'Expired.' } },
  }
  expect(late(ann, finance, rejected)).toMatchObject({ verdict: 'conflict', first: { by: 'bob' } })
  expect(late(eve, finance, rejected)).toMatchObject({ verdict: 'not-allowed' })
  expect(late(ann, finance, expired).verdict).toBe('expired')
  expect(late(eve, finance, expired).verdict).toBe('not-allowed')
})

test(proves('approval.distinct-people', 'the requester may not approve, under any spelling, and may reject'), () => {
  const hold = { notRequester: true, askedBy } as const
  for (const id of ['ann', 'ANN', ' ann', '\u0430nn'])
    expect(resolve(hold, person(id))).toMatchObject({
      verdict: 'not-allowed',
      message: expect.stringContaining('asked for'),
    })
  expect(resolve(hold, ann, [], 'reject').verdict).toBe('accepted')
  expect(resolve(hold, bob).verdict).toBe('accepted')
})

test('where the log does not say who asked, an explicit exclusion refuses every approval', () => {
  expect(resolve({ notRequester: true, askedBy: [{ via: 'message' }] }, bob)).toMatchObject({
    verdict: 'not-allowed',
    message: expect.stringContaining('does not say who'),
  })
})

test(
  proves(
    'approval.distinct-people',
    'two approvers are two people: neither a delegate nor the person they act for counts twice',
  ),
  () => {
    const hold = { ...finance, approvers: 2 }
    const cleo: Principal = { ...person('cleo'), delegations: [{ from: bob, until: 3000 }] }
    const forBob = resolve(hold, cleo)
    expect(forBob.events).toMatchObject([{ type: 'call.endorsed', by: 'cleo', onBehalfOf: 'bob' }])
    expect(resolve(hold, bob, forBob.events)).toMatchObject({ verdict: 'duplicate', remaining: 1 })
    const cleoInFinance = person('cleo', 'finance')
    expect(resolve(hold, cleoInFinance, forBob.events)).toMatchObject({ verdict: 'duplicate', remaining: 1 })
    expect(resolve(hold, ann, forBob.events)).toMatchObject({ verdict: 'accepted', remaining: 0 })
  },
)

test('a delegation ends at its time, and never lets the requester approve', () => {
  const hold = { ...finance, notRequester: true, askedBy } as const
  const delegate = (from: Principal, until: number): Principal => ({ ...eve, delegations: [{ from, until }] })
  expect(resolve(hold, delegate(bob, 2001)).verdict).toBe('accepted')
  expect(resolve(hold, delegate(bob, 2000)).verdict).toBe('not-allowed')
  expect(resolve(hold, delegate(ann, 9000)).verdict).toBe('not-allowed')
  expect(resolve(hold, { ...ann, delegations: [{ from: bob, until: 9000 }] }).verdict).toBe('not-allowed')
})

test('a key that acts for a person is recorded beside the person', () => {
  expect(resolve({}, { ...ann, via: 'key:slack' }).events).toMatchObject([{ by: 'ann', via: 'key:slack' }])
})

test('a quorum counts people, and programs only where the rule names them', () => {
  const [one, two] = [{ id: 'key:one', kind: 'program' } as const, { id: 'key:two', kind: 'program' } as const]
  const open = { approvers: 2 }
  expect(resolve(open, one)).toMatchObject({ verdict: 'not-allowed', events: [] })
  expect(resolve(open, one).message).toContain('key:one is no person')
  expect(resolve(open, { ...one, kind: 'agent' }).verdict).toBe('not-allowed')
  expect(resolve({ approvers: 1 }, one).verdict).toBe('accepted')
  expect(resolve(open, one, [], 'reject').verdict).toBe('accepted')
  const named = { approvers: 2, to: ['key:one', 'ann'] }
  const first = resolve(named, one)
  expect(first).toMatchObject({ verdict: 'accepted', remaining: 1 })
  expect(resolve(named, two, first.events).verdict).toBe('not-allowed')
  expect(resolve(named, ann, first.events)).toMatchObject({ verdict: 'accepted', remaining: 0 })
  // An edit that needs two people is no reason to count a program.
  const edited = { effective: {}, inputHash: 'other', rule: { approvers: 2 } }
  const edit = { callId: 'a', resolution: { kind: 'approve', input: {} }, by: one, now: 2000, edited } as const
  expect(decideResolve(findCall(log({ approvers: 1 }), 'a'), edit).verdict).toBe('not-allowed')
})

test('a key counts once, as itself or for people, and each person for whom it acts counts', () => {
  const hold = { approvers: 2, to: ['key:slack', 'ann', 'bob'] }
  const key: Principal = { id: 'key:slack', kind: 'program' }
  const asItself = resolve(hold, key)
  const forAnn = resolve(hold, { ...ann, via: 'key:slack' })
  expect(resolve(hold, { ...ann, via: 'key:slack' }, asItself.events)).toMatchObject({ verdict: 'duplicate' })
  expect(resolve(hold, key, forAnn.events)).toMatchObject({ verdict: 'duplicate', remaining: 1 })
  expect(resolve(hold, { ...bob, via: 'key:slack' }, forAnn.events)).toMatchObject({
    verdict: 'accepted',
    remaining: 0,
  })
})

test('a quorum excludes a named requester by default, and an application may say otherwise', () => {
  expect(approverRule({ required: true, approvers: 2 }, askedBy)).toEqual({ approvers: 2, notRequester: true })
  expect(approverRule({ required: true, approvers: 2 }, [{ via: 'message' }])).toEqual({ approvers: 2 })
  expect(approverRule({ required: true }, askedBy)).toEqual({ approvers: 1 })
  const all = { anyOf: ['group:finance'], count: 2, notRequester: false }
  expect(approverRule({ required: true, approvers: all }, askedBy)).toEqual({ approvers: 2, to: ['group:finance'] })
})

test('an edit is approved by people who may approve both the proposal and the edit', () => {
  const call = findCall(log(finance), 'a')
  const edit = (by: Principal): string =>
    decideResolve(call, {
      callId: 'a',
      resolution: { kind: 'approve', input: {} },
      by,
      now: 2000,
      edited: { effective: {}, inputHash: 'other', rule: { approvers: 1, to: ['group:board'] } },
    }).verdict
  expect(edit(ann)).toBe('not-allowed')
  expect(edit(person('kim', 'board'))).toBe('not-allowed')
  expect(edit(person('kim', 'board', 'finance'))).toBe('accepted')
})

test('a reminder and an escalation happen once each, at their time; then more people may approve', () => {
  const route = routeOf({ required: true, remindAfter: 1000, escalate: { after: 5000, to: ['group:board'] } }, 1000)
  const hold = { ...finance, ...route }
  expect(decideRemindApprovers(log(hold), 'a', 1999)).toMatchObject({ refusal: 'not-due' })
  const reminded = decideRemindApprovers(log(hold), 'a', 2000)
  expect(reminded).toMatchObject({ ok: true, events: [{ type: 'hold.reminded' }] })
  const first = reminded.ok ? reminded.events : []
  expect(decideRemindApprovers(log(hold, ...first), 'a', 3000)).toMatchObject({ refusal: 'not-due' })
  const escalated = decideRemindApprovers(log(hold, ...first), 'a', 6000)
  expect(escalated).toMatchObject({ ok: true, events: [{ type: 'hold.escalated', to: ['group:board'] }] })
  const events = [...first, ...(escalated.ok ? escalated.events : [])]
  expect(decideRemindApprovers(log(hold, ...events), 'a', 9000)).toMatchObject({ refusal: 'not-due' })
  const kim = person('kim', 'board')
  expect(resolve(hold, kim, first).verdict).toBe('not-allowed')
  expect(resolve(hold, kim, events).verdict).toBe('accepted')
  expect(resolve(hold, ann, events).verdict).toBe('accepted')
})

test('a hold is taken on by a person it is for, set free, and commented on', () => {
  const state = log(finance)
  const command = { callId: 'a', by: ann, now: 2000 }
  expect(decideAssign(state, { ...command, by: eve, assignee: 'eve' })).toMatchObject({ refusal: 'not-allowed' })
  const taken = decideAssign(state, { ...command, assignee: 'ann' })
  expect(taken).toMatchObject({ ok: true, events: [{ type: 'hold.assigned', assignee: 'ann', by: 'ann' }] })
  const mine = log(finance, ...(taken.ok ? taken.events : []))
  expect(findCall(mine, 'a')).toMatchObject({ assignee: 'ann' })
  expect(decideAssign(mine, { ...command, assignee: 'ann' })).toMatchObject({ ok: true, events: [] })
  expect(decideAssign(mine, { ...command, by: bob, assignee: undefined })).toMatchObject({ events: [{ by: 'bob' }] })
  expect(decideAssign(mine, { ...command, hold: 2, assignee: 'ann' })).toMatchObject({ refusal: 'hold-not-open' })
  const said = decideComment(mine, { ...command, text: 'Is this the right account?' })
  const noted = log(finance, ...(said.ok ? said.events : []))
  expect(findCall(noted, 'a')).toMatchObject({ comments: [{ text: 'Is this the right account?', by: 'ann' }] })
})

test('a stranger to the conversation neither takes on nor comments on a hold that names no one', () => {
  const command = { callId: 'a', now: 2000 }
  for (const access of ['own', 'all'] as const) {
    const by = { ...eve, access }
    const expected = access === 'own' ? { refusal: 'not-allowed' } : { ok: true }
    expect(decideAssign(log({}), { ...command, by, assignee: 'eve' })).toMatchObject(expected)
    expect(decideComment(log({}), { ...command, by, text: 'Hm' })).toMatchObject(expected)
  }
  const named = { ...ann, access: 'own' } as const
  expect(decideAssign(log(finance), { ...command, by: named, assignee: 'ann' })).toMatchObject({ ok: true })
  expect(decideComment(log(finance), { ...command, by: named, text: 'Hm' })).toMatchObject({ ok: true })
})

test('a comment on an async call of an earlier turn changes that call, and no call of the round', () => {
  const comment: EventBody = { type: 'hold.commented', callId: 'a', text: 'Soon', by: 'ann' }
  const earlier = [
    started,
    replied(1, 'a'),
    held('a', { kind: 'external', async: true, accepts: ['answer'] }),
    settled('a'),
  ]
  const atRest = after(...earlier, comment)
  expect(findCall(atRest, 'a')).toMatchObject({ comments: [{ text: 'Soon' }] })
  const inRound = after(...earlier, replied(2, 'sibling'), comment)
  expect(inRound.waiting.get('a')).toMatchObject({ comments: [{ text: 'Soon' }] })
  expect(inRound.turn).toMatchObject({ phase: 'calls', calls: [{ callId: 'sibling' }] })
  expect(findCall(inRound, 'sibling')?.comments).toBeUndefined()
})

test('a hold has at most 100 comments', () => {
  const comment: EventBody = { type: 'hold.commented', callId: 'a', text: 'again', by: 'ann' }
  const full = log({}, ...Array.from({ length: 100 }, () => comment))
  expect(decideComment(full, { callId: 'a', by: ann, now: 2000, text: 'one more' })).toMatchObject({
    refusal: 'limit-reached',
  })
})

test('a hold that is over is neither assigned nor escalated', () => {
  const over = after(started, replied(1, 'a', 'sibling'))
  expect(decideAssign(over, { callId: 'a', by: ann, now: 2000, assignee: 'ann' })).toMatchObject({
    refusal: 'hold-not-open',
  })
  expect(decideRemindApprovers(over, 'a', 9000)).toMatchObject({ refusal: 'hold-not-open' })
  expect(decideComment(over, { callId: 'a', by: ann, now: 2000, text: 'x' })).toMatchObject({
    refusal: 'hold-not-open',
  })
})

test('a caller without a right to approve resolves what is for it, and nothing else', () => {
  const kinds = ['client'] as const
  const answer = { kind: 'answer', value: 1 } as const
  const question = { kind: 'elicitation', accepts: ['answer', 'reject'], askedBy } as const
  const verdict = (hold: Partial<Hold>, by: Principal, resolution: Resolution = answer): string =>
    decideResolve(findCall(log(hold), 'a'), { callId: 'a', resolution, by, now: 2000, kinds }).verdict
  expect(verdict(question, ann)).toBe('accepted')
  expect(verdict(question, bob)).toBe('not-allowed')
  expect(verdict(question, { ...ann, kind: 'program' })).toBe('not-allowed')
  expect(verdict({ ...question, to: ['bob'] }, ann)).toBe('not-allowed')
  expect(verdict({ ...question, to: ['bob'] }, bob)).toBe('accepted')
  expect(verdict({ askedBy }, ann, { kind: 'approve' })).toBe('not-allowed')
  expect(verdict(finance, bob, { kind: 'approve' })).toBe('accepted')
})

test('an answer after the deadline is taken only from people that the question was for', () => {
  const question = { kind: 'elicitation', accepts: ['answer'], late: 'inbox', to: ['bob'] } as const
  const expired: EventBody = {
    type: 'call.settled',
    callId: 'a',
    outcome: { ok: false, error: { code: 'expired', message: 'No answer.' } },
  }
  const call = findCall(log(question, expired), 'a')
  const verdict = (by: Principal): string =>
    decideResolve(call, { callId: 'a', resolution: { kind: 'answer', value: 1 }, by, now: 90_000 }).verdict
  expect(verdict(eve)).toBe('not-allowed')
  expect(verdict(bob)).toBe('accepted')
})

test('only an open hold is reminded of, escalated, assigned or commented on', () => {
  const events: readonly EventBody[] = [
    { type: 'hold.reminded', callId: 'a' },
    { type: 'hold.escalated', callId: 'a', to: ['bob'] },
    { type: 'hold.assigned', callId: 'a', assignee: 'bob' },
    { type: 'hold.commented', callId: 'a', text: 'x' },
  ]
  for (const event of events) {
    expect(() => after(started, replied(1, 'a', 'sibling'), event)).toThrow('cannot have happened')
    expect(() => after(started, replied(1, 'b'), event)).toThrow('there is no such hold')
    expect(() => log({}, settled('a'), event)).toThrow('cannot have happened')
  }
})
