/** A conversation whose store was restored from a backup: nothing goes on by itself until a message or an answer comes. */
import { expect, test } from 'vitest'
import { next, type EventBody } from '../../src/index.ts'
import { askersOf } from '../../src/turn/call.ts'
import { decideSend } from '../../src/turn/decide.ts'
import { after, hello, plan, started } from './history.ts'

const restored: EventBody = { type: 'conversation.restored' }
const queued: EventBody = { type: 'message.queued', item: hello }
const ended: EventBody = { type: 'turn.ended', turnId: 't1', reason: 'cancelled' }
const planned: EventBody = { type: 'plan.set', plan: { id: 'p', what: 'it', missed: 'once', nextAt: 5000 } }
const go = { item: undefined, plan, whileBusy: 'queue' } as const

test('a plan does not fire until a message comes; other events change nothing', () => {
  expect(next(after(started, ended, planned))).toHaveLength(1)
  expect(next(after(started, ended, planned, restored))).toEqual([])
  expect(after(started, ended, restored, planned)).toMatchObject({ restored: true })
  expect(after(started, ended, restored, queued)).toMatchObject({ restored: false })
})

test('to continue starts the turn that waits in the queue', () => {
  const waiting = after(started, queued, ended, restored)
  expect(next(waiting)).toEqual([])
  expect(decideSend(waiting, go)).toMatchObject({ ok: true, events: [{ type: 'turn.started', queued: 1 }] })
  // Without a restore, the queue starts its turn by itself.
  expect(decideSend(after(started, queued, ended), go)).toEqual({ ok: true, events: [] })
})

test('to continue goes on with the last turn where nothing waits', () => {
  expect(decideSend(after(started, ended, planned, restored), go)).toMatchObject({
    ok: true,
    events: [{ type: 'turn.started', items: [] }],
  })
})

test('a call that does not exist was held for no one', () => {
  expect(askersOf(undefined)).toEqual([])
})
