/** Who may assign a hold: exactly those who may resolve it. And what happens to the holds of a person who left. */
import { expect, test } from 'vitest'
import type { EventBody, Hold, HoldKind, Principal } from '../../src/index.ts'
import { decideAssign, decideHandOver } from '../../src/turn/assign-and-comment.ts'
import { findCall } from '../../src/turn/find-call.ts'
import { rightsOnHold } from '../../src/turn/hold-rights.ts'
import { openHold } from '../../src/turn/call.ts'
import { after, held, replied, started } from './history.ts'

const person = (id: string, ...groups: readonly string[]): Principal => ({ id, kind: 'person', groups })
const ann = person('ann', 'finance')
const bob = person('bob', 'finance')
const finance = { to: ['group:finance'] } as const

function log(hold: Partial<Hold>, ...events: readonly EventBody[]): ReturnType<typeof after> {
  return after(started, replied(1, 'a', 'sibling'), held('a', hold), ...events)
}

const askedBy = [{ via: 'message', by: 'cleo' }] as const
const holds: Readonly<Record<string, Partial<Hold>>> = {
  'an approval': { kind: 'approval', accepts: ['approve', 'reject'] },
  'an approval for finance': {
    kind: 'approval',
    accepts: ['approve', 'reject'],
    ...finance,
    notRequester: true,
    askedBy,
  },
  'a question': { kind: 'elicitation', accepts: ['answer'], askedBy },
  'a client call': { kind: 'client', accepts: ['answer'] },
  'a worker call': { kind: 'external', accepts: ['answer'] },
}
const callers = [ann, person('cleo'), person('cleo', 'finance'), person('eve', 'sales')]
const kinds: readonly (readonly HoldKind[] | undefined)[] = [undefined, ['client'], ['elicitation', 'client'], []]

test.each(Object.keys(holds))('%s is assigned by those who may resolve it, and by no others', (name) => {
  const state = log(holds[name]!)
  const call = findCall(state, 'a')!
  const hold = openHold(call)!
  const seen = new Set<boolean>()
  for (const by of callers)
    for (const only of kinds) {
      const asked = { by, now: 2000, ...(only && { kinds: only }) }
      const { resolve } = rightsOnHold(call, hold, asked)
      const { ok } = decideAssign(state, { ...asked, callId: 'a', assignee: by.id })
      expect([by.id, only, ok]).toEqual([by.id, only, resolve])
      seen.add(ok)
    }
  expect(seen).toEqual(new Set([true, false]))
})

test('a person whom the hold does not name is told for whom it is', () => {
  const asked = { callId: 'a', by: person('eve', 'sales'), now: 2000, assignee: 'eve' }
  expect(decideAssign(log(finance), asked)).toEqual({
    ok: false,
    refusal: 'not-allowed',
    message: expect.stringMatching(/^Call a /),
  })
})

test('a hold of a person who left is taken over by any other who may decide it', () => {
  const state = log(finance, { type: 'hold.assigned', callId: 'a', assignee: 'ann', by: 'ann' })
  const taken = decideAssign(state, { callId: 'a', by: bob, now: 2000, assignee: 'bob' })
  expect(taken).toEqual({ ok: true, events: [{ type: 'hold.assigned', callId: 'a', assignee: 'bob', by: 'bob' }] })
})

test('an operator hands the hold of a person over, who need not be an approver', () => {
  const state = log(finance, { type: 'hold.assigned', callId: 'a', assignee: 'ann', by: 'ann' })
  const root: Principal = { id: 'key:admin', kind: 'program' }
  const command = { callId: 'a', from: 'ann', to: undefined, by: root }
  const freed: EventBody = { type: 'hold.assigned', callId: 'a', by: 'key:admin' }
  expect(decideHandOver(state, command)).toEqual({ ok: true, events: [freed] })
  expect(decideHandOver(state, { ...command, to: 'bob' })).toMatchObject({ events: [{ ...freed, assignee: 'bob' }] })
  expect(findCall(log(finance, freed), 'a')?.assignee).toBeUndefined()
  const own = { ...bob, access: 'own' } as const
  expect(decideHandOver(state, { ...command, by: own })).toMatchObject({ ok: false, refusal: 'not-allowed' })
  // It has another assignee by now, is given to the same person, or is over.
  for (const change of [{ from: 'bob' }, { to: 'ann' }, { callId: 'other' }])
    expect(decideHandOver(state, { ...command, ...change })).toEqual({ ok: true, events: [] })
})
