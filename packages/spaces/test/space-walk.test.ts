/** A space in which anything may happen, judged by its log alone. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { LogEvent, Member, SpaceEvent } from '@holdpoint/core'
import { spaceMachine, type SpaceState } from '@holdpoint/spaces'
import { decideJoin, decideLeave, decideOpen, decidePost, decideRead, decideShow } from '../src/space/decide-space.ts'
import { applySpaceEvent, emptySpaceView, spaceViewOf } from '../src/space/space-view.ts'

const MEMBERS: readonly Member[] = [
  { kind: 'human', id: 'ada' },
  { kind: 'human', id: 'desk' },
  { kind: 'agent', id: 'desk' },
  { kind: 'agent', id: 'scout' },
]
const ROLES = ['owner', 'member', 'reader'] as const

function walked(numbers: readonly number[]): readonly LogEvent[] {
  let at = 0
  const pick = <T>(options: readonly T[]): T => options[(numbers[at++] ?? 0) % options.length] as T
  const log: LogEvent[] = []
  let state: SpaceState = spaceMachine.empty
  const write = (events: readonly (SpaceEvent | { type: 'notices.delivered'; count: number })[]): void => {
    for (const body of events) {
      const event: LogEvent = { ...body, seq: state.seq + 1, at: at * 10 }
      state = spaceMachine.evolve(state, event)
      log.push(event)
    }
  }
  const decided = (decision: ReturnType<typeof decideJoin>): void => write(decision.ok ? decision.events : [])
  decided(decideOpen(undefined, true, { name: 'S', agentMessages: pick([0, 1, 3]), by: pick([undefined, MEMBERS[0]]) }))
  while (at < numbers.length) {
    const member = pick(MEMBERS)
    const by = pick([undefined, undefined, ...MEMBERS])
    const { space, seq, outbox } = state
    const toolCallId = pick(['c1', 'c2'])
    const agent = pick(['desk', 'scout'])
    pick<() => void>([
      () => decided(decideJoin(space, member, pick(ROLES), by)),
      () => decided(decideLeave(space, member, by)),
      () => decided(decidePost(space, { from: member, text: 'x' })),
      () => decided(decidePost(space, { from: member, text: 'y', replyTo: 1 })),
      () => decided(decideRead(space, seq, member, pick([1, seq, seq + 9]))),
      () => write(decideShow(space, { type: pick(['agent.activated', 'agent.rested'] as const), agent })),
      () =>
        write(decideShow(space, { type: 'tool.started', agent, toolCallId, name: 't', input: {}, status: 'running' })),
      () => write(decideShow(space, { type: 'tool.done', agent, toolCallId, output: 1 })),
      () => write(outbox.length > 0 ? [{ type: 'notices.delivered', count: pick([1, outbox.length]) }] : []),
    ])()
  }
  return log
}

const numbers = fc.array(fc.nat({ max: 1000 }), { minLength: 20, maxLength: 300, size: 'max' })

test('a message is news for every other agent that is there at that moment, until a person has to say something', () => {
  let woke = 0
  let quiet = 0
  fc.assert(
    fc.property(numbers, (given) => {
      let state: SpaceState = spaceMachine.empty
      const there = new Map<string, Member>()
      let chain = 0
      let most = 0
      for (const event of walked(given)) {
        const before = state.outbox.length
        state = spaceMachine.evolve(state, event)
        const told = state.outbox.slice(before)
        if (event.type === 'space.opened') most = event.agentMessages
        if (event.type === 'member.joined') there.set(`${event.member.kind} ${event.member.id}`, event.member)
        if (event.type === 'member.left') there.delete(`${event.member.kind} ${event.member.id}`)
        if (event.type !== 'message.posted') {
          expect(told).toEqual([])
          continue
        }
        const { from } = event
        const silent = from.kind === 'agent' && chain >= most
        chain = from.kind === 'human' ? 0 : chain + 1
        expect(event.quiet === true).toBe(silent)
        const others = [...there.values()].filter(
          ({ kind, id }) => kind === 'agent' && !(from.kind === kind && from.id === id),
        )
        const heard = told.flatMap((notice) => ('agents' in notice ? notice.agents : []))
        expect(heard).toEqual(silent ? [] : others.map(({ id }) => id))
        woke += heard.length
        quiet += silent ? 1 : 0
      }
    }),
    { numRuns: 500, seed: 8 },
  )
  expect(woke).toBeGreaterThan(100)
  expect(quiet).toBeGreaterThan(50)
})

test('the state that is kept of a space is at any time what its log folds to, and so is its view', () => {
  fc.assert(
    fc.property(numbers, (given) => {
      const log = walked(given)
      let state: SpaceState = spaceMachine.empty
      let view = emptySpaceView
      for (const event of log) {
        state = spaceMachine.evolve(state, event)
        const { base } = spaceMachine.derive(spaceMachine.empty, state, [], [])
        expect(spaceMachine.fromBase(state.seq, JSON.parse(JSON.stringify(base)))).toEqual(state)
        view = applySpaceEvent(applySpaceEvent(view, event as never), event as never)
      }
      expect(view).toEqual({ ...spaceViewOf(log as never), from: 1 })
      const now = spaceViewOf(log as never, state.space)
      expect({ ...view, members: sorted(view.members) }).toEqual({ ...now, members: sorted(now.members) })
      expect(state.space?.members.size === 0 || log.some(({ type }) => type === 'member.joined')).toBe(true)
    }),
    { numRuns: 300, seed: 9 },
  )
})

function sorted<T>(items: readonly T[]): readonly T[] {
  return items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
}
