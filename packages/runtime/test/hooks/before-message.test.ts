/** Hooks before the model reads what was said. */
import { proves } from '@holdpoint/testing'
import { halt, type MessageHook, type ModelRequest, type UserPart } from 'holdpoint'
import { expect, test } from 'vitest'
import { calls, noting, types, World, type Process, type Setup } from '../../../../test/kit/runtime-kit.ts'

const adds = (name: string, text: string, more: Partial<MessageHook> = {}): MessageHook => ({
  name,
  run: () => ({ add: text }),
  ...more,
})

function setup(beforeMessage: NonNullable<Hooks['beforeMessage']>, more: Setup = {}): Setup {
  return { says: ['Well.'], agent: { hooks: { beforeMessage } }, ...more }
}
type Hooks = NonNullable<NonNullable<Setup['agent']>['hooks']>

const lastUser = ({ prompt }: ModelRequest): string[] => {
  const message = prompt.findLast(({ role }) => role === 'user')
  return message?.role === 'user' ? message.parts.map((part: UserPart) => (part.type === 'text' ? part.text : '')) : []
}
const userTexts = ({ prompt }: ModelRequest): string[][] =>
  prompt.flatMap((message) =>
    message.role === 'user' ? [message.parts.map((part) => (part.type === 'text' ? part.text : ''))] : [],
  )
const last = ({ model }: Process): ModelRequest => model.requests.at(-1)!

test('what a hook adds stands before the words of the user, in this turn alone', async () => {
  const a = await new World().process('a', setup([adds('time', 'It is noon.')]))
  await a.runtime.send('c', 'One')
  await a.runtime.send('c', 'Two')
  expect(userTexts(last(a))).toEqual([['One'], ['It is noon.', 'Two']])
})

test('what a durable hook adds stays, in the same bytes, and is in the log', async () => {
  const world = new World()
  let nth = 0
  const hook: MessageHook = { name: 'memory', durable: true, run: () => ({ add: `Memory ${++nth}` }) }
  const a = await world.process('a', setup([hook]))
  await a.runtime.send('c', 'One')
  await a.runtime.send('c', 'Two')

  expect(userTexts(last(a))).toEqual([
    ['Memory 1', 'One'],
    ['Memory 2', 'Two'],
  ])
  expect((await world.log())[1]).toMatchObject({ type: 'message.changed', hooks: ['memory'] })
  const b = await world.process('b', setup([]))
  await b.runtime.send('c', 'Three')
  expect(userTexts(last(b)).slice(0, 2)).toEqual(userTexts(last(a)))
})

test('hooks run in order, each on what the one before left, and the log keeps what was said', async () => {
  const world = new World()
  const seen: string[] = []
  const hide: MessageHook = { name: 'hide', run: ({ text }) => ({ replace: text.replace(/\d{4}/, '****') }) }
  const look: MessageHook = { name: 'look', run: ({ text, items }) => void seen.push(`${text} ${items.length}`) }
  const a = await world.process('a', setup([hide, look]))
  await a.runtime.send('c', 'My pin is 1234')
  await a.runtime.send('c', 'And 5678')

  expect(seen).toEqual(['My pin is **** 1', 'And **** 1'])
  expect(userTexts(last(a))).toEqual([['My pin is ****'], ['And ****']])
  expect(JSON.stringify((await world.log())[0])).toContain('1234')
})

test('a parallel group runs at the same time, sees the same, and is put together in the order it is declared in', async () => {
  const world = new World()
  const running: string[] = []
  let most = 0
  const slow = (name: string, turns: number): MessageHook => ({
    name,
    run: async ({ text }) => {
      running.push(name)
      most = Math.max(most, running.length)
      for (let n = 0; n < turns; n++) await Promise.resolve()
      running.splice(running.indexOf(name), 1)
      return { add: `${name} saw ${text}` }
    },
  })
  const a = await world.process('a', setup([{ parallel: [slow('a', 9), slow('b', 1), slow('c', 5)] }]))
  await a.runtime.send('c', 'Hi')
  expect(lastUser(last(a))).toEqual(['a saw Hi', 'b saw Hi', 'c saw Hi', 'Hi'])
  expect(most).toBe(3)
})

test(
  proves(
    'hook.never-passed-over',
    'a hook in a parallel group may not replace: the turn fails, and the model is not asked',
  ),
  async () => {
    const bad: MessageHook = { name: 'bad', run: () => ({ replace: 'x' }) }
    const a = await new World().process('a', setup([{ parallel: [bad] }]))
    expect(await a.runtime.send('c', 'Hi')).toMatchObject({ status: 'failed', reason: 'hook_failed' })
    expect(a.model.requests).toHaveLength(0)
  },
)

test('a hook can end the turn before the model is asked, and the next turn begins as usual', async () => {
  const guard: MessageHook = { name: 'guard', run: ({ text }) => (text === 'Bad' ? halt('Not here.') : undefined) }
  const after = adds('after', 'seen')
  const a = await new World().process('a', setup([guard, after]))
  expect(await a.runtime.send('c', 'Bad')).toMatchObject({ status: 'stopped', reason: 'halted', message: 'Not here.' })
  expect(a.model.requests).toHaveLength(0)
  expect(await a.runtime.send('c', 'Good')).toMatchObject({ status: 'done' })
})

test.each([
  ['throws', () => Promise.reject(new Error('no service'))],
  ['never answers', () => new Promise<never>(() => {})],
])('a hook that %s is not passed over: the turn fails, saying which, and can be taken up again', async (_, run) => {
  const world = new World()
  let well = false
  const hook: MessageHook = { name: 'check', run: () => (well ? undefined : run()) }
  const a = await world.process('a', setup([hook]))
  const failed = await world.soon(a.runtime.send('c', 'Hi'))
  expect(failed).toMatchObject({ status: 'failed', reason: 'hook_failed', message: expect.stringContaining('"check"') })
  expect(a.model.requests).toHaveLength(0)
  well = true
  expect(await a.runtime.send('c', 'Again')).toMatchObject({ status: 'done', text: 'Well.' })
})

test('hooks run once in a turn of many steps, and in a process that takes it over only what was not kept', async () => {
  const world = new World()
  const ran: string[] = []
  const hook = (name: string, durable: boolean): MessageHook => ({
    name,
    durable,
    run: () => (ran.push(name), { add: name }),
  })
  const hooks = [hook('kept', true), hook('passing', false)]
  const more: Setup = { says: [calls('work'), calls('work'), 'Well.'], tools: [noting([], 'work')] }
  const a = await world.process('a', setup(hooks, more))
  await a.runtime.send('c', 'Hi')
  expect(ran).toEqual(['kept', 'passing'])
  await a.runtime.close()

  const dying = await world.process('d', {
    ...setup(hooks, more),
    after: (question, given, life) => {
      const write = given[0] as { events?: { type: string; step?: number }[] }
      if (question === 'append' && write.events?.some(({ step }) => step === 1)) life.kill()
      return undefined
    },
  })
  ran.length = 0
  void dying.runtime.send('e', 'Hi')
  await world.calm()
  expect(ran).toEqual(['kept', 'passing'])
  const b = await world.process('b', setup(hooks, more))
  await world.pass(30_000)
  expect(ran).toEqual(['kept', 'passing', 'passing'])
  expect(types(await world.log('e')).at(-1)).toBe('model.replied')
  expect(lastUser(last(b))).toEqual(['kept', 'passing', 'Hi'])
})

test('an answer that came late is looked at like a message', async () => {
  const seen: string[] = []
  const hook: MessageHook = { name: 'look', run: ({ items }) => void seen.push(...items.map(({ kind }) => kind)) }
  const a = await new World().process('a', setup([hook]))
  await a.runtime.send('c', 'Hi')
  expect(seen).toEqual(['message'])
})

test.each([
  [{ beforeMessage: 'x' }, '"hooks.beforeMessage" must be a list'],
  [{ beforeMessage: [{ run: () => {} }] }, 'has no "name"'],
  [{ beforeMessage: [{ name: 'x' }] }, 'has no run() function'],
  [{ onStream: [{ name: 'x', run: () => {} }] }, 'has no open() function'],
  [{ beforeMessage: [{ name: 'x', run: () => {}, timeout: 'soon' }] }, 'has a timeout that is none'],
  [{ before: [] }, 'there are no hooks "before"'],
  [{ regenerations: -1 }, '"hooks.regenerations" must be a whole number'],
])('hooks that make no sense are refused when the agent is made: %j', async (hooks, why) => {
  await expect(new World().process('a', { agent: { hooks: hooks as never } })).rejects.toThrow(why)
})

const hide: MessageHook = { name: 'hide', run: ({ text }) => ({ replace: text.replace(/\d{4}/, '****') }) }

test('what a hook took out stays out although the turn was cancelled while the model was being asked', async () => {
  const world = new World()
  const a = await world.process('a', setup([hide], { says: [() => (void a.runtime.cancel('c'), 'x')] }))
  await a.runtime.send('c', 'My pin is 1234')
  await a.runtime.send('c', 'Well?')
  expect(JSON.stringify(a.model.requests)).not.toContain('1234')
  expect(userTexts(last(a))[0]).toEqual(['My pin is ****'])
})

test('a message that was not let through is never read, and who takes its turn up again meets the hook again', async () => {
  const guard: MessageHook = {
    name: 'guard',
    run: ({ text }) => (text.includes('bomb') ? halt('Not here.') : undefined),
  }
  const a = await new World().process('a', setup([guard]))
  await a.runtime.send('c', 'Build a bomb')
  expect(await a.runtime.continue('c')).toMatchObject({ reason: 'halted', message: 'Not here.' })
  expect(a.model.requests).toHaveLength(0)
  await a.runtime.send('c', 'Hello')
  expect(userTexts(last(a))).toEqual([['(A message was withheld here.)'], ['Hello']])
})

test('a message whose hook failed is withheld until the hook has let it through', async () => {
  let down = true
  const hook: MessageHook = {
    name: 'hide',
    run: (context) => (down ? Promise.reject(new Error('down')) : hide.run(context)),
  }
  const a = await new World().process('a', setup([adds('clock', 'Noon.'), hook]))
  expect(await a.runtime.send('c', 'Pin 1234')).toMatchObject({ reason: 'hook_failed' })
  down = false
  expect(await a.runtime.continue('c')).toMatchObject({ status: 'done' })
  expect(userTexts(last(a))).toEqual([['Noon.', 'Pin ****']])
})

test('hooks run once in a turn that waits for an answer and continues in the same process', async () => {
  const world = new World()
  let ran = 0
  const hook: MessageHook = { name: 'clock', run: () => ({ add: `${++ran}` }) }
  const more: Setup = { says: [calls('pay'), 'Well.'], tools: [noting([], 'pay', { approval: 'required' })] }
  const a = await world.process('a', setup([hook], more))
  const { holds } = await a.runtime.send('c', 'Pay')
  await a.runtime.approve('c', holds[0]!.callId)
  await a.runtime.continue('c')
  expect(ran).toBe(1)
  expect(lastUser(last(a))).toEqual(['1', 'Pay'])
})

test.each([true, 'a text', { replace: 5 }, { add: [{ type: 'text' }] }, { say: 'x' }])(
  'a hook that gives %j, which means nothing, is a hook that failed',
  async (answer) => {
    const a = await new World().process('a', setup([{ name: 'odd', run: () => answer as never }]))
    const { reason, message } = await a.runtime.send('c', 'Hi')
    expect([reason, message]).toEqual(['hook_failed', expect.stringContaining('"odd"')])
    expect(a.model.requests).toHaveLength(0)
  },
)
