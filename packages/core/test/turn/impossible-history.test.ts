import { expect, test } from 'vitest'
import { evolve, HoldpointError, type Conversation, type EventBody } from '../../src/index.ts'
import { after, approved, held, hello, ok, replied, running, settled, started } from './history.ts'

const endorsed: EventBody = { type: 'call.endorsed', callId: 'a', by: 'ann', inputHash: 'hash' }
const cleared: EventBody = { type: 'call.cleared', callId: 'a', inputHash: 'hash', fingerprint: 'print' }
const judged: EventBody = { type: 'call.judged', callId: 'a' }
const arrived: EventBody = { type: 'answer.arrived', callId: 'a', name: 'email.send', outcome: ok }
const ended: EventBody = { type: 'turn.ended', turnId: 't1', reason: 'cancelled' }
const messageChanged: EventBody = { type: 'message.changed', turnId: 't1', hooks: ['memory'] }
const rewritten: EventBody = { type: 'call.rewritten', callId: 'a', input: {}, hooks: ['limit'] }
const at = {
  rest: () => after(),
  model: () => after(started),
  messageChanged: () => after(started, messageChanged),
  ready: () => after(started, replied(1, 'a')),
  held: () => after(started, replied(1, 'a'), held('a')),
  running: () => after(started, replied(1, 'a'), running('a')),
  settled: () => after(started, replied(1, 'a', 'b'), settled('a')),
} as const

const cases: readonly [from: keyof typeof at, event: EventBody, why: string][] = [
  ['model', started, 'a turn starts while another goes on'],
  ['held', started, 'a turn starts while a call is held'],
  ['rest', { ...started, queued: 1 } as EventBody, 'more is taken from the queue than waits in it'],
  ['rest', replied(1), 'the model replies at rest'],
  ['ready', replied(2), 'the model replies while a call is open'],
  ['ready', replied(1), 'the model replies twice in one step'],
  ['model', replied(2), 'the reply belongs to another step'],
  ['model', { ...replied(1), turnId: 't9' } as EventBody, 'the reply belongs to another turn'],
  ['held', running('a'), 'a held call starts'],
  ['settled', running('a'), 'a settled call starts'],
  ['running', running('a', 3), 'an attempt is skipped'],
  ['ready', running('a', 2), 'the first attempt is not the first'],
  ['ready', running('z'), 'a call starts that was never made'],
  ['model', running('a'), 'a call starts while there is none'],
  ['held', held('a'), 'a held call is held again'],
  ['settled', held('a'), 'a settled call is held'],
  ['ready', approved('a'), 'a call is approved that is not held'],
  ['running', approved('a'), 'a running call is approved'],
  ['settled', approved('a'), 'a settled call is approved'],
  ['ready', endorsed, 'a call is endorsed that is not held'],
  ['running', endorsed, 'a running call is endorsed'],
  ['settled', endorsed, 'a settled call is endorsed'],
  ['held', cleared, 'a held call is cleared by its gate'],
  ['settled', cleared, 'a settled call is cleared by its gate'],
  ['held', judged, 'rules judge a held call'],
  ['settled', judged, 'rules judge a settled call'],
  ['settled', settled('a'), 'a call gets a second outcome'],
  ['ready', arrived, 'a late answer to a call that may still run'],
  ['held', arrived, 'a late answer to a held call'],
  ['running', arrived, 'a late answer to a running call'],
  ['rest', messageChanged, 'hooks changed a message that was never sent'],
  ['ready', messageChanged, 'hooks changed a message that the model has replied to'],
  ['messageChanged', messageChanged, 'hooks changed the same message twice'],
  ['model', { ...messageChanged, turnId: 't9' }, 'hooks changed the message of another turn'],
  ['held', rewritten, 'a hook puts another input into a held call'],
  ['running', rewritten, 'a hook puts another input into a running call'],
  ['settled', rewritten, 'a hook puts another input into a settled call'],
  ['rest', ended, 'a turn ends at rest'],
  ['model', { ...ended, turnId: 't9' }, 'another turn ends'],
  ['held', ended, 'a turn ends with a call held'],
  ['running', ended, 'a turn ends with a call running'],
  ['ready', ended, 'a turn ends with a call open'],
]

test.each(cases)('from %s, a log is refused loudly in which %#: %s', (from, event) => {
  const state = at[from]()
  expect(() => evolve(state, { ...event, seq: state.seq + 1, at: 0 })).toThrow(/cannot have happened/)
})

test('the refusal is a HoldpointError that names the event and says what to do', () => {
  const state = at.held()
  const error = thrown(() => evolve(state, { ...running('a'), seq: state.seq + 1, at: 0 }))
  expect(HoldpointError.is(error) && error.code).toBe('history-impossible')
  expect(String(error)).toContain('Event 4 (call.started)')
})

test('a gap and a repeat in the numbering are refused', () => {
  const state: Conversation = at.model()
  for (const seq of [state.seq, state.seq + 2])
    expect(() => evolve(state, { ...replied(1), seq, at: 0 })).toThrow(/the log goes from 1 to/)
})

test('an event of an unknown type is refused by its name', () => {
  const state: Conversation = at.model()
  const event = { type: 'turn.rewound', seq: state.seq + 1, at: 0 } as never
  expect(() => evolve(state, event)).toThrow('(turn.rewound) cannot have happened: there is no such type of event')
})

test('what waits in the queue is taken from its front', () => {
  const queue = (): EventBody => ({ type: 'message.queued', item: hello })
  const state = after(queue(), queue(), queue(), { ...started, queued: 2 } as EventBody)
  expect(state.queue).toHaveLength(1)
})

function thrown(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}
