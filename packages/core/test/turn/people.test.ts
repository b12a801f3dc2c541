/** The people of a conversation: who owns it, who takes part, and what strangers are refused. */
import { proves } from '@holdpoint/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EventBody } from '../../src/log/log-event.ts'
import type { Principal } from '../../src/principal.ts'
import { fromBase, toBase } from '../../src/turn/conversation-base.ts'
import { decideCancel, decideSend } from '../../src/turn/decide.ts'
import { deriveRows } from '../../src/turn/derive-rows.ts'
import { decideParticipants, isParticipant } from '../../src/turn/people.ts'
import { evolve } from '../../src/turn/turn.ts'
import { emptyConversation, type Conversation } from '../../src/turn/turn-state.ts'

const IDS = ['ada', 'ben', 'cy', 'dee'] as const
const person = (id: string, access: 'own' | 'all' = 'own'): Principal => ({ id, kind: 'person', access })

function append(state: Conversation, events: readonly EventBody[]): Conversation {
  return events.reduce((now, event) => evolve(now, { ...event, seq: now.seq + 1, at: 0 }), state)
}

function said(by: string): Conversation {
  const item = { kind: 'message', message: { parts: [{ type: 'text', text: 'Hi' }], by } } as const
  const plan = { turnId: 't', agent: 'desk', limits: { maxSteps: 8 } }
  const decision = decideSend(emptyConversation, { item, plan, whileBusy: 'refuse', by: person(by) })
  return append(emptyConversation, decision.ok ? decision.events : [])
}

test(
  proves(
    'access.in-the-decision',
    'the author of the first message owns the conversation, and a stranger changes nothing',
  ),
  () => {
    const state = said('ada')
    expect(state.people).toEqual({ owner: 'ada', participants: [] })
    const item = { kind: 'message', message: { parts: [{ type: 'text', text: 'Hi' }], by: 'eve' } } as const
    const plan = { turnId: 'u', agent: 'desk', limits: { maxSteps: 8 } }
    for (const whileBusy of ['refuse', 'queue', 'supersede'] as const)
      expect(decideSend(state, { item, plan, whileBusy, by: person('eve') })).toMatchObject({ refusal: 'not-allowed' })
    expect(decideSend(state, { item: undefined, plan, whileBusy: 'refuse', by: person('eve') })).toMatchObject({
      refusal: 'not-allowed',
    })
    expect(decideCancel(state, undefined, person('eve'))).toMatchObject({ refusal: 'not-allowed' })
    expect(decideCancel(state, undefined, person('ada')).ok).toBe(true)
    expect(decideCancel(state, undefined, person('eve', 'all')).ok).toBe(true)
  },
)

test('whatever is asked, only the owner changes people, a participant only leaves, and the row names exactly them', () => {
  const change = fc.record({
    by: fc.constantFrom(...IDS),
    add: fc.subarray([...IDS]),
    // Often only the person themselves.
    remove: fc.oneof(fc.subarray([...IDS]), fc.constant('self' as const)),
    owner: fc.option(fc.constantFrom(...IDS), { nil: undefined }),
  })
  const counted = { accepted: 0, refused: 0, left: 0 }
  fc.assert(
    fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
      let state = said('ada')
      let owner = 'ada'
      let others = new Set<string>()
      for (const { by, add: added, remove: removed, owner: wanted } of changes) {
        const self = removed === 'self'
        const [add, remove, next]: readonly [readonly string[], readonly string[], string | undefined] = self
          ? [[], [by], undefined]
          : [added, removed, wanted]
        const decision = decideParticipants(state, {
          by: person(by),
          add,
          remove,
          ...(next !== undefined && { owner: next }),
        })
        const leaves = others.has(by) && add.length === 0 && next === undefined && remove.every((id) => id === by)
        expect(decision.ok).toBe(by === owner || leaves)
        counted[decision.ok ? (by === owner ? 'accepted' : 'left') : 'refused']++
        if (!decision.ok) continue
        for (const id of remove) others.delete(id)
        if (next !== undefined && next !== owner && !remove.includes(owner)) others.add(owner)
        owner = next ?? owner
        for (const id of add) if (!remove.includes(id)) others.add(id)
        others.delete(owner)
        const before = state
        state = append(state, decision.events)
        const labels = [owner, ...others].map((id) => `person:${id}`)
        if (decision.events.length > 0)
          expect([...(deriveRows(before, state, decision.events, []).labels ?? [])].toSorted()).toEqual(
            labels.toSorted(),
          )
        for (const id of IDS) expect(isParticipant(state.people, id)).toBe(id === owner || others.has(id))
      }
      others = new Set()
    }),
    { numRuns: 500, seed: 1 },
  )
  expect(Math.min(...Object.values(counted))).toBeGreaterThan(20)
})

test('a base keeps the people', () => {
  const rest = append(said('ada'), [{ type: 'turn.ended', turnId: 't', reason: 'cancelled' }])
  const decision = decideParticipants(rest, { by: person('ada'), add: ['ben'], remove: [] })
  const state = append(rest, decision.ok ? decision.events : [])
  const base = toBase(state)
  expect(base && fromBase(state.seq, JSON.parse(JSON.stringify(base))).people).toEqual({
    owner: 'ada',
    participants: ['ben'],
  })
})
