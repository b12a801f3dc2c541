/** Who is told of a hold, what they read, and how every copy ends. */
import { expect, test } from 'vitest'
import { heldId, noting } from '../../../test/kit/runtime-kit.ts'
import { places } from '../../../test/kit/places.ts'
import { checkQuietHours, quietUntil } from '../src/quiet-hours.ts'
import { openDesk, pay, Phones } from './kit.ts'

test.each(Object.entries(places))('a hold is told once, and its copy says who decided: in %s', async (_name, place) => {
  const { desk, phones, channels, until, world } = await openDesk({ place: place() })
  await channels()
  await desk.runtime.send('c', 'Pay', { by: 'bob' })
  await until(() => phones.sent.length === 1)
  const [message] = phones.to('+ada')
  expect(message).toMatchObject({
    agent: 'desk',
    tool: 'pay',
    kind: 'approval',
    reason: 'It is money.',
    askedBy: ['bob'],
    may: { approve: true, reject: true, answer: false },
    person: 'ada',
  })
  expect(message?.url).toBe(`https://holds.acme.test/holds/c/${message?.callId}`)
  await desk.runtime.reject('c', await heldId(desk, 'pay'), 'Too much.', { by: 'grace' })
  await until(() => phones.to('+ada')[0]?.end !== undefined)
  await world.pass(60_000)
  expect(phones.sent).toHaveLength(1)
  expect(phones.sent[0]?.versions).toHaveLength(2)
  expect(phones.to('+ada')[0]?.end).toMatchObject({ how: 'rejected', by: 'grace', reason: 'Too much.' })
})

test('only people who may decide are told: by name, by group, by delegation or as resolver', async () => {
  const { desk, phones, channels, until, world } = await openDesk({
    tools: [pay({ approvers: { anyOf: ['ada', 'group:finance'], notRequester: true } })],
    people: [
      { person: 'ada', addresses: { phone: '+ada' } },
      { person: 'eve', addresses: { phone: '+eve' }, resolver: true },
      { person: 'fin', addresses: { phone: '+fin' } },
      { person: 'off', addresses: { phone: '+off' }, off: ['phone'] },
      { person: 'other', addresses: { phone: '+other' }, agents: ['another'] },
      { person: 'asks', addresses: { phone: '+asks' } },
    ],
    groups: { fin: ['finance'], off: ['finance'], other: ['finance'], asks: ['finance'] },
  })
  await channels()
  await desk.runtime.send('c', 'Pay', { by: 'asks' })
  await until(() => phones.sent.length >= 2)
  await world.pass(10_000)
  expect(phones.sent.map(({ address }) => address).toSorted()).toEqual(['+ada', '+fin'])
})

test('a person who approved one of two reads that another must approve, and both read the end', async () => {
  const { desk, phones, channels, until } = await openDesk({
    tools: [pay({ approvers: 2 })],
    people: [
      { person: 'ada', addresses: { phone: '+ada' }, resolver: true },
      { person: 'bob', addresses: { phone: '+bob' }, resolver: true },
    ],
  })
  await channels()
  await desk.runtime.send('c', 'Pay', { by: 'carol' })
  const id = await heldId(desk, 'pay')
  await until(() => phones.sent.length === 2)
  await desk.runtime.approve('c', id, { by: 'ada' })
  await until(() => phones.to('+ada')[0]?.may.approve === false)
  expect(phones.to('+ada')[0]).toMatchObject({ missing: 1, why: 'You approved this already.' })
  await until(() => phones.to('+bob')[0]?.missing === 1)
  expect(phones.to('+bob')[0]).toMatchObject({ may: { approve: true } })
  await desk.runtime.approve('c', id, { by: 'bob' })
  await until(() => [...phones.to('+ada'), ...phones.to('+bob')].every(({ end }) => end?.by === 'bob'))
})

test('a channel that is down delays no other, and its message arrives when it is back', async () => {
  const down = new Phones('pager')
  let up = false
  down.before = (_message, signal) => {
    if (up) return undefined
    // It hangs, as a service behind a broken firewall does.
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))))
  }
  const { desk, phones, channels, until, problems } = await openDesk({
    people: Array.from({ length: 12 }, (_, n) => ({
      person: `p${n}`,
      addresses: { phone: `+${n}`, pager: `#${n}` },
      resolver: true,
    })),
  })
  await channels({ channels: [down, phones] })
  await desk.runtime.send('c', 'Pay')
  await until(() => phones.sent.length === 12)
  await until(() => problems.length > 0)
  expect(down.sent).toEqual([])
  up = true
  await until(() => down.sent.length === 12)
})

test('a hold that is over before its message could be sent sends none', async () => {
  const { desk, phones, channels, until, world } = await openDesk()
  let up = false
  phones.before = () => {
    if (!up) throw new Error('down')
  }
  await channels()
  await desk.runtime.send('c', 'Pay')
  await world.pass(5000)
  await desk.runtime.approve('c', await heldId(desk, 'pay'), { by: 'grace' })
  up = true
  await world.pass(60_000)
  expect(phones.sent).toEqual([])
  await until(
    async () =>
      (await (await world.store).documents({ tenant: '', kind: 'channels.task', limit: 9 })).items.length === 0,
  )
})

test('a hold that is decided while its first message is on the way: the message says so soon after', async () => {
  const { desk, phones, channels, until, world } = await openDesk()
  phones.after = async () => {
    phones.after = () => {}
    await desk.runtime.approve('c', await heldId(desk, 'pay'), { by: 'grace' })
    // The news is handled before the sender learns that the message was shown.
    await world.clock.sleep(5000, new AbortController().signal)
  }
  await channels()
  await desk.runtime.send('c', 'Pay')
  await until(() => phones.sent.length === 1)
  await world.pass(15_000)
  expect(phones.to('+ada')[0]?.end).toMatchObject({ how: 'approved', by: 'grace' })
})

test('in quiet hours a person gets no new message, and it comes when they end', async () => {
  const { desk, phones, channels, world, until } = await openDesk({
    people: [
      {
        person: 'ada',
        addresses: { phone: '+ada' },
        resolver: true,
        // The clock starts at midnight UTC, one in the morning in Berlin.
        quiet: { from: '00:30', to: '01:02', timeZone: 'Europe/Berlin' },
      },
    ],
  })
  await channels()
  const start = world.clock.now()
  await desk.runtime.send('c', 'Pay')
  await world.pass(110_000)
  expect(phones.sent).toEqual([])
  await until(() => phones.sent.length === 1)
  expect(world.clock.now() - start).toBeGreaterThanOrEqual(120_000)
})

test('quiet hours go over midnight, and follow the clock of the time zone when it changes', () => {
  const quiet = { from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' }
  expect(quietUntil(quiet, Date.parse('2030-01-10T22:30:00Z'))).toBe(Date.parse('2030-01-11T06:00:00Z'))
  expect(quietUntil(quiet, Date.parse('2030-01-10T12:00:00Z'))).toBeUndefined()
  // In this night, the clock goes from 2 to 3.
  expect(quietUntil(quiet, Date.parse('2030-03-30T22:30:00Z'))).toBe(Date.parse('2030-03-31T05:00:00Z'))
  expect(quietUntil(undefined, 0)).toBeUndefined()
  for (const wrong of [{ from: '25:00' }, { to: '7' }, { timeZone: 'Mars' }, { to: '22:00' }])
    expect(() => checkQuietHours({ ...quiet, ...wrong })).toThrow(/Quiet hours|time zone/)
})

test('arguments are shown as they will run: without hidden characters, and cut only with a count', async () => {
  const { desk, phones, channels, until } = await openDesk({
    says: [{ calls: [{ name: 'pay', input: { to: 'a\u202Eb', note: 'x'.repeat(5000) } }] }, 'Paid.'],
    tools: [noting([], 'pay', { approval: 'required' })],
  })
  await channels()
  await desk.runtime.send('c', 'Pay')
  await until(() => phones.sent.length === 1)
  const { text, cut } = phones.to('+ada')[0]!.input
  expect(text).toContain('a\\u202eb')
  expect(text.length + cut).toBe(JSON.stringify({ to: 'a\\u202eb', note: 'x'.repeat(5000) }, null, 2).length - 1)
  expect(cut).toBeGreaterThan(3000)
})

test('an address that no person has, or two people have, decides nothing', async () => {
  const { desk, phones, channels, until } = await openDesk({
    people: [
      { person: 'ada', addresses: { phone: '+1' }, resolver: true },
      { person: 'bob', addresses: { phone: '+1' }, resolver: true },
      { person: 'eve', addresses: { phone: '+2' } },
      { person: 'grace', addresses: { phone: '+3' }, resolver: true },
    ],
  })
  const verdicts: unknown[] = []
  const opened = await channels({
    channels: [
      Object.assign(phones, {
        receive: async (request: Request, inbox: Parameters<NonNullable<Phones['receive' & keyof Phones]>>[1]) => {
          const { address, decision } = (await request.json()) as { address: string; decision: never }
          verdicts.push((await (inbox as { decide: Function }).decide(address, decision)) as unknown)
          return new Response('ok')
        },
      }),
    ],
  })
  await desk.runtime.send('c', 'Pay')
  await until(() => phones.sent.length === 3)
  const { callId } = phones.sent[0]!.versions[0]!
  const decision = { tenant: '', conversationId: 'c', callId, hold: 1, resolution: { kind: 'approve' } }
  for (const address of ['+1', '+2', '+9', '+3', '+3']) {
    const body = JSON.stringify({ address, decision })
    await opened.answer(new Request('https://holds.acme.test/channels/phone', { method: 'POST', body }))
  }
  expect(verdicts).toMatchObject([
    { verdict: 'not-allowed' },
    { verdict: 'not-allowed' },
    { verdict: 'not-allowed' },
    { verdict: 'accepted' },
    { verdict: 'duplicate' },
  ])
  await until(() => phones.to('+1').every(({ end }) => end?.by === 'grace'))
})

test('a copy of an erased conversation has no content any more', async () => {
  const { desk, phones, channels, until, world } = await openDesk()
  await channels()
  await desk.runtime.send('c', 'Pay')
  await until(() => phones.sent.length === 1)
  await desk.runtime.erase('c', { cancel: true })
  // An erased log tells no news, so the copy is looked at again by the clock.
  await world.clock.advance(900_000)
  await until(() => phones.to('+ada')[0]?.end !== undefined)
  expect(phones.to('+ada')[0]).toMatchObject({ input: { text: '', cut: 0 }, askedBy: [] })
  expect(phones.to('+ada')[0]?.reason).toBeUndefined()
})

test('a handler in the program is called with each event until it succeeds', async () => {
  const { desk, channels, until } = await openDesk()
  const heard: string[] = []
  let failing = 2
  await channels({
    handlers: {
      audit: ({ type }) => {
        if (failing-- > 0) throw new Error('not yet')
        heard.push(type)
      },
    },
  })
  await desk.runtime.send('c', 'Pay')
  await desk.runtime.approve('c', await heldId(desk, 'pay'))
  await until(() => heard.length === 3)
  expect(heard.toSorted()).toEqual(['hold.closed', 'hold.opened', 'turn.ended'])
})
