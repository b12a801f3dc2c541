import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { applyFrame } from '../../src/live/view-live.ts'
import { messagesOf } from '../../src/live/view-messages.ts'
import { holdsOf, turnsOf } from '../../src/live/view-turns-and-holds.ts'
import type { View } from '../../src/live/view-shape.ts'
import { applyEvent, emptyView, viewOf, withEarlier } from '../../src/live/view.ts'
import type { LogEvent } from '../../src/log/log-event.ts'
import { openHolds } from '@holdpoint/runtime/internal/session/result'
import { hasWork } from '../../src/log/machine.ts'
import { conversationMachine } from '../../src/turn/conversation-machine.ts'
import { emptyConversation } from '../../src/turn/turn-state.ts'
import { evolve, fold } from '../../src/turn/turn.ts'
import { callsOfLog, callsOfView, inputsOfLog, without } from './reference.ts'
import { choices, randomLog, withFrames, type RandomLog } from '../../../../test/kit/random-log.ts'

vi.setConfig({ testTimeout: 300_000 })

const numbers = fc.array(fc.nat({ max: 1000 }), { minLength: 30, maxLength: 200, size: 'max' })

async function check(runs: number, property: (given: RandomLog, numbers: readonly number[]) => void): Promise<void> {
  await fc.assert(
    fc.asyncProperty(choices, numbers, async (given, picks) => property(await randomLog(given), picks)),
    { numRuns: runs, seed: 20311 },
  )
}

function copied<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}

test('after every event, holds, status, queue and calls are those of the state the log folds to', async () => {
  const met: Record<string, number> = {}
  await check(250, ({ log }) => {
    let state = emptyConversation
    let view = emptyView
    const calls = callsOfLog(log)
    log.forEach((event, index) => {
      state = evolve(state, event)
      view = applyEvent(view, event)
      expect(without(holdsOf(view), 'heldAt', 'endorsements')).toEqual(openHolds(state))
      expect(view.status).toBe(
        hasWork(conversationMachine, state) ? 'running' : state.turn.phase === 'calls' ? 'held' : 'idle',
      )
      expect({ seq: view.seq, agent: view.agent, queue: view.queue }).toEqual({
        seq: state.seq,
        agent: state.agent,
        queue: state.queue.map(({ item }) => item),
      })
      expect(callsOfView(view)).toEqual(calls[index])
      for (const what of [event.type, view.status, holdsOf(view).some((hold) => hold.async) ? 'async' : 'none'])
        met[what] = (met[what] ?? 0) + 1
    })
    expect(turnsOf(view).flatMap(({ steps }) => steps.flatMap(({ calls: each }) => each.map((c) => c.input)))).toEqual(
      inputsOfLog(log),
    )
  })
  // What was never met was not shown.
  for (const what of ['call.endorsed', 'call.approved', 'answer.arrived', 'message.queued', 'idle', 'held', 'async'])
    expect(met[what] ?? 0, what).toBeGreaterThan(20)
})

test('turns show what the log says of them: items, replies, times and how they ended', async () => {
  await check(150, ({ log }) => {
    const { turns } = viewOf(log)
    const started = log.filter((event) => event.type === 'turn.started')
    expect(turns.map(({ turnId, startedAt, items }) => ({ turnId, startedAt, items }))).toEqual(
      started.map(({ turnId, at, items }) => ({ turnId, startedAt: at, items })),
    )
    const replied = log.filter((event) => event.type === 'model.replied')
    expect(turns.flatMap(({ steps }) => steps.map(({ reply }) => reply))).toEqual(replied.map(({ reply }) => reply))
    const { turn } = fold(log)
    turns.forEach((each, index) => {
      const newest = index === turns.length - 1
      expect(each.ended === undefined, 'only the newest turn goes on').toBe(newest && turn.phase !== 'rest')
    })
    if (turn.phase === 'rest' && turn.last)
      expect(turns.at(-1)?.ended).toMatchObject({ reason: turn.last.reason, at: log.findLast(endsTurn)?.at })
  })
})

function endsTurn({ type }: LogEvent): boolean {
  return type === 'turn.ended' || type === 'model.replied'
}

test('a view goes on from where it was, also when it was stored as JSON in between', async () => {
  await check(150, ({ log }, [cut = 0]) => {
    const half = cut % (log.length + 1)
    const whole = viewOf(log)
    const first = viewOf(log.slice(0, half))
    expect(viewOf(log.slice(half), [], first)).toEqual(whole)
    expect(viewOf(log.slice(half), [], copied(first))).toEqual(whole)
  })
})

test('applying an event again changes nothing, and the same object comes back', async () => {
  await check(100, ({ log }, picks) => {
    let view = emptyView
    log.forEach((event, index) => {
      view = applyEvent(view, event)
      expect(applyEvent(view, event)).toBe(view)
      const older = log[(picks[index % picks.length] ?? 0) % (index + 1)] ?? event
      expect(applyEvent(view, older)).toBe(view)
    })
    expect(view).toEqual(viewOf(log))
  })
})

test('whatever frames come between, the events say the same, and nothing live outlives its turn', async () => {
  const met = { streaming: 0, progress: 0, ignored: 0 }
  await check(300, (given, picks) => {
    let view = emptyView
    let alone = emptyView
    for (const item of withFrames(given, picks)) {
      const before = view
      if ('seq' in item) {
        view = applyEvent(view, item)
        alone = applyEvent(alone, item)
      } else view = applyFrame(view, item)
      if (view === before) met.ignored++
      expect({ ...view, live: emptyView.live }).toEqual(alone)
      checkLive(view)
      if (view.live.reply?.parts.length) met.streaming++
      if (view.live.progress.length) met.progress++
    }
    if (view.turns.at(-1)?.ended) expect(view).toEqual(viewOf(given.log))
  })
  for (const [what, times] of Object.entries(met)) expect(times, what).toBeGreaterThan(500)
})

/** Live is only what the events have not said yet. */
function checkLive(view: View): void {
  const { reply, progress } = view.live
  const turn = view.turns.at(-1)
  if (reply) {
    expect(turn?.ended).toBeUndefined()
    expect(reply.turnId).toBe(turn?.turnId)
    expect(reply.step).toBeGreaterThan(turn?.steps.at(-1)?.step ?? 0)
    expect(turnsOf(view).at(-1)?.steps.at(-1)?.streaming?.parts).toBe(reply.parts)
  }
  const open = turn?.steps.flatMap(({ calls }) => calls.filter(({ state }) => state !== 'settled')) ?? []
  for (const { callId, value } of progress) {
    expect(open.map((call) => call.callId)).toContain(callId)
    const shown =
      turnsOf(view)
        .at(-1)
        ?.steps.flatMap(({ calls }) => calls) ?? []
    expect(shown.find((call) => call.callId === callId)?.progress).toEqual(value)
  }
}

test('a page that begins at any turn shows the same turns, and with the state at its end the same of everything', async () => {
  let earlierHolds = 0
  await check(120, ({ log: all }, picks) => {
    for (const length of [all.length, ...picks.slice(0, 8).map((pick) => pick % (all.length + 1))]) {
      const log = all.slice(0, length)
      const whole = viewOf(log)
      const state = fold(log)
      log.forEach((event, index) => {
        if (event.type !== 'turn.started') return
        const page = viewOf(log.slice(index))
        const turns = whole.turns.slice(-page.turns.length)
        expect(page).toMatchObject({ from: event.seq, seq: whole.seq, agent: whole.agent })
        expect(page.turns).toEqual(turns)
        expect(withEarlier(page, state)).toEqual({ ...whole, from: event.seq, turns })
        if (holdsOf(page).length < holdsOf(whole).length) earlierHolds++

        const after = withEarlier(emptyView, fold(log.slice(0, index)))
        expect(after).toMatchObject({ from: event.seq, seq: event.seq - 1, turns: [] })
        expect(viewOf(log.slice(index), [], after)).toEqual({ ...whole, from: event.seq, turns })
      })
    }
  })
  expect(earlierHolds).toBeGreaterThan(20)
})

test('a page that begins anywhere else shows the turns that begin on it', async () => {
  await check(100, ({ log }, [cut = 0]) => {
    if (log.length === 0) return
    const events = log.slice(cut % log.length)
    const page = viewOf(events)
    const begun = events.filter(({ type }) => type === 'turn.started').length
    expect(page.turns).toEqual(begun === 0 ? [] : viewOf(log).turns.slice(-begun))
    expect(page).toMatchObject({ from: events[0]?.seq, seq: log.length })
  })
})

test('an event that is missing leaves the view true and behind, until it comes', async () => {
  await check(150, ({ log }, [cut = 0]) => {
    if (log.length < 3) return
    const lost = 1 + (cut % (log.length - 2))
    const before = viewOf(log.slice(0, lost))
    const behind = viewOf(log.slice(lost + 1), [], before)
    expect(behind).toEqual({ ...before, behind: log.length })
    const half = Math.floor((lost + log.length) / 2)
    expect(viewOf(log.slice(lost, half), [], behind)).toEqual({
      ...viewOf(log.slice(0, half)),
      ...(half < log.length && { behind: log.length }),
    })
    expect(viewOf(log.slice(lost), [], behind)).toEqual(viewOf(log))
  })
})

test('a view is JSON, hostile names and texts included', async () => {
  await check(100, (given, picks) => {
    let view = emptyView
    withFrames(given, picks).forEach((item, index) => {
      view = 'seq' in item ? applyEvent(view, item) : applyFrame(view, item)
      if (index % 7 > 0) return
      expect(copied(view)).toStrictEqual(view)
      expect(copied(messagesOf(view))).toStrictEqual(messagesOf(view))
    })
  })
})

test('what did not change is the same object as before: turns, calls, holds, messages and their finished parts', async () => {
  await check(60, (given, picks) => {
    let view = emptyView
    for (const item of withFrames(given, picks)) {
      const before = view
      view = 'seq' in item ? applyEvent(view, item) : applyFrame(view, item)
      expectShared(before.turns, view.turns)
      expectShared(turnsOf(before).flatMap(callsIn), turnsOf(view).flatMap(callsIn))
      expectShared(holdsOf(before), holdsOf(view))
      // The newest message may be rebuilt for a change that it does not show, such as a model call.
      expectShared(messagesOf(before).slice(0, -1), messagesOf(view).slice(0, -1))
      expectShared(messagesOf(before).flatMap(partsIn), messagesOf(view).flatMap(partsIn))
      expect(messagesOf(view)).toBe(messagesOf({ ...view }))
      if (!('seq' in item)) expect(view.turns).toBe(before.turns)
    }
  })
})

function callsIn({ steps }: View['turns'][number]): readonly object[] {
  return steps.flatMap(({ calls }): readonly object[] => calls)
}

function partsIn(message: ReturnType<typeof messagesOf>[number]): readonly object[] {
  return 'parts' in message ? message.parts.filter((part) => !('streaming' in part)) : []
}

function expectShared(before: readonly object[], after: readonly object[]): void {
  const texts = new Map(before.map((each) => [each, JSON.stringify(each)]))
  after.forEach((each, index) => {
    const old = before[index]
    if (old && old !== each && texts.get(old) === JSON.stringify(each)) throw new Error(`rebuilt: ${texts.get(old)}`)
  })
}

test('the messages have every item, every part of every reply in its order, and ids of their own', async () => {
  await check(150, ({ log }) => {
    const view = viewOf(log)
    const messages = messagesOf(view)
    expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length)
    const parts = messages.flatMap((message) => (message.role === 'assistant' ? message.parts : []))
    const said = log.flatMap((event) => (event.type === 'model.replied' ? event.reply.parts : []))
    expect(parts.map((part) => (part.type === 'call' ? part.call.callId : part))).toEqual(
      said.map((part) => (part.type === 'call' ? part.callId : part)),
    )
    const items = log.flatMap((event) => (event.type === 'turn.started' ? event.items : []))
    expect(messages.filter(({ role }) => role !== 'assistant').length).toBe(items.length)
  })
})
