import { expect, test } from 'vitest'
import type { Frame } from '../../src/live/frame.ts'
import { applyFrame } from '../../src/live/view-live.ts'
import { messagesOf, type ViewMessage } from '../../src/live/view-messages.ts'
import { holdsOf, turnsOf } from '../../src/live/view-turns-and-holds.ts'
import type { View } from '../../src/live/view-shape.ts'
import { applyEvent, emptyView, viewOf, withEarlier } from '../../src/live/view.ts'
import { fold } from '../../src/turn/turn.ts'
import { approved, asked, call, held, log, replied, running, settled, started } from './events.ts'

const story = [
  started('t1', [asked('Write to Ada', 'ann'), asked('and to Bob', 'ann')]),
  replied('t1', 1, ['First Ada.', call('c1'), 'Then Bob.', call('c2')]),
  settled('c1'),
  settled('c2'),
  replied('t1', 2, ['Both are written to.']),
  started('t2', [asked('Thanks')]),
] as const

/** A chat in a few words. */
function told(messages: readonly ViewMessage[]): readonly string[] {
  return messages.map((message) => {
    if (message.role === 'answer') return `answer ${message.callId}: ${JSON.stringify(message.outcome)}`
    if (message.role === 'event') return `event ${message.event.type}`
    const parts = message.parts.map((part) => {
      if (part.type === 'call') return `[${part.call.callId} ${part.call.state}]`
      return 'text' in part ? part.text : `<${part.type}>`
    })
    return `${message.role}: ${parts.join(' ')}`
  })
}

function partsOf(view: View): readonly object[] {
  return messagesOf(view).flatMap((each): readonly object[] => ('parts' in each ? each.parts : []))
}

test('a chat reads as it was said: people, then one message of the agent per turn, calls where the model put them', () => {
  const messages = messagesOf(viewOf(log(...story)))

  expect(told(messages)).toEqual([
    'user: Write to Ada',
    'user: and to Bob',
    'assistant: First Ada. [c1 settled] Then Bob. [c2 settled] Both are written to.',
    'user: Thanks',
    'assistant: ',
  ])
  expect(messages[0]).toMatchObject({ by: 'ann', turnId: 't1', at: 100 })
  expect(messages[2]).toMatchObject({ agent: 'desk', turnId: 't1', at: 100, ended: { reason: 'completed', at: 500 } })
  expect(messages[4]).not.toHaveProperty('ended')
})

test('what is being written follows what was said in the same message, under the same id', () => {
  const before = viewOf(log(...story))
  const frames: Frame[] = [
    { type: 'reply-start', turnId: 't2', step: 1, attempt: 1 },
    { type: 'reply-text', turnId: 't2', step: 1, id: 'b', delta: 'You are' },
  ]
  const writing = viewOf([], frames, before)
  const retry: Frame = { type: 'model-retry', turnId: 't2', step: 1, attempt: 1, delayMs: 5, message: 'busy' }
  const done = viewOf(log(...story, replied('t2', 1, ['You are welcome.'])), [], writing)

  expect(told(messagesOf(writing)).at(-1)).toBe('assistant: You are')
  expect(told(messagesOf(done)).at(-1)).toBe('assistant: You are welcome.')
  expect(new Set([before, writing, done].map((view) => messagesOf(view).at(-1)?.id)).size).toBe(1)
  expect(messagesOf(applyFrame(before, retry)).at(-1)).toMatchObject({ parts: [], retry: { message: 'busy' } })
})

test('a piece of text replaces one message, and every other one is the same object', () => {
  const before = viewOf(log(...story))
  const after = applyFrame(before, { type: 'reply-text', turnId: 't2', step: 1, id: 'b', delta: 'Hi' })
  const [old, now] = [messagesOf(before), messagesOf(after)]

  expect(now.map((message, index) => message === old[index])).toEqual([true, true, true, true, false])
  expect(messagesOf(after)).toBe(now)
  expect(turnsOf(after)).toBe(turnsOf(after))
})

test('a call that changes replaces its message, and no other part of it', () => {
  const [first, second, third] = log(...story)
  if (!first || !second || !third) throw new Error('the story is too short')
  const before = viewOf([first, second])
  const after = applyEvent(before, third)
  const parts = [before, after].map((view) => partsOf(view))

  expect(messagesOf(after).map((message, index) => message === messagesOf(before)[index])).toEqual([true, true, false])
  expect(parts[1]?.map((part, index) => part === parts[0]?.[index])).toEqual([true, true, true, false, true, true])
})

test('the progress of one call leaves the parts of the others and the steps before alone', () => {
  const both = replied('t1', 2, [call('c1'), call('c2')])
  const events = log(started('t1'), replied('t1', 1, [call('c0')]), settled('c0'), both, running('c1'), running('c2'))
  const first = viewOf(events, [{ type: 'call-progress', callId: 'c1', value: 1 }])
  const second = viewOf([], [{ type: 'call-progress', callId: 'c2', value: 1 }], first)
  const parts = [first, second].map(partsOf)

  expect(parts[1]?.[2]).toMatchObject({ type: 'call', call: { callId: 'c1', progress: 1 } })
  expect(parts[1]?.map((part, index) => part === parts[0]?.[index])).toEqual([true, true, true, false])
  expect(turnsOf(second)[0]?.steps[0]).toBe(second.turns[0]?.steps[0])
})

test('an answer that came late opens the turn it started; a turn taken up again has no question of its own', () => {
  const outcome = { ok: true, value: 42 } as const
  const late = { kind: 'answer', callId: 'c9', name: 'budget.ask', outcome } as const
  const messages = messagesOf(viewOf(log(started('t1', [late]), replied('t1', 1, ['42 then.']), started('t2', []))))

  expect(told(messages)).toEqual(['answer c9: {"ok":true,"value":42}', 'assistant: 42 then.', 'assistant: '])
  expect(messages[0]).toMatchObject({ role: 'answer', name: 'budget.ask', turnId: 't1', at: 100 })
})

test('what waits in the queue is no message yet', () => {
  const view = viewOf(log(...story, { type: 'message.queued', item: asked('One more') }))
  expect(view.queue).toEqual([asked('One more')])
  expect(messagesOf(view)).toHaveLength(5)
})

test('asking for holds again gives the same list until one opens or closes', () => {
  const bodies = [started('t1'), replied('t1', 1, [call('c1'), call('c2')]), held('c1'), held('c2')]
  const view = viewOf(log(...bodies))

  expect(holdsOf(view)).toBe(holdsOf({ ...view, queue: [asked('x')] }))
  expect(holdsOf(view).map(({ callId }) => callId)).toEqual(['c1', 'c2'])
  const after = viewOf(log(...bodies, approved('c1')), [], view)
  expect(holdsOf(after)).toEqual([holdsOf(view)[1]])
  expect(holdsOf(after)[0]).toBe(holdsOf(view)[1])
})

test('a page learns from the state at its end what was open before it began', () => {
  const job = held('c1', { kind: 'external', accepts: ['answer'], async: true })
  const first = [
    started('t1'),
    replied('t1', 1, [call('c1')]),
    job,
    settled('c1', 'pending'),
    replied('t1', 2, ['Soon.']),
  ]
  const events = log(...first, started('t2', [asked('And?')]), replied('t2', 1, ['Wait.']))
  const page = viewOf(events.slice(5))
  const whole = withEarlier(page, fold(events))

  expect(holdsOf(page)).toEqual([])
  expect(holdsOf(whole)).toEqual(holdsOf(viewOf(events)))
  expect(whole.turns).toBe(page.turns)
  expect(withEarlier(emptyView, fold(events.slice(0, 5)))).toMatchObject({ from: 6, seq: 5, agent: 'desk', turns: [] })
  const known = viewOf(events)
  expect(holdsOf(withEarlier(known, fold(events)))[0]).toBe(holdsOf(known)[0])
  // A state of another moment says nothing about this page, but that there is more to fetch.
  expect(withEarlier(page, fold(events.slice(0, 5)))).toBe(page)
  expect(withEarlier(viewOf(events.slice(5, 6)), fold(events))).toEqual({ ...viewOf(events.slice(5, 6)), behind: 7 })
})
