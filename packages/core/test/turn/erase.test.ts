/** The tombstone of an erased conversation: what may be erased, what follows from it, and what a view shows. */
import { evolve, fold, next, type LogEvent } from '@holdpoint/core'
import { applyEvent, emptyView, viewOf } from '@holdpoint/core/view'
import { conversationMachine } from '@holdpoint/core/internal/turn/conversation-machine'
import { decideErase } from '@holdpoint/core/internal/turn/erase'
import { refuseErased } from '@holdpoint/core/internal/turn/erased'
import { emptyConversation, type Conversation } from '@holdpoint/core/internal/turn/turn-state'
import { expect, test } from 'vitest'

const opened: LogEvent = { type: 'conversation.opened', agent: 'desk', by: 'ada', seq: 1, at: 10 }
const queued: LogEvent = {
  type: 'message.queued',
  item: { kind: 'message', message: { parts: [{ type: 'text', text: 'secret' }], by: 'ada' } },
  seq: 2,
  at: 20,
}
const erased: LogEvent = { type: 'conversation.erased', agent: 'desk', by: 'ada', reason: 'request 12', seq: 9, at: 30 }
const tombstone: Conversation = {
  ...emptyConversation,
  seq: 9,
  agent: 'desk',
  erased: { at: 30, by: 'ada', reason: 'request 12' },
}

test('the tombstone follows any event, and alone it is the same', () => {
  for (const events of [[erased], [opened, erased], [opened, queued, erased]]) expect(fold(events)).toEqual(tombstone)
  expect(next(tombstone)).toEqual([])
})

test('the tombstone of an agent that is in a space has no notice for the space', () => {
  const inSpace: Conversation = { ...fold([opened]), space: 'room' }
  expect(evolve(inSpace, { ...erased, seq: 2 })).toEqual({ ...tombstone, seq: 2 })
})

test('nothing follows a tombstone, and it does not come twice', () => {
  for (const event of [
    { ...opened, seq: 10 },
    { ...queued, seq: 10 },
    { ...erased, seq: 10 },
  ])
    expect(() => evolve(tombstone, event)).toThrow('the conversation was erased')
  expect(() => evolve(fold([opened, queued]), { ...erased, seq: 2 })).toThrow('cannot have happened')
})

test('the kept state of a tombstone is the tombstone, and its row is hidden and has no people', () => {
  const before = fold([opened])
  const after = evolve(before, { ...erased, seq: 2 })
  const { base, hidden, labels, status, holds, wakeAt } = conversationMachine.derive(before, after, [erased], [])
  expect({ hidden, labels, status, holds, wakeAt }).toEqual({ hidden: true, labels: [], status: 'idle', holds: [] })
  expect(conversationMachine.fromBase(2, JSON.parse(JSON.stringify(base)))).toEqual({ ...tombstone, seq: 2 })
})

test('a conversation is erased once, by its owner or with access to all, and at rest or with `cancel`', () => {
  const state = fold([opened])
  const own = (id: string) => ({ id, kind: 'person', access: 'own' }) as const
  const { seq: _seq, at: _at, ...event } = erased
  const erase = { by: own('ada'), reason: 'request 12', cancel: false }
  expect(decideErase(state, erase)).toEqual({ ok: true, events: [event] })
  expect(decideErase(state, { ...erase, by: own('ben') })).toMatchObject({ ok: false, refusal: 'not-allowed' })
  expect(decideErase(state, { ...erase, by: undefined })).toMatchObject({ ok: true })
  const busy = fold([opened, queued])
  expect(decideErase(busy, erase)).toMatchObject({ ok: false, refusal: 'turn-in-progress' })
  expect(decideErase(busy, { ...erase, cancel: true })).toMatchObject({ ok: true })
  expect(decideErase(tombstone, { ...erase, by: own('ben') })).toEqual({ ok: true, events: [] })
  expect(refuseErased(tombstone)).toMatchObject({ ok: false, refusal: 'erased' })
  expect(refuseErased(state)).toBeUndefined()
})

test('a view shows the tombstone alone, however far it was behind', () => {
  const shown = { ...emptyView, seq: 9, agent: 'desk', erased: { at: 30, by: 'ada', reason: 'request 12' } }
  for (const events of [[erased], [opened, erased], [opened, queued, erased]]) expect(viewOf(events)).toEqual(shown)
  const view = viewOf([erased])
  expect(applyEvent(view, erased)).toBe(view)
  expect(viewOf([], [{ type: 'reply-start', turnId: 't', step: 1, attempt: 1 }], view)).toBe(view)
})
