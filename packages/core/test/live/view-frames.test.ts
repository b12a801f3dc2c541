import { expect, test } from 'vitest'
import type { Frame } from '../../src/live/frame.ts'
import { applyFrame } from '../../src/live/view-live.ts'
import { turnsOf } from '../../src/live/view-turns-and-holds.ts'
import type { View, ViewStreaming } from '../../src/live/view-shape.ts'
import { emptyView, viewOf } from '../../src/live/view.ts'
import { call, held, log, replied, running, settled, started } from './events.ts'

const place = { turnId: 't1', step: 1 } as const
const start = (attempt = 1): Frame => ({ type: 'reply-start', ...place, attempt })
const text = (delta: string, id = 'b1'): Frame => ({ type: 'reply-text', ...place, id, delta })
const input = (id: string, delta: string, name = ''): Frame => ({
  type: 'call-input',
  ...place,
  id,
  callId: `of ${id}`,
  name,
  delta,
})
const progress = (callId: string, value: number): Frame => ({ type: 'call-progress', callId, value })
const asking = viewOf(log(started('t1')))

function streaming(view: View): ViewStreaming | undefined {
  return turnsOf(view).at(-1)?.steps.at(-1)?.streaming
}

function shown(...frames: readonly Frame[]): readonly unknown[] | undefined {
  return streaming(viewOf([], frames, asking))?.parts.map(({ streaming: _yes, ...part }) => part)
}

test('a reply appears piece by piece in the place where it will stand, and gives way to it', () => {
  const frames = [
    start(),
    { type: 'reply-reasoning', ...place, id: 'r', delta: 'hm' } as const,
    text('One '),
    text('moment.'),
  ]
  const live = viewOf([], frames, asking)

  expect(turnsOf(live)[0]?.steps).toEqual([
    {
      step: 1,
      calls: [],
      streaming: {
        attempt: 1,
        parts: [
          { type: 'reasoning', streaming: true, id: 'r', text: 'hm' },
          { type: 'text', streaming: true, id: 'b1', text: 'One moment.' },
        ],
      },
    },
  ])
  const events = log(started('t1'), replied('t1', 1, ['One moment.', call('c1')]))
  const done = viewOf(events, [], live)
  expect(done).toEqual(viewOf(events))
  expect(turnsOf(done)[0]?.steps).toMatchObject([{ step: 1, reply: { parts: [{ text: 'One moment.' }, {}] } }])
})

test('blocks of text are told apart by kind and id, and stand in the order they began', () => {
  const thought: Frame = { type: 'reply-reasoning', ...place, id: 'b1', delta: 'hm' }
  expect(shown(text('a', 'b1'), text('x', 'b2'), thought, text('b', 'b1'), text('', 'b3'))).toEqual([
    { type: 'text', id: 'b1', text: 'ab' },
    { type: 'text', id: 'b2', text: 'x' },
    { type: 'reasoning', id: 'b1', text: 'hm' },
  ])
})

test('a new try voids what the one before showed, also when another process counts from 1 again', () => {
  for (const [before, after] of [
    [1, 2],
    [2, 1],
    [1, 1],
  ] as const) {
    const view = viewOf([], [start(before), text('half'), start(after), text('whole')], asking)
    expect(streaming(view)).toMatchObject({ attempt: after, parts: [{ text: 'whole' }] })
  }
})

test('that the model will be asked again shows until it is', () => {
  const retry: Frame = { type: 'model-retry', ...place, attempt: 1, delayMs: 500, message: 'busy' }
  const pausing = viewOf([], [start(), retry], asking)

  expect(streaming(pausing)).toEqual({ attempt: 1, parts: [], retry: { attempt: 1, delayMs: 500, message: 'busy' } })
  expect(streaming(applyFrame(pausing, start(2)))).toEqual({ attempt: 2, parts: [] })
})

test('who comes in the middle of a reply sees the rest of it, and that its beginning is missing', () => {
  const view = applyFrame(asking, text('the end.'))
  expect(streaming(view)).toEqual({ parts: [{ type: 'text', streaming: true, id: 'b1', text: 'the end.' }] })
})

test('frames that come too late, or are about nothing known, change nothing', () => {
  const calls = viewOf(log(started('t1'), replied('t1', 1, [call('c1')])))
  const over = viewOf(log(started('t1'), replied('t1', 1, ['Done.'])))
  const next = { ...start(), step: 2 } as Frame
  const unknown = { type: 'reply-painting', ...place, id: 'p' } as unknown as Frame

  for (const frame of [start(), text('x'), input('i', '{')]) expect(applyFrame(calls, frame)).toBe(calls)
  for (const frame of [start(), next, progress('c1', 1)]) expect(applyFrame(over, frame)).toBe(over)
  expect(applyFrame(asking, { ...start(), turnId: 't2' } as Frame)).toBe(asking)
  expect(applyFrame(emptyView, start())).toBe(emptyView)
  expect(applyFrame(asking, unknown)).toBe(asking)
})

test('a frame may overtake the events of the step before, and stays when they come', () => {
  const begun = [{ ...start(), step: 2 } as Frame, { ...text('Next.'), step: 2 } as Frame, text('old')]
  const events = log(started('t1'), replied('t1', 1, [call('c1')]), settled('c1'))
  const view = viewOf(events, [], viewOf([], begun, asking))

  expect(turnsOf(view)[0]?.steps).toMatchObject([{ step: 1 }, { step: 2, streaming: { parts: [{ text: 'Next.' }] } }])
  const second = { ...text('Next.'), step: 2 } as Frame
  expect(streaming(viewOf([], [start(), text('First.'), second], asking))).toMatchObject({ parts: [{ text: 'Next.' }] })
  const ended = viewOf(log(started('t1'), replied('t1', 1, ['Done.'])), [], viewOf([], begun, asking))
  expect(ended.live).toEqual(emptyView.live)
})

test('arguments grow under the name that came first; a whole call stands where the reply will have it', () => {
  const whole: Frame = { type: 'reply-call', ...place, id: 'v1', callId: 'c1', name: 'math.add', input: { a: 1 } }
  const written = [input('v1', '{"a"', 'math_add'), input('v2', '{', 'other'), input('v1', ':1}'), input('v1', '')]

  expect(shown(...written)).toEqual([
    { type: 'call-input', id: 'v1', name: 'math_add', text: '{"a":1}' },
    { type: 'call-input', id: 'v2', name: 'other', text: '{' },
  ])
  // The vendor may use the id again once its call is whole.
  expect(shown(...written, whole, input('v1', '[', 'again'))).toEqual([
    { type: 'call-input', id: 'v2', name: 'other', text: '{' },
    { type: 'call-input', id: 'v1', name: 'math.add', text: '{"a":1}', callId: 'c1', input: { a: 1 } },
    { type: 'call-input', id: 'v1', name: 'again', text: '[' },
  ])
  expect(shown(whole)).toEqual([
    { type: 'call-input', id: 'v1', name: 'math.add', text: '', callId: 'c1', input: { a: 1 } },
  ])
})

test('progress is the newest word of an open call, and is gone with its outcome', () => {
  const bodies = [started('t1'), replied('t1', 1, [call('c1'), call('c2')]), running('c1'), running('c2')]
  const words = [progress('c1', 1), progress('c2', 5), progress('c1', 2), progress('unknown', 9)]
  const busy = viewOf(log(...bodies), words)
  const told = (view: View): readonly unknown[] => turnsOf(view)[0]?.steps[0]?.calls.map((each) => each.progress) ?? []

  expect(told(busy)).toEqual([2, 5])
  const half = viewOf(log(...bodies, settled('c1')), [], busy)
  expect(told(half)).toEqual([undefined, 5])
  expect(applyFrame(half, progress('c1', 3))).toBe(half)
  expect(viewOf(log(...bodies, settled('c1'), settled('c2')), [], half).live).toBe(emptyView.live)
  expect(told(viewOf(log(...bodies, held('c2', { cause: 'asked' })), [], busy))).toEqual([2, 5])
})

test('a call that is started again shows nothing of the attempt before', () => {
  const bodies = [started('t1'), replied('t1', 1, [call('c1')])]
  // The first word may come before the event that the call was started.
  const early = applyFrame(viewOf(log(...bodies)), progress('c1', 1))
  const first = viewOf(log(...bodies, running('c1')), [], early)

  expect(first.live.progress).toEqual([{ callId: 'c1', value: 1 }])
  expect(viewOf(log(...bodies, running('c1'), running('c1', 2)), [], first).live).toBe(emptyView.live)
})

test('a piece of text costs the same in a conversation of a thousand turns', () => {
  const bodies = Array.from({ length: 1000 }, (_, n) => [started(`t${n}`), replied(`t${n}`, 1, ['Done.'])]).flat()
  const before = viewOf(log(...bodies, started('t1')))
  let view = before
  const since = performance.now()
  for (let n = 0; n < 10_000; n++) view = applyFrame(view, text('word '))

  expect(view.turns).toBe(before.turns)
  expect(streaming(view)?.parts).toMatchObject([{ text: 'word '.repeat(10_000) }])
  // About 2 ms; the limit allows for a host that takes the processor away. A copy of the turns for each piece takes longer.
  expect(performance.now() - since).toBeLessThan(10_000)
})
