/**
 * Failures that users of other agent libraries reported, as tests with the same steps. If a report is public, its number is
 * in a comment. Every test runs in memory and on a SQLite file that each process opens again.
 */
import { proves } from '@holdpoint/testing'
import type { ResolveResult } from 'holdpoint'
import { describe, expect, test } from 'vitest'
import {
  asking,
  calls,
  count,
  expectSound,
  gated,
  heldId,
  noting,
  outcomes,
  slow,
  types,
  World,
  type Process,
  type Setup,
} from './kit/runtime-kit.ts'
import { diesAfter } from './kit/mortal.ts'
import { places } from './kit/places.ts'
import { acceptedByAi, acceptedByServers } from '../packages/models/test/oracle.ts'

const pay = (ran: string[]) => noting(ran, 'pay', gated)
const wire = (ran: string[]) => noting(ran, 'wire', gated)
const both = (ran: string[]): Setup => ({ says: [calls('pay', 'wire'), 'All done.'], tools: [pay(ran), wire(ran)] })

/** Checks that vendors would accept every prompt that any model got. */
async function promptsAreValid(...processes: readonly Process[]): Promise<void> {
  for (const { prompt } of processes.flatMap(({ model }) => model.requests)) {
    await acceptedByAi(prompt)
    acceptedByServers(prompt)
  }
}

const ids = async (process: Process): Promise<readonly string[]> =>
  (await process.runtime.pending()).items.map(({ callId }) => callId)

describe.each(Object.entries(places))('%s', { timeout: 120_000 }, (_name, place) => {
  // LangChain: answering one of two makes the thread permanently unusable.
  test('when one of two approvals is answered, its call runs, the other still waits, and the turn continues exactly once', async () => {
    const world = new World(place())
    const ran: string[] = []
    const a = await world.process('a', both(ran))
    await a.runtime.send('c', 'Both')
    await a.runtime.approve('c', await heldId(a, 'pay'))
    await world.until(() => ran.length === 1)
    expect(await a.runtime.continue('c')).toMatchObject({ status: 'held', holds: [{ name: 'wire' }] })
    a.kill()

    const b = await world.process('b', both(ran))
    await b.runtime.approve('c', await heldId(b, 'wire'))
    expect(await world.soon(b.runtime.continue('c'))).toMatchObject({ status: 'done', text: 'All done.' })

    expect(ran.map((each) => each.split(' ')[0])).toEqual(['pay', 'wire'])
    expect(count(await world.log(), 'model.replied')).toBe(2)
    expectSound(await world.log(), a, b)
  })

  // langchain-ai/langchainjs#11125, langchain-ai/langchainjs#11437, langchain-ai/deepagentsjs#150
  test(
    proves(
      'round.siblings-unharmed',
      'when one call is rejected and another approved, both have a result and vendors accept the prompt',
    ),
    async () => {
      const world = new World(place())
      const ran: string[] = []
      const a = await world.process('a', {
        ...both(ran),
        says: [calls('pay', 'wire', 'look'), 'All done.'],
        tools: [pay(ran), wire(ran), noting(ran, 'look')],
      })
      await a.runtime.send('c', 'All three')
      await a.runtime.reject('c', await heldId(a, 'pay'), 'not this one')
      await a.runtime.approve('c', await heldId(a, 'wire'))
      expect(await world.soon(a.runtime.continue('c'))).toMatchObject({ status: 'done' })

      expect(Object.values(outcomes(await world.log()))).toMatchObject([
        { ok: true, value: 'look done' },
        { ok: false, error: { code: 'rejected' } },
        { ok: true, value: 'wire done' },
      ])
      await promptsAreValid(a)
      expectSound(await world.log(), a)
    },
  )

  // vercel/ai#13670, cloudflare/agents#955
  test('when one of two is rejected without a message, the turn continues automatically once the other is answered', async () => {
    const world = new World(place())
    const ran: string[] = []
    const a = await world.process('a', both(ran))
    await a.runtime.send('c', 'Both')
    const [first, second] = await ids(a)
    await a.runtime.approve('c', first!)
    await a.runtime.reject('c', second!)
    await world.until(async () => types(await world.log()).at(-1) === 'model.replied')

    expect(ran).toHaveLength(1)
    await promptsAreValid(a)
  })

  // LangChain and Mastra: the tool runs twice and the rejection is processed too.
  test(
    proves(
      'hold.resolves-once',
      'of three contradictory answers at once from three processes, one is accepted, two get a correct verdict, and the tool runs at most once',
    ),
    async () => {
      const world = new World(place())
      const ran: string[] = []
      const setup = { says: [calls('pay'), 'Done.'], tools: [pay(ran)] }
      const [a, b, d] = [
        await world.process('a', setup),
        await world.process('b', setup),
        await world.process('d', setup),
      ]
      await a.runtime.send('c', 'Pay')
      const id = await heldId(a, 'pay')

      const told: ResolveResult[] = await Promise.all([
        a.runtime.approve('c', id, { by: 'ann' }),
        b.runtime.reject('c', id, 'no', { by: 'bob' }),
        d.runtime.approve('c', id, { input: { amount: 1 }, by: 'cid' }),
      ])
      await world.soon(a.runtime.continue('c'))

      expect(told.filter(({ verdict }) => verdict === 'accepted')).toHaveLength(1)
      const winner = ['ann', 'bob', 'cid'][told.findIndex(({ verdict }) => verdict === 'accepted')]
      for (const answer of told)
        if (answer.verdict !== 'accepted') expect(answer).toMatchObject({ verdict: 'conflict', first: { by: winner } })
      expect(ran).toHaveLength(winner === 'bob' ? 0 : 1)
      expectSound(await world.log(), a, b, d)
    },
  )

  // mastra-ai/mastra#22636, langchain-ai/langgraphjs#992
  test(
    proves(
      'call.never-after-outcome',
      'a kill while one tool runs and another has finished does not run the finished tool again',
    ),
    async () => {
      const world = new World(place())
      const ran: string[] = []
      const work = slow('work')
      const setup = { says: [calls('quick', 'work'), 'Done.'], tools: [noting(ran, 'quick'), work.tool] }
      const a = await world.process('a', setup)
      await a.runtime.submit('c', 'Go')
      await world.until(async () => count(await world.log(), 'call.settled') === 1 && work.started.length === 1)
      a.kill()

      const b = await world.process('b', setup)
      await world.pass(20_000)
      await world.until(() => work.started.length === 2)
      work.release()
      expect(await world.soon(b.runtime.continue('c'))).toMatchObject({ status: 'done' })

      expect(ran).toHaveLength(1)
      expect(new Set(work.started).size).toBe(1)
      expectSound(await world.log(), a, b)
    },
  )

  // Mastra asks the person again and runs the tool twice; Cloudflare consumes the approval and runs nothing.
  test(
    proves(
      'answer.never-lost',
      'a kill right after an answer was accepted asks no approver again, and the call runs once',
    ),
    async () => {
      const world = new World(place())
      const ran: string[] = []
      const setup = { says: [calls('pay'), 'Done.'], tools: [pay(ran)] }
      const a = await world.process('a', setup)
      await a.runtime.send('c', 'Pay')
      const id = await heldId(a, 'pay')
      expect(await a.runtime.approve('c', id)).toMatchObject({ verdict: 'accepted' })
      a.kill()

      const b = await world.process('b', setup)
      await world.pass(20_000)
      expect(await world.soon(b.runtime.continue('c'))).toMatchObject({ status: 'done' })

      expect(ran).toEqual([`pay ${id}`])
      expect((await world.log()).filter(({ type }) => type === 'call.held')).toHaveLength(1)
      expect(await b.runtime.reject('c', id)).toMatchObject({ verdict: 'conflict' })
    },
  )

  // vercel/eve#535, vercel/eve#1450, mastra-ai/mastra#19056, openai/openai-agents-js#441
  test('a turn whose process died continues after a restart, and a message sent then is not lost', async () => {
    const world = new World(place())
    const ran: string[] = []
    const setup = { says: [calls('work'), 'Done.'], tools: [noting(ran, 'work')] }
    const a = await world.process('a', { ...setup, ...diesAfter('call.started') })
    void a.runtime.send('c', 'Work')
    await world.until(async () => count(await world.log(), 'call.started') === 1)

    const b = await world.process('b', setup)
    const told = b.runtime.send('c', 'Are you there?', { whileBusy: 'queue' })
    expect(await world.soon(told)).toMatchObject({ status: 'done', text: 'Done.' })

    expect(ran.slice(0, 1)).toEqual(['work a-2.1.1'])
    expect(count(await world.log(), 'turn.started')).toBe(2)
    expectSound(await world.log(), a, b)
  })

  // crewAIInc/crewAI#5802, langchain-ai/langgraph#8464, vercel/eve#3103
  test(
    proves(
      'call.same-id-on-retry',
      'a payment that is retried after a crash, and its approval, have the id of the first attempt',
    ),
    async () => {
      const world = new World(place())
      const setup = (ran: string[]): Setup => ({ says: [calls('pay'), 'Paid.'], tools: [pay(ran)] })
      const ran: string[] = []
      const a = await world.process('a', { ...setup(ran), ...diesAfter('call.held') })
      void a.runtime.send('c', 'Pay')
      await world.until(async () => count(await world.log(), 'call.held') === 1)
      const b = await world.process('b', { ...setup(ran), ...diesAfter('call.started') })
      await world.pass(20_000)
      const shown = await ids(b)
      await Promise.race([b.runtime.approve('c', shown[0]!), world.pass(2000)])

      const d = await world.process('d', setup(ran))
      await world.pass(20_000)
      await world.soon(d.runtime.continue('c'))

      expect(shown).toEqual(['a-2.1.1'])
      expect(new Set(ran)).toEqual(new Set(['pay a-2.1.1']))
      expectSound(await world.log(), a, b, d)
    },
  )

  // langchain-ai/langgraph#7417
  test('a tool that takes four minutes is not run a second time by any process', async () => {
    const world = new World(place())
    const work = slow('work', { timeout: '1h' })
    const setup = { says: [calls('work'), 'Done.'], tools: [work.tool] }
    const a = await world.process('a', setup)
    const b = await world.process('b', setup)
    const sending = a.runtime.send('c', 'Work')
    await world.until(() => work.started.length === 1)

    await world.pass(4 * 60_000)
    work.release()

    expect(await world.soon(sending)).toMatchObject({ status: 'done' })
    expect(work.started).toHaveLength(1)
    expect(b.model.requests).toHaveLength(0)
  })

  // anthropics/claude-agent-sdk-python#96, MoonshotAI/kimi-cli#1823
  test('an approval after six days counts, and the tool still has its full timeout', async () => {
    const world = new World(place())
    const ran: string[] = []
    const setup = { says: [calls('pay'), 'Paid.'], tools: [noting(ran, 'pay', { ...gated, timeout: '10s' })] }
    const a = await world.process('a', setup)
    await a.runtime.send('c', 'Pay')
    a.kill()
    await world.clock.advance(6 * 24 * 3_600_000)
    const b = await world.process('b', setup)

    expect(await b.runtime.approve('c', await heldId(b, 'pay'))).toMatchObject({ verdict: 'accepted' })

    expect(await world.soon(b.runtime.continue('c'))).toMatchObject({ text: 'Paid.' })
    expect(ran).toHaveLength(1)
  })

  // letta-ai/lettabot#125
  test('an approval that is never answered blocks the conversation only until the timeout of its tool', async () => {
    const world = new World(place())
    const ask = asking('ask', 'human', { timeout: '1min' })
    const a = await world.process('a', { says: [calls('ask'), 'Never mind.'], tools: [ask] })
    await a.runtime.send('c', 'Ask')
    await world.pass(61_000)

    expect(await world.soon(a.runtime.continue('c'))).toMatchObject({ status: 'done', text: 'Never mind.' })
    expect(await a.runtime.send('c', 'Ask again')).toMatchObject({ status: 'held' })
  })
})
