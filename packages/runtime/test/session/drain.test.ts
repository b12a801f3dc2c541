import { memoryStore, proves } from '@holdpoint/testing'
import fc from 'fast-check'
import { Session, tool, type LogEvent, type Store, type Tool } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { byProgress } from './crash.ts'
import {
  addressOf,
  call,
  desk,
  expectSound,
  goOn,
  live,
  outcomes,
  say,
  tick,
  until,
} from '../../../../test/kit/session-kit.ts'

const description = 'For a test'
const input = z.object({})

/** What was run, and the calls that are at it until they are let go. */
class Workshop {
  readonly ran: string[] = []
  readonly aborted: string[] = []
  #open = Promise.withResolvers<void>()

  release(): void {
    this.#open.resolve()
  }

  get tools(): Tool[] {
    const run = async ({ call: { id }, signal }: { call: { id: string }; signal: AbortSignal }): Promise<string> => {
      this.ran.push(id)
      signal.addEventListener('abort', () => this.aborted.push(id))
      await this.#open.promise
      return 'done'
    }
    return [
      tool({ name: 'slow', description, input, run }),
      tool({ name: 'gated', description, input, approval: 'required', run }),
    ]
  }
}

async function written(store: Store): Promise<readonly LogEvent[]> {
  return store.read(addressOf('c'), 0)
}

/** Calls that were started and have no outcome. */
function running(events: readonly LogEvent[]): readonly string[] {
  const over = new Set(events.flatMap((event) => (event.type === 'call.settled' ? [event.callId] : [])))
  return events.flatMap((event) => (event.type === 'call.started' && !over.has(event.callId) ? [event.callId] : []))
}

const three = { calls: [call('slow'), call('slow'), call('slow')] }

test('a driver that is drained finishes what runs, writes its results, and begins nothing more', async () => {
  const store = memoryStore({ now: () => 0 })
  const workshop = new Workshop()
  const here = desk([three, 'Never asked for.'], { tools: workshop.tools, maxParallel: 2 })
  const conversation = await live(here.agent, store)
  const sent = say(conversation, 'Go')
  await until(() => workshop.ran.length === 2)
  const driver = conversation.driver!

  driver.drain()
  workshop.release()
  await sent

  expect(await driver.done).toBe('left')

  expect((await written(store)).map(({ type }) => type)).toEqual([
    'turn.started',
    'model.replied',
    'call.started',
    'call.started',
    'call.settled',
    'call.settled',
  ])
  expect([workshop.ran.length, workshop.aborted, here.model.requests.length]).toEqual([2, [], 1])
})

test('what a drained driver left is gone on with by the next one, here or elsewhere', async () => {
  for (const elsewhere of [false, true]) {
    const store = memoryStore({ now: () => 0 })
    const workshop = new Workshop()
    const conversation = await live(desk([three, 'Here.'], { tools: workshop.tools, maxParallel: 1 }).agent, store)
    const sent = say(conversation, 'Go')
    await until(() => workshop.ran.length === 1)
    conversation.driver!.drain()
    workshop.release()
    await sent

    const there = await live(desk(['There.'], { tools: workshop.tools, process: 'q' }).agent, store)
    const result = await goOn(elsewhere ? there : conversation)

    expect(result).toMatchObject({ status: 'done', text: elsewhere ? 'There.' : 'Here.' })
    expect(new Set(workshop.ran).size).toBe(3)
    expect(workshop.ran).toHaveLength(3)
  }
})

test('a reply that comes while the driver is drained is written, and its calls wait for the next one', async () => {
  const store = memoryStore({ now: () => 0 })
  const workshop = new Workshop()
  const conversation = await live(
    desk([() => (conversation.driver!.drain(), three)], { tools: workshop.tools }).agent,
    store,
  )

  await say(conversation, 'Go')

  expect((await written(store)).map(({ type }) => type)).toEqual(['turn.started', 'model.replied'])
  expect(workshop.ran).toEqual([])
})

test('a driver that is drained while its turn is cancelled starts no other turn on what waits in the queue', async () => {
  const store = memoryStore({ now: () => 0 })
  const workshop = new Workshop()
  const conversation = await live(desk([{ calls: [call('slow')] }, 'Done.'], { tools: workshop.tools }).agent, store)
  const sent = say(conversation, 'Go')
  await until(() => workshop.ran.length === 1)
  await conversation.submit('And this', { whileBusy: 'queue' })
  conversation.driver!.drain()
  await conversation.cancel(undefined)
  await sent

  expect((await written(store)).at(-1)).toMatchObject({ type: 'turn.ended', reason: 'cancelled' })
  expect(conversation.log.state.queue).toHaveLength(1)
})

test('a driver that is abandoned stops at once: what runs is told, and nothing more is written', async () => {
  const store = memoryStore({ now: () => 0 })
  const workshop = new Workshop()
  const conversation = await live(desk([three], { tools: workshop.tools, maxParallel: 2 }).agent, store)
  const sent = say(conversation, 'Go')
  await until(() => workshop.ran.length === 2)
  const before = await written(store)

  conversation.driver!.abandon()
  await sent
  workshop.release()
  await tick()

  expect(workshop.aborted).toEqual(workshop.ran)
  expect(await written(store)).toEqual(before)
})

test('an abandoned driver writes nothing more, not even what was finished in that moment', async () => {
  for (let delay = 0; delay < 40; delay++) {
    const store = memoryStore({ now: () => 0 })
    let writes = 0
    const counting: Store = { ...store, append: (write) => (writes++, store.append(write)) }
    const workshop = new Workshop()
    const conversation = await live(desk([three, three, 'Done.'], { tools: workshop.tools }).agent, counting)
    const sent = say(conversation, 'Go')
    await until(() => workshop.ran.length === 3)
    workshop.release()
    for (let left = delay; left > 0; left--) await Promise.resolve()

    conversation.driver?.abandon()
    const before = writes
    await sent

    expect([delay, writes]).toEqual([delay, before])
  }
})

const replies = [{ calls: ['slow', 'gated', 'slow', 'gated'].map((name) => call(name)) }, three, 'All done.']

test(
  proves(
    'call.never-after-outcome',
    'call.one-outcome',
    'whenever a driver is drained, no call is left running, and the next driver brings it to the same end',
  ),
  async () => {
    const met = { leftWork: 0, finished: 0 }
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: 40 }),
        fc.nat({ max: 40 }),
        fc.nat({ max: 6 }),
        async (first, second, slowness) => {
          const store = memoryStore({ now: () => 0 })
          const slowly: Store = {
            ...store,
            append: async (write) => {
              for (let left = slowness; left > 0; left--) await tick()
              return store.append(write)
            },
          }
          const workshop = new Workshop()
          workshop.release()
          for (const [index, ticks] of [first, second].entries()) {
            const process = `p${index}`
            const { agent } = desk(byProgress(replies), { tools: workshop.tools, process, maxParallel: 2 })
            const conversation = await live(agent, slowly)
            for (const { callId } of held(conversation)) await conversation.resolve(callId, { kind: 'approve' }, {})
            const going = index === 0 ? say(conversation, 'Go') : goOn(conversation)
            for (let left = ticks; left > 0; left--) await tick()
            conversation.driver?.drain()
            await going
            expect(running(await written(store))).toEqual([])
            if (conversation.log.state.turn.phase === 'rest') met.finished++
            else met.leftWork++
          }
          const session = await Session.open(desk(byProgress(replies), { tools: workshop.tools, process: 'q' }).agent, {
            store,
            id: 'c',
          })
          for (let rounds = 0; rounds < 5 && session.status !== 'completed'; rounds++) {
            for (const { callId } of session.holds) await session.approve(callId)
            await session.continue()
          }
          expect(session.status).toBe('completed')
          expect(Object.values(outcomes(session))).toEqual([{ ok: true, value: 'done' }, { ok: true, value: 'done' }]) // prettier-ignore
          expect([workshop.ran.length, new Set(workshop.ran).size]).toEqual([7, 7])
          expectSound(session)
        },
      ),
      { numRuns: 200, seed: 13 },
    )
    expect(met.leftWork).toBeGreaterThan(50)
    expect(met.finished).toBeGreaterThan(10)
  },
  240_000,
)

function held(conversation: Awaited<ReturnType<typeof live>>): readonly { readonly callId: string }[] {
  const { turn } = conversation.log.state
  return turn.phase === 'calls' ? turn.calls.filter(({ at }) => at === 'held') : []
}
