/**
 * Failures of other libraries that need time: stale clicks, messages during a hold, new code, large calls and logs. As in
 * failures-of-others.test.ts, every test runs in memory and on a SQLite file that each process opens again.
 */
import { proves } from '@holdpoint/testing'
import { tool, type Tool } from 'holdpoint'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  asking,
  calls,
  count,
  expectSound,
  gated,
  heldId,
  noting,
  outcomes,
  timesAsked,
  types,
  World,
  type Process,
  type Setup,
} from './kit/runtime-kit.ts'
import { places, repeatTurn } from './kit/places.ts'
import { acceptedByAi, acceptedByServers } from '../packages/models/test/oracle.ts'

const pay = (ran: string[]): Setup => ({ says: [calls('pay'), 'Done.'], tools: [noting(ran, 'pay', gated)] })

async function promptsAreValid({ model }: Process): Promise<void> {
  for (const { prompt } of model.requests) {
    await acceptedByAi(prompt)
    acceptedByServers(prompt)
  }
}

describe.each(Object.entries(places))('%s', { timeout: 120_000 }, (_name, place) => {
  // eve: any string is an acceptable request id, and each stale answer costs a model turn.
  test('an answer to an unknown id gets the verdict `unknown`, changes nothing and costs no model call', async () => {
    const world = new World(place())
    const a = await world.process('a', pay([]))
    await a.runtime.send('c', 'Pay')
    const before = await world.log()

    for (const id of ['bogus', '', 'a-2.1.9', '__proto__', `${await heldId(a, 'pay')} `])
      expect(await a.runtime.approve('c', id)).toMatchObject({ verdict: 'unknown' })
    await world.pass(2000)

    expect(await world.log()).toEqual(before)
    expect(a.model.requests).toHaveLength(1)
  })

  // mastra-ai/mastra#19633
  test(
    proves(
      'hold.never-accepted-and-dropped',
      'a stale click on a call of an earlier turn does not approve the current call',
    ),
    async () => {
      const world = new World(place())
      const ran: string[] = []
      const a = await world.process('a', pay(ran))
      await a.runtime.send('c', 'Pay')
      const old = await heldId(a, 'pay')
      await a.runtime.reject('c', old, 'not now')
      await world.soon(a.runtime.continue('c'))
      await a.runtime.send('c', 'Pay after all')
      a.kill()
      const b = await world.process('b', pay(ran))

      expect(await b.runtime.approve('c', old)).toMatchObject({ verdict: 'conflict' })
      expect(await b.runtime.reject('c', old, 'not now')).toMatchObject({ verdict: 'duplicate' })
      await world.pass(1000)

      expect(ran).toEqual([])
      expect(await heldId(b, 'pay')).not.toBe(old)
    },
  )

  // mastra-ai/mastra#16468, mastra-ai/mastra#20322
  test('two calls of the same tool are answered separately, in the other order, in two processes', async () => {
    const world = new World(place())
    const ran: string[] = []
    const setup = { ...pay(ran), says: [calls('pay', 'pay'), 'Done.'] }
    const a = await world.process('a', setup)
    const { holds } = await a.runtime.send('c', 'Pay both')
    const [first, second] = holds.map(({ callId }) => callId)
    const b = await world.process('b', setup)

    expect(await b.runtime.approve('c', second!)).toMatchObject({ verdict: 'accepted' })
    await world.until(() => ran.length === 1)
    expect(await a.runtime.reject('c', first!)).toMatchObject({ verdict: 'accepted' })
    expect(await world.soon(a.runtime.continue('c'))).toMatchObject({ status: 'done' })

    expect(ran).toEqual([`pay ${second}`])
    expect(outcomes(await world.log())).toMatchObject({ [first!]: { ok: false }, [second!]: { ok: true } })
    expectSound(await world.log(), a, b)
  })

  // CopilotKit/CopilotKit#1397
  test.each(['refuse', 'queue', 'supersede'] as const)(
    'a user writes while a call is held (%s): nothing is corrupted, and vendors accept the prompt',
    async (whileBusy) => {
      const world = new World(place())
      const ran: string[] = []
      const a = await world.process('a', {
        ...pay(ran),
        says: [({ prompt }) => (prompt.length > 1 ? 'Yes.' : calls('pay')), 'Done.'],
      })
      await a.runtime.send('c', 'Pay')
      const id = await heldId(a, 'pay')

      const told = await a.runtime.submit('c', 'Wait, are you sure?', { whileBusy })
      expect(told.ok).toBe(whileBusy !== 'refuse')
      if (whileBusy === 'supersede') await world.soon(a.runtime.continue('c'))
      const { verdict } = await a.runtime.approve('c', id)
      await world.soon(a.runtime.continue('c'))

      expect(verdict).toBe(whileBusy === 'supersede' ? 'stale' : 'accepted')
      expect(ran).toHaveLength(whileBusy === 'supersede' ? 0 : 1)
      expect(count(await world.log(), 'turn.started')).toBe(whileBusy === 'refuse' ? 1 : 2)
      expect((await a.runtime.pending()).items).toEqual([])
      await promptsAreValid(a)
      expectSound(await world.log(), a)
    },
  )

  // mastra-ai/mastra#22532
  test(
    proves('cancel.pairs-every-call', 'a held run is cancelled: its calls are settled, and the conversation is free'),
    async () => {
      const world = new World(place())
      const ran: string[] = []
      const a = await world.process('a', pay(ran))
      await a.runtime.send('c', 'Pay')
      const id = await heldId(a, 'pay')
      a.kill()
      const b = await world.process('b', pay(ran))

      expect(await b.runtime.cancel('c', 'Never mind')).toEqual({ ok: true })

      expect(await b.runtime.approve('c', id)).toMatchObject({ verdict: 'stale' })
      expect(outcomes(await world.log())).toMatchObject({ [id]: { ok: false, error: { code: 'cancelled' } } })
      expect(await b.runtime.send('c', 'Pay something else')).toMatchObject({ status: 'held' })
      expect(ran).toEqual([])
      await promptsAreValid(b)
    },
  )

  // vercel/eve#3570, vercel/workflow#1203; DBOS leaves the run pending under another version.
  test(
    proves(
      'call.runs-what-was-approved',
      'a tool that was changed while its call was held does not run before the approver has approved the change',
    ),
    async () => {
      const world = new World(place())
      const ran: string[] = []
      const changed = noting(ran, 'pay', { ...gated, description: 'Pays twice' })
      const a = await world.process('a', pay(ran))
      await a.runtime.send('c', 'Pay')
      const id = await heldId(a, 'pay')
      a.kill()
      const b = await world.process('b', { ...pay(ran), tools: [changed] })

      expect(await b.runtime.approve('c', id, { by: 'ann' })).toMatchObject({ verdict: 'accepted' })
      await world.until(async () => count(await world.log(), 'call.held') === 2)
      expect(ran).toEqual([])
      expect((await b.runtime.pending()).items).toMatchObject([{ callId: id, cause: 'changed', nth: 2 }])
      // The old click, sent twice, does not approve the changed tool.
      expect(await b.runtime.approve('c', id, { by: 'ann' })).toMatchObject({ verdict: 'duplicate' })
      await b.runtime.approve('c', id, { by: 'ann', hold: 2 })

      expect(await world.soon(b.runtime.continue('c'))).toMatchObject({ status: 'done' })
      expect(ran).toEqual([`pay ${id}`])
      expectSound(await world.log(), a, b)
    },
  )

  // vercel/eve#3570
  test('after a deploy that changes everything except the held tool, conversations continue and the approval still counts', async () => {
    const world = new World(place())
    const ran: string[] = []
    const a = await world.process('a', pay(ran))
    for (const id of ['c', 'd', 'e']) await a.runtime.send(id, 'Pay')
    a.kill()
    const b = await world.process('b', {
      says: ['Something else entirely.', 'New words.'],
      tools: [noting(ran, 'new'), noting(ran, 'pay', { ...gated, timeout: '1h', onLost: 'ask' })],
      agent: { instructions: 'You are a new agent.', maxSteps: 3, context: { window: { messages: 4 } } },
    })

    for (const id of ['c', 'd', 'e']) {
      await b.runtime.approve(id, await heldId(b, 'pay', id))
      expect(await world.soon(b.runtime.continue(id))).toMatchObject({ status: 'done', text: 'New words.' })
    }
    expect(ran).toHaveLength(3)
  })

  test('if the tool no longer exists when its call is approved, the model reads an error and the turn continues', async () => {
    const world = new World(place())
    const a = await world.process('a', pay([]))
    await a.runtime.send('c', 'Pay')
    const id = await heldId(a, 'pay')
    a.kill()
    const b = await world.process('b', { says: [calls('pay'), 'A pity.'], tools: [] })

    expect(await b.runtime.approve('c', id)).toMatchObject({ verdict: 'accepted' })

    expect(await world.soon(b.runtime.continue('c'))).toMatchObject({ status: 'done', text: 'A pity.' })
    expect(outcomes(await world.log())).toMatchObject({ [id]: { ok: false, error: { code: 'unknown-tool' } } })
    await promptsAreValid(b)
  })

  // assistant-ui/assistant-ui#4766
  test('a second result of a browser for an answered call gets a verdict and has no other effect', async () => {
    const world = new World(place())
    const setup = { says: [calls('show'), 'Seen.'], tools: [asking('show', 'client', { timeout: '5s' })] }
    const a = await world.process('a', setup)
    await a.runtime.send('c', 'Show')
    const id = await heldId(a, 'show')
    const b = await world.process('b', setup)
    await a.runtime.answer('c', id, 'from tab one')
    await world.soon(a.runtime.continue('c'))
    const before = await world.log()

    expect(await b.runtime.answer('c', id, 'from tab two')).toMatchObject({ verdict: 'conflict' })
    expect(await b.runtime.answer('c', id, 'from tab one')).toMatchObject({ verdict: 'duplicate' })
    await world.pass(2000)

    expect(await world.log()).toEqual(before)
    expect(a.model.requests.length + b.model.requests.length).toBe(2)
  })

  // mastra-ai/mastra#22413
  test('a conversation of 2,000 turns with a result of 5 MB is approved after a restart with few reads', async () => {
    const world = new World(place())
    const ran: string[] = []
    const window = { messages: 20 }
    const dump: Tool = tool({
      name: 'dump',
      description: 'Much',
      input: z.object({}),
      run: () => 'x'.repeat(5_000_000),
    })
    const tools = [noting(ran, 'pay', gated), dump]
    const says: Setup['says'] = [
      ({ prompt }) => (/Pay|Dump/.exec(JSON.stringify(prompt.at(-1)))?.[0] ? calls(nameIn(prompt.at(-1))) : 'Fine.'),
      'Done.',
    ]
    const a = await world.process('a', { says, tools, agent: { context: { window } } })
    await a.runtime.send('c', 'Turn')
    await repeatTurn(await world.store, 'c', 1999)
    await a.runtime.send('c', 'Dump')
    await a.runtime.send('c', 'Pay')
    const id = await heldId(a, 'pay')
    a.kill()
    const b = await world.process('b', { says, tools, agent: { context: { window } } })

    expect(await b.runtime.approve('c', id)).toMatchObject({ verdict: 'accepted' })
    expect(await world.soon(b.runtime.continue('c'))).toMatchObject({ status: 'done', text: 'Done.' })

    expect(ran).toEqual([`pay ${id}`])
    expect(timesAsked(b, 'load') + timesAsked(b, 'readBack')).toBeLessThan(5)
    expect(types((await b.runtime.events('c', 4000)).slice(0, 1))).toEqual(['turn.started'])

    function nameIn(message: unknown): string {
      return JSON.stringify(message).includes('Pay') ? 'pay' : 'dump'
    }
  })
})
