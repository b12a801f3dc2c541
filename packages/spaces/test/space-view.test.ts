/** The live view of a space: the same as a view requested afterwards, plus the text that is being written. */
import type { SpaceEvent, SpaceFrame } from '@holdpoint/core'
import { applySpaceEvent, applySpaceFrame, emptySpaceView } from '@holdpoint/spaces'
import { expect, test } from 'vitest'
import { World } from '../../../test/kit/runtime-kit.ts'

const ada = { kind: 'human', id: 'ada' } as const
const bob = { kind: 'human', id: 'bob' } as const
const desk = { kind: 'agent', id: 'desk' } as const

const message = (at: number, delta: string, id = 'c1'): SpaceFrame => ({
  type: 'message.streaming',
  agent: 'desk',
  id,
  at,
  delta,
})

function after(...steps: readonly (SpaceFrame | SpaceEvent)[]) {
  let view = emptySpaceView
  let seq = 0
  for (const step of steps)
    if (isFrame(step)) view = applySpaceFrame(view, step)
    else view = applySpaceEvent(view, { ...step, seq: ++seq, at: 0 })
  return view
}

/** An event and a frame may have the same type: the frame is about a call that is still being written. */
function isFrame(step: SpaceFrame | SpaceEvent): step is SpaceFrame {
  return step.type.endsWith('.streaming') || (step.type === 'tool.started' && step.status === 'writing')
}

const texts = (view: ReturnType<typeof after>): readonly string[] => view.writing.map(({ text }) => text)

test('a repeated piece changes nothing, a restarted one replaces, and one too far ahead is ignored', () => {
  expect(texts(after(message(0, 'Hel'), message(3, 'lo')))).toEqual(['Hello'])
  expect(texts(after(message(0, 'Hello'), message(3, 'lo')))).toEqual(['Hello'])
  expect(texts(after(message(0, 'Hello'), message(0, 'Bye')))).toEqual(['Bye'])
  expect(texts(after(message(3, 'lo')))).toEqual([])
  expect(texts(after(message(0, 'He'), message(3, 'lo')))).toEqual(['He'])
})

test('a draft disappears when its message arrives, or when its writer stopped', () => {
  const tool: SpaceFrame = {
    type: 'tool.streaming',
    agent: 'desk',
    toolCallId: 't',
    name: 'chart',
    at: 0,
    delta: '{"n"',
  }
  const posted: SpaceEvent = { type: 'message.posted', from: desk, text: 'Hello' }
  const started = { type: 'tool.started', agent: 'desk', toolCallId: 't', name: 'chart', input: {}, status: 'running' }
  const writing = [message(0, 'Hello'), message(0, 'Again', 'c3'), tool]
  expect(texts(after(...writing))).toEqual(['Hello', 'Again', '{"n"'])
  expect(texts(after(...writing, posted))).toEqual(['Again', '{"n"'])
  expect(texts(after(...writing, started as SpaceEvent))).toEqual(['Hello', 'Again'])
  expect(texts(after(...writing, { ...posted, from: { kind: 'human', id: 'desk' } }))).toHaveLength(3)
  expect(texts(after(...writing, { type: 'agent.rested', agent: 'desk' }))).toEqual([])
  expect(texts(after(...writing, { type: 'member.left', member: desk }))).toEqual([])
})

test('a view that follows every event is the one that the store would give', async () => {
  const world = new World()
  const { runtime } = await world.process('one', {})
  const { spaces } = runtime
  await spaces.create({ id: 'trip', name: 'Trip', by: ada, members: [{ member: bob }, { member: desk }] })
  const same = async (): Promise<void> => {
    let view = emptySpaceView
    for (const event of await world.log('trip'))
      view = applySpaceEvent(view, event as Parameters<typeof applySpaceEvent>[1])
    expect(view).toEqual(await spaces.view('trip'))
  }
  await same()
  await spaces.join('trip', ada, { role: 'owner' })
  await spaces.join('trip', bob, { role: 'owner' })
  await same()
  await spaces.post('trip', 'Hello', { from: bob })
  await spaces.read('trip', ada, 99)
  await spaces.leave('trip', ada, { by: ada })
  await same()
})
