/** A backtest: what a rule would have decided about calls in the log, beside what people decided. */
import { expect, test } from 'vitest'
import { World, type Process } from '../../../../test/kit/runtime-kit.ts'
import { about, desk, mailer, saved } from './rules-kit.ts'

interface Recorded {
  readonly to: string
  readonly amount: number
  readonly decided: 'approved' | 'rejected' | 'ran'
}

/** Large amounts to Ada are rejected, and small ones to others approved; the gate asks about half of the calls. */
function recorded(nth: number): Recorded {
  const to = nth % 3 === 0 ? 'eve@evil.test' : 'ada@acme.test'
  const amount = (nth * 37) % 200
  if (amount < 20) return { to, amount, decided: 'ran' }
  return { to, amount, decided: amount > 150 || (nth % 30 === 0 && amount > 50) ? 'rejected' : 'approved' }
}

const CALLS = Array.from({ length: 300 }, (_, nth) => recorded(nth))

/** 30 conversations with ten calls each, which a person decided one by one. */
async function history(world: World): Promise<Process> {
  const approval = ({ input }: { readonly input: { readonly amount?: number } }): object =>
    (input.amount ?? 0) < 20 ? { required: false } : { required: true, rules: 'may-relax' }
  let from = 0
  const round = (): {
    readonly calls: { readonly name: string; readonly input: { to: string; amount: number } }[]
  } => ({
    calls: CALLS.slice(from, from + 10).map(({ to, amount }) => ({ name: 'email.send', input: { to, amount } })),
  })
  const a = await world.process('a', desk([], { says: [round, 'Done.'] }, { approval }))
  for (; from < 300; from += 10) {
    const { holds } = await a.runtime.send(`c${from}`, 'Send them', { by: 'cleo' })
    for (const { callId, input } of holds) {
      const call = CALLS.slice(from, from + 10).find(
        ({ to, amount }) => JSON.stringify(input) === JSON.stringify({ to, amount }),
      )
      if (call?.decided === 'rejected') await a.runtime.reject(`c${from}`, callId, 'No', { by: 'grace' })
      else await a.runtime.approve(`c${from}`, callId, { by: 'grace' })
    }
    await world.calm()
  }
  return a
}

test('a backtest over 300 recorded calls counts what a rule would do, and names each call for which people decided otherwise', async () => {
  const world = new World()
  const a = await history(world)
  const fits = ({ to, amount }: Recorded): boolean => to === 'ada@acme.test' && amount <= 160
  const rule = about({
    when: [
      { at: '/to', equals: 'ada@acme.test' },
      { at: '/amount', range: { max: 160 } },
    ],
  })
  const result = await a.runtime.rules.backtest([rule])
  const allowed = CALLS.filter(fits)
  const wrong = allowed.filter(({ decided }) => decided === 'rejected')
  expect([allowed.length, wrong.length].every((count) => count > 5)).toBe(true)
  expect(result).toMatchObject({
    calls: 300,
    would: { allow: allowed.length, ask: 0, deny: 0, none: 300 - allowed.length },
    differ: wrong.length,
    saved: allowed.filter(({ decided }) => decided === 'approved').length,
    more: false,
  })
  expect(result.differences.map(({ input }) => JSON.stringify(input)).toSorted()).toEqual(
    wrong.map(({ to, amount }) => JSON.stringify({ to, amount })).toSorted(),
  )
  for (const { decided, by, would } of result.differences)
    expect([decided, by, would.effect]).toEqual(['rejected', 'grace', 'allow'])

  const deny = about({ effect: 'deny', when: [{ at: '/to', prefix: 'eve@' }] })
  const denied = await a.runtime.rules.backtest([rule, deny])
  const toEve = CALLS.filter(({ to }) => to.startsWith('eve@'))
  expect(denied.would).toEqual({
    allow: allowed.length,
    ask: 0,
    deny: toEve.length,
    none: 300 - allowed.length - toEve.length,
  })
  expect(denied.differ).toBe(wrong.length + toEve.filter(({ decided }) => decided !== 'rejected').length)
  expect(await a.runtime.rules.backtest([rule], { calls: 40 })).toMatchObject({ calls: 40, more: true })
}, 60_000)

test('a backtest leaves no trace, counts no use, and says where the gate would not have followed the rule', async () => {
  const world = new World()
  const a = await world.process('a', desk([], {}, { approval: 'required' }))
  const id = await saved(a, { when: [{ at: '/to', equals: 'bob@acme.test' }], uses: 1 })
  const { holds } = await a.runtime.send('c', 'Mail Ada')
  await a.runtime.approve('c', holds[0]!.callId)
  await world.calm()
  const before = await world.log()
  const result = await a.runtime.rules.backtest([about()])
  expect(result).toMatchObject({ calls: 1, would: { ask: 1, allow: 0 }, differ: 0, saved: 0 })
  expect(await world.log()).toEqual(before)
  expect(await a.runtime.rules.find(id)).toMatchObject({ used: 0 })
})

test('a call of another definition of the tool is asked about, or not decided, as it would be live', async () => {
  const world = new World()
  const a = await world.process('a', desk([]))
  const { holds } = await a.runtime.send('c', 'Mail Ada')
  await a.runtime.approve('c', holds[0]!.callId)
  await world.calm()
  const { fingerprint } = mailer([], { description: 'Another one' })
  expect(await a.runtime.rules.backtest([about({ fingerprint })])).toMatchObject({ would: { none: 1 } })
  expect(await a.runtime.rules.backtest([about({ fingerprint, effect: 'deny' })])).toMatchObject({ would: { ask: 1 } })
})

test('calls since a time are tested, and a draft that is invalid is refused with its reason', async () => {
  const world = new World()
  const a = await world.process('a', desk([]))
  await a.runtime.send('c', 'Mail Ada')
  const since = world.clock.now() + 1
  expect(await a.runtime.rules.backtest([about()], { since })).toMatchObject({ calls: 0 })
  await expect(a.runtime.rules.backtest([about({ when: [{ at: 'to', equals: 1 }] })])).rejects.toThrow(
    'Rule 1 of the backtest: "to" is not a JSON Pointer',
  )
})
