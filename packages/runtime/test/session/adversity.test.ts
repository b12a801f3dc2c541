import { expect, test } from 'vitest'
import { agent, chat, ModelError, Session, tool, type Tool } from 'holdpoint'
import { memoryStore, proves, scriptedModel, testPorts, type Script } from '@holdpoint/testing'
import { z } from 'zod'

const description = 'A tool'
const input = z.object({})
const calls = (...names: string[]): Script => ({ calls: names.map((name) => ({ name })) })

function desk(scripts: readonly Script[], ...tools: readonly Tool[]): ReturnType<typeof agent> {
  return agent({ name: 'desk', model: scriptedModel(scripts), tools, ports: testPorts() })
}

const title = 'a schema that changes its mind between admission and run lets nothing run'
test(proves('call.runs-what-was-approved', title), async () => {
  const aliases: Record<string, string> = { boss: 'ada' }
  const ran: string[] = []
  const mail = tool({
    name: 'mail',
    description,
    input: z.object({ to: z.string().transform((to) => aliases[to] ?? to) }),
    approval: 'required',
    run: (context) => ran.push(context.input.to),
  })
  const inner = memoryStore({ now: () => 0 })
  const store = {
    ...inner,
    append: (write: Parameters<typeof inner.append>[0]) => {
      if (write.events.some((event) => event.type === 'call.started')) aliases['boss'] = 'eve'
      return inner.append(write)
    },
  }
  const scripts = [{ calls: [{ name: 'mail', input: { to: 'boss' } }] }, 'Done.']
  const session = await Session.open(desk(scripts, mail), { store, id: 'c' })
  const { holds } = await session.send('Go')
  await session.approve(holds[0]!.callId)
  const { steps } = await session.continue()
  expect(ran).toEqual([])
  expect(steps[0]?.calls[0]?.outcome).toMatchObject({ error: { code: 'not-what-was-approved' } })
})

test(
  proves('hold.resolves-once', 'an approval that is sent twice is not spent on a tool that was changed meanwhile'),
  async () => {
    const ran: string[] = []
    const mail = (version: string): Tool =>
      tool({ name: 'mail', description: version, input, approval: 'required', run: () => ran.push(version) })
    const { session, holds } = await chat(desk([calls('mail')], mail('v1')), 'Go')
    const { callId } = holds[0]!
    await session.approve(callId, { by: 'grace' })

    const next = await Session.open(desk(['Sent.'], mail('v2')), { data: JSON.parse(JSON.stringify(session)) })
    expect(await next.continue()).toMatchObject({ status: 'held', holds: [{ cause: 'changed', nth: 2 }] })
    expect(await next.approve(callId, { by: 'grace' })).toMatchObject({ verdict: 'duplicate', first: { nth: 1 } })
    expect(await next.approve(callId, { by: 'grace', hold: 1 })).toMatchObject({ verdict: 'duplicate' })
    await next.continue()
    expect(ran).toEqual([])

    expect(await next.approve(callId, { by: 'grace', hold: 2 })).toMatchObject({ verdict: 'accepted' })
    await next.continue()
    expect(ran).toEqual(['v2'])
  },
)

test.each([
  ['a message that is no text', () => Object.assign(new Error('x'), { message: { code: 5 } })],
  ['no message and no name', () => Object.assign(new Error(''), { name: undefined })],
  ['a message that throws', () => Object.defineProperty(new Error('x'), 'message', { get: () => { throw new Error('no') } })], // prettier-ignore
  ['nothing at all', () => undefined],
])('an error with %s is an outcome like any other, and the conversation can still be opened', async (_what, make) => {
  const broken = tool({
    name: 'broken',
    description,
    input,
    run: () => {
      throw make()
    },
  })
  const fine = tool({ name: 'fine', description, input, run: () => 'ok' })
  const { session, steps } = await chat(desk([calls('broken', 'fine'), 'Hm.'], broken, fine), 'Go')
  expect(steps[0]?.calls.map(({ outcome }) => outcome?.ok)).toEqual([false, true])
  const again = await Session.open(desk([]), { data: JSON.parse(JSON.stringify(session)) })
  expect(again.status).toBe('completed')
})

test('a returned error is a failure, and a result that JSON would empty is one too', async () => {
  const failing = tool({ name: 'failing', description, input, run: () => new Error('disk full') })
  const emptied = tool({ name: 'emptied', description, input, run: (): unknown => ({ found: new Map([[1, 2]]) }) })
  const { steps } = await chat(desk([calls('failing', 'emptied'), 'Hm.'], failing, emptied), 'Go')
  expect(steps[0]?.calls.map(({ outcome }) => outcome)).toMatchObject([
    { error: { code: 'failed', message: 'disk full' } },
    { error: { code: 'invalid-output', message: expect.stringContaining('a Map') } },
  ])
})

test('a vendor that fails after it opened an empty block is asked again: no word was said', async () => {
  const opened: Script = () => [
    { type: 'text', id: 't', delta: '', data: { vendor: { item: 'i' } } },
    new ModelError('503', { retryable: true }) as never,
  ]
  const ports = testPorts()
  const sent = chat(agent({ name: 'desk', model: scriptedModel([opened, 'Hello.']), ports }), 'Hi')
  for (let i = 0; i < 20 && ports.clock.sleeping === 0; i++) await ports.clock.advance(0)
  await ports.clock.advance(1000)
  expect(await sent).toMatchObject({ status: 'done', text: 'Hello.' })
})

test('an approval given by a subscriber, in the moment the call is held, takes effect', async () => {
  const pay = tool({ name: 'pay', description, input, approval: 'required', run: () => 'paid' })
  const session = Session.begin(desk([calls('pay'), 'Paid.'], pay))
  const result = await session.send('Pay', {
    watch: (item) => void (item.type === 'call.held' && session.approve(item.callId)),
  })
  expect(result).toMatchObject({ status: 'done', text: 'Paid.' })
})

test('the limit of one step applies only to the caller that asked for it', async () => {
  const fine = tool({ name: 'fine', description, input, run: () => 'ok' })
  const session = Session.begin(desk([calls('fine'), 'All done.', 'unused'], fine))
  const [step, rest] = await Promise.all([session.step('Go'), session.continue()])
  expect(step.status).toBe('done')
  expect(rest).toMatchObject({ status: 'done', text: 'All done.' })
})

test('an edit that is still being validated when another caller rejects does not damage the log', async () => {
  const checking = Promise.withResolvers<boolean>()
  let checks = 0
  const slow = z.object({ euros: z.number().refine(() => (++checks === 1 ? true : checking.promise)) })
  const pay = tool({ name: 'pay', description, input: slow, approval: 'required', run: () => 'paid' })
  const { session, holds } = await chat(desk([{ calls: [{ name: 'pay', input: { euros: 5 } }] }, 'Hm.'], pay), 'Pay')
  const { callId } = holds[0]!
  const editing = session.approve(callId, { input: { euros: 6 } })
  for (let i = 0; i < 10; i++) await Promise.resolve()
  expect(await session.reject(callId)).toMatchObject({ verdict: 'accepted' })
  checking.resolve(true)
  expect(await editing).toMatchObject({ verdict: 'conflict' })
  expect(await session.continue()).toMatchObject({ status: 'done' })
})

test.each([
  ['no options', null, /Options must be an object/],
  ['a signal that is none', { signal: 5 }, /AbortSignal/],
])('a message with %s is refused before anything is written', async (_what, options, message) => {
  const session = Session.begin(desk(['Hi.']))
  await expect(session.send('Hi', options as never)).rejects.toThrow(message)
  await expect(session.send('')).rejects.toThrow(/cannot be empty/)
  expect(session.events).toEqual([])
})

test('progress after the end, and progress that is not JSON, reach no subscriber', async () => {
  let report: (value: never) => void = () => {}
  const build = tool({
    name: 'build',
    description,
    input,
    streaming: true,
    run: ({ progress }) => {
      report = progress
      progress(1n as never)
      return 'ok'
    },
  })
  const { session } = await chat(desk([calls('build'), 'Built.'], build), 'Build')
  report('late' as never)
  expect(session.progress.size).toBe(0)
})

test('what the gate let through runs as what the gate saw, or not at all', async () => {
  let asked = 0
  const ran: number[] = []
  const shifty = z.object({ euros: z.number().transform(() => (asked++ === 0 ? 1 : 5000)) })
  const pay = tool({
    name: 'pay',
    description,
    input: shifty,
    approval: (context) => ({ required: context.input.euros > 100 }),
    run: (context) => ran.push(context.input.euros),
  })
  const { steps } = await chat(desk([{ calls: [{ name: 'pay', input: { euros: 7 } }] }, 'Hm.'], pay), 'Pay')
  expect(ran).toEqual([])
  expect(steps[0]?.calls[0]?.outcome).toMatchObject({ error: { code: 'not-what-was-approved' } })
})

test('a gate that let a call through is asked again when the tool was changed before it ran', async () => {
  const ran: string[] = []
  const pay = (version: string, required: boolean): Tool =>
    tool({ name: 'pay', description: version, input, approval: () => ({ required }), run: () => ran.push(version) })
  const { session } = await chat(desk([calls('pay'), 'Paid.'], pay('v1', false)), 'Pay')
  const { id, version, events } = session.toJSON()
  const waiting = events.slice(0, events.findIndex((event) => event.type === 'call.cleared') + 1)

  const stricter = await Session.open(desk(['Paid.'], pay('v2', true)), { data: { id, version, events: waiting } })
  expect(await stricter.continue()).toMatchObject({ status: 'held', holds: [{ kind: 'approval', cause: 'tool' }] })
  const same = await Session.open(desk(['Paid.'], pay('v3', false)), { data: { id, version, events: waiting } })
  expect(await same.continue()).toMatchObject({ status: 'done' })
  expect(ran).toEqual(['v1', 'v3'])
})
