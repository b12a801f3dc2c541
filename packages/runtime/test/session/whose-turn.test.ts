import { Session, tool } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { call, desk, idOf, until } from '../../../../test/kit/session-kit.ts'

const input = z.object({})
const Answer = z.object({ answer: z.number() })

/** A tool that tells on whose behalf it ran, and one that keeps a turn busy. */
function setUp() {
  const seen: unknown[] = []
  const { promise, resolve } = Promise.withResolvers<string>()
  let slow = 0
  const tools = [
    tool({
      name: 'whose',
      description: 'Whose',
      input,
      run: ({ scope, requestId }) => void seen.push([scope['user'], requestId]),
    }),
    tool({ name: 'slow', description: 'Slow', input, run: () => (slow++, promise) }),
    tool({
      name: 'pay',
      description: 'Pays',
      input,
      approval: 'required',
      run: ({ scope }) => void seen.push([scope['user']]),
    }),
  ]
  return { seen, tools, release: () => resolve('done'), busy: () => slow > 0 }
}
const ada = { scope: { user: 'ada' }, requestId: 'r-ada' }
const bob = { scope: { user: 'bob' }, requestId: 'r-bob' }

test('a message that takes over a turn runs on behalf of its own sender', async () => {
  const { tools, seen, busy } = setUp()
  const session = await Session.open(
    desk([{ calls: [call('slow')] }, { calls: [call('whose')] }, 'ok'], { tools }).agent,
  )
  const first = session.send('One', ada)
  await until(busy)

  await session.send('Two', { ...bob, whileBusy: 'supersede' })
  await first

  expect(seen).toEqual([['bob', 'r-bob']])
})

test('a queued message runs on behalf of its own sender', async () => {
  const { tools, seen, busy, release } = setUp()
  const session = await Session.open(
    desk([{ calls: [call('slow')] }, 'ok', { calls: [call('whose')] }, 'ok'], { tools }).agent,
  )
  const first = session.send('One', ada)
  await until(busy)
  const second = session.send('Two', { ...bob, whileBusy: 'queue' })
  release()
  await Promise.all([first, second])

  expect(seen).toEqual([['bob', 'r-bob']])
})

test('a held call runs on behalf of the caller that continues the turn', async () => {
  const { tools, seen } = setUp()
  const session = await Session.open(desk([{ calls: [call('pay')] }, 'ok'], { tools }).agent)
  await session.send('Pay', ada)
  await session.approve(idOf(session, 'pay'))

  await session.continue(bob)

  expect(seen).toEqual([['bob']])
})

test('an output schema binds the turn it was given with, and not the one that waits behind', async () => {
  const { tools, busy, release } = setUp()
  const { agent, model } = desk([{ calls: [call('slow')] }, '{"answer": 1}', 'Free words.'], { tools })
  const session = await Session.open(agent)
  const first = session.send('One', { output: Answer, maxSteps: 3 })
  await until(busy)
  const second = session.send('Two', { whileBusy: 'queue' })
  release()

  expect(await first).toMatchObject({ status: 'done', output: { answer: 1 } })
  expect(await second).toMatchObject({ status: 'done', text: 'Free words.' })
  expect(model.requests.map(({ output }) => output !== undefined)).toEqual([true, true, false])
  expect(session.events.flatMap((event) => (event.type === 'turn.started' ? [event.limits.maxSteps] : []))).toEqual([
    3, 8,
  ])
})

test('the output schema of a queued message binds its own turn', async () => {
  const { tools, busy, release } = setUp()
  const session = await Session.open(desk([{ calls: [call('slow')] }, 'Free words.', '{"answer": 2}'], { tools }).agent)
  const first = session.send('One')
  await until(busy)
  const second = session.send('Two', { whileBusy: 'queue', output: Answer })
  release()

  expect(await first).toMatchObject({ text: 'Free words.', output: undefined })
  expect(await second).toMatchObject({ output: { answer: 2 } })
})

test('a signal cancels the turn it was given with, and not the one that took its place', async () => {
  const { tools, busy, release } = setUp()
  const session = await Session.open(
    desk([{ calls: [call('slow')] }, { calls: [call('slow')] }, 'Two is done.'], { tools }).agent,
  )
  const one = new AbortController()
  const first = session.send('One', { signal: one.signal })
  await until(busy)
  const second = session.send('Two', { whileBusy: 'supersede' })
  await until(() => session.events.some(({ type }) => type === 'turn.ended'))

  one.abort()
  release()

  expect(await first).toMatchObject({ reason: 'superseded' })
  expect(await second).toMatchObject({ status: 'done', text: 'Two is done.' })
})

test('the signal of a message that took over a turn cancels that message', async () => {
  const { tools, busy } = setUp()
  const session = await Session.open(
    desk([{ calls: [call('slow')] }, { calls: [call('slow')] }, 'never'], { tools }).agent,
  )
  const two = new AbortController()
  const first = session.send('One')
  await until(busy)
  const second = session.send('Two', { whileBusy: 'supersede', signal: two.signal })
  await until(() => session.events.filter(({ type }) => type === 'call.started').length === 2)

  two.abort()

  expect(await second).toMatchObject({ status: 'stopped', reason: 'cancelled' })
  expect(await first).toMatchObject({ reason: 'superseded' })
})

test('what a queued message brought along is not for the turns after its own', async () => {
  const { tools, busy, release } = setUp()
  const two = setUp()
  const job = tool({ name: 'job', description: 'A job', input, executor: 'external', async: true })
  const replies = [
    { calls: [call('slow'), call('job')] },
    'One.',
    { calls: [call('slower')] },
    '{"answer": 2}',
    'The job.',
  ]
  const { agent, model } = desk(replies, { tools: [...tools, { ...two.tools[1]!, name: 'slower' }, job] })
  const session = await Session.open(agent)
  const first = session.send('One')
  await until(busy)
  const second = session.send('Two', { whileBusy: 'queue', output: Answer })
  await until(() => session.state.queue.length === 1)
  release()
  await until(two.busy)
  await session.answer(idOf(session, 'job'), 'finished')
  two.release()
  await Promise.all([first, second])

  expect(session.status).toBe('completed')
  expect(model.requests.map(({ output }) => output !== undefined)).toEqual([false, false, true, true, false])
})

test('queued messages of callers with scopes of their own are turns of their own, also without names', async () => {
  const { tools, seen, busy, release } = setUp()
  const whose = { calls: [call('whose')] }
  const replies = [{ calls: [call('slow')] }, 'ok', whose, 'ok', whose, 'ok', whose, 'ok']
  const { agent, model } = desk(replies, { tools })
  const session = await Session.open(agent)
  const first = session.send('One', ada)
  await until(busy)
  const queue = { whileBusy: 'queue' } as const
  const others = [
    session.send('Two', { ...bob, ...queue }),
    session.send('Three', { ...ada, ...queue }),
    session.send('Four', { ...ada, ...queue, requestId: 'r-four' }),
    session.send('Five', { ...bob, ...queue }),
  ]
  await until(() => session.state.queue.length === 4)
  release()
  await Promise.all([first, ...others])

  expect(seen).toEqual([
    ['bob', 'r-bob'],
    ['ada', 'r-four'],
    ['bob', 'r-bob'],
  ])
  expect(model.requests).toHaveLength(8)
})

test('a message whose caller left runs for its author, and not with the scope of the system or of the one who goes on', async () => {
  const scopes: unknown[] = []
  const { tools } = setUp()
  const tell = tool({ name: 'tell', description: 'x', input, run: ({ scope }) => void scopes.push(scope) })
  const telling = { calls: [call('tell')] }
  const replies = [{ calls: [call('pay')] }, telling, 'Paid.', telling, 'ok', telling, 'ok']
  const { agent } = desk(replies, { tools: [...tools, tell] })
  const session = await Session.open(agent)
  await session.send('Pay', { by: 'ada', scope: { user: 'ada' } })
  await session.send('Two', { by: 'bob', scope: { user: 'bob' }, whileBusy: 'queue' })
  await session.send('Three', { scope: { user: 'eve' }, whileBusy: 'queue' })
  await session.approve(idOf(session, 'pay'))

  await session.continue({ by: 'ada', scope: { user: 'ada', again: true } })

  expect(scopes).toEqual([{ user: 'ada', again: true }, { by: 'bob' }, {}])
})

test('a caller that continues the turn of another author lends it no scope', async () => {
  const { tools, seen } = setUp()
  const session = await Session.open(desk([{ calls: [call('pay')] }, 'ok'], { tools }).agent)
  await session.send('Pay', { ...ada, by: 'ada' })
  await session.approve(idOf(session, 'pay'))

  await session.continue({ ...bob, by: 'bob' })

  expect(seen).toEqual([[undefined]])
})

test('tools that came with one message are for no turn of another caller', async () => {
  const { tools } = setUp()
  const own = tool({ name: 'own', description: 'Of one caller', input, run: () => 'ran' })
  const { agent, model } = desk([{ calls: [call('pay')] }, 'Paid.', 'ok'], { tools })
  const session = await Session.open(agent)
  await session.send('Pay', { by: 'ada', tools: [own] })
  await session.send('Two', { by: 'bob', whileBusy: 'queue' })
  await session.approve(idOf(session, 'pay'))

  await session.continue()

  const shown = model.requests.map(({ tools: given }) => given.some(({ name }) => name === 'own'))
  expect(shown).toEqual([true, true, false])
})
