import { HoldpointError, type Loaded } from '@holdpoint/core'
import type { Address } from 'holdpoint'
import { expect, test } from 'vitest'
import { asking, calls, gated, heldId, noting, World, type Process } from '../../../../test/kit/runtime-kit.ts'

/** Four conversations of two agents, each held in another way, a second apart. */
async function office(world: World, name = 'a'): Promise<Process> {
  return world.process(name, {
    says: [({ prompt }) => calls(textOf(prompt))],
    tools: [
      noting([], 'pay', gated),
      asking('ask', 'human', { timeout: '1h' }),
      asking('show', 'client', { timeout: '2h' }),
      asking('fetch', 'external', { timeout: '3h' }),
    ],
    agents: ['desk', 'sales'],
  })
}

function textOf(prompt: unknown): string {
  return /"text":"(\w+)"/.exec(JSON.stringify(prompt))![1]!
}

async function filled(): Promise<[World, Process]> {
  const world = new World()
  const a = await office(world)
  for (const [n, name] of ['pay', 'ask', 'show', 'fetch'].entries()) {
    await a.runtime.send(`c${n}`, name, { agent: n % 2 === 0 ? 'desk' : 'sales' })
    await world.clock.advance(1000)
  }
  return [world, a]
}

test('what waits is told oldest first, with all that is needed to answer it', async () => {
  const [world, a] = await filled()

  const { items, next } = await a.runtime.pending()

  expect(items.map(({ conversationId, agent, name, kind }) => [conversationId, agent, name, kind])).toEqual([
    ['c0', 'desk', 'pay', 'approval'],
    ['c1', 'sales', 'ask', 'elicitation'],
    ['c2', 'desk', 'show', 'client'],
    ['c3', 'sales', 'fetch', 'external'],
  ])
  expect(items[1]).toMatchObject({ nth: 1, accepts: ['answer', 'reject'], input: {}, heldAt: world.clock.now() - 3000 })
  expect(next).toBeUndefined()
})

test.each([
  [{ conversationId: 'c2' }, ['c2']],
  [{ agent: 'sales' }, ['c1', 'c3']],
  [{ tool: 'pay' }, ['c0']],
  [{ kind: 'external' }, ['c3']],
  [{ agent: 'sales', kind: 'approval' }, []],
  [{ agent: 'unknown' }, []],
] as const)('the filter %j leaves what fits it', async (filter, ids) => {
  const [, a] = await filled()
  expect((await a.runtime.pending(filter)).items.map(({ conversationId }) => conversationId)).toEqual(ids)
})

test('what expires before a time can be asked for', async () => {
  const [world, a] = await filled()
  const soon = await a.runtime.pending({ expiresBefore: world.clock.now() + 2.5 * 3_600_000 })
  expect(soon.items.map(({ name }) => name)).toEqual(['ask', 'show'])
})

test('pages go on where the last one ended, though some of what was shown is answered meanwhile', async () => {
  const world = new World()
  const a = await office(world)
  for (let n = 0; n < 9; n++) await a.runtime.send(`c${n}`, 'pay', { agent: 'desk' })

  const seen: string[] = []
  let after: string | undefined
  do {
    const page = await a.runtime.pending({ limit: 2, ...(after !== undefined && { after }) })
    expect(page.items.length).toBeLessThanOrEqual(2)
    seen.push(...page.items.map(({ conversationId }) => conversationId))
    await a.runtime.reject(page.items[0]!.conversationId, page.items[0]!.callId)
    after = page.next
  } while (after !== undefined)

  expect(seen).toEqual(Array.from({ length: 9 }, (_, n) => `c${n}`))
  expect((await a.runtime.pending()).items).toHaveLength(4)
})

test('what was answered is not shown any more, and what a call waits for next is', async () => {
  const world = new World()
  const a = await world.process('a', { says: [calls('sign')], tools: [asking('sign', 'client', gated)] })
  await a.runtime.send('c', 'Sign')
  await a.runtime.approve('c', await heldId(a, 'sign'))

  expect((await a.runtime.pending()).items).toMatchObject([{ kind: 'client', nth: 2 }])
  expect((await a.runtime.pending({ kind: 'approval' })).items).toEqual([])
  await a.runtime.answer('c', await heldId(a, 'sign'), 'x')
  expect((await a.runtime.pending()).items).toEqual([])
})

test('of a call that several must approve, it is told who has', async () => {
  const world = new World()
  const a = await world.process('a', {
    says: [calls('pay')],
    tools: [noting([], 'pay', { approval: { required: true, approvers: 2, reason: 'Much money' } })],
  })
  await a.runtime.send('c', 'Pay')
  expect(await a.runtime.approve('c', await heldId(a, 'pay'), { by: 'ann' })).toMatchObject({ remaining: 1 })

  expect((await a.runtime.pending()).items).toMatchObject([{ reason: 'Much money', approvers: 2, endorsedBy: ['ann'] }])
})

test('what a process cannot drive it can still show and page through', async () => {
  const [world] = await filled()
  const other = await world.process('other', { agents: ['stranger'] })

  expect((await other.runtime.pending()).items).toHaveLength(4)
  expect((await other.runtime.list()).items).toHaveLength(4)
  expect(await other.runtime.events('c0')).toHaveLength(3)
})

test.each([
  [
    'with an event of another version',
    ({ events, ...rest }: Loaded) => ({
      ...rest,
      events: [...events, { type: 'turn.rewound', seq: events.length + 1, at: 0 }],
    }),
  ],
  ['with a state that is none', (loaded: Loaded) => ({ ...loaded, base: { seq: 0, state: { waiting: [null] } } })],
  [
    'that is no JSON',
    () => {
      throw new HoldpointError('history-impossible', 'The events up to 3 cannot be read. Restore the log.')
    },
  ],
])(
  'a log %s hides no hold of another conversation, on any page, and is reported as a problem',
  async (_what, damage) => {
    const [world] = await filled()
    const b = await world.process('b', {
      agents: ['desk', 'sales'],
      after: (question, [about], _life, answer) =>
        question === 'load' && (about as Address).id === 'c1' ? damage(answer as Loaded) : undefined,
    })

    const first = await b.runtime.pending({ limit: 2 })
    const second = await b.runtime.pending({ limit: 2, after: first.next! })

    const ids = [...first.items, ...second.items].map(({ conversationId }) => conversationId)
    expect(ids).toEqual(['c0', 'c2', 'c3'])
    expect(b.problems.map(({ conversation }) => conversation)).toEqual([{ tenant: '', id: 'c1' }])
  },
)

test('that the store does not answer is told to who asks what waits, and not taken for a damaged log', async () => {
  const [world] = await filled()
  const b = await world.process('b', {
    agents: ['desk', 'sales'],
    before: (question, [about]) => {
      if (question === 'load' && (about as Address).id === 'c1') throw new Error('The store is away.')
    },
  })

  await expect(b.runtime.pending()).rejects.toThrow('The store is away.')
})

test('the conversations of a page are read several at a time, and never all at once', async () => {
  const world = new World()
  const a = await office(world)
  for (let n = 0; n < 90; n++) await a.runtime.send(`c${n}`, 'pay', { agent: 'desk' })
  let [reading, most] = [0, 0]
  const b = await world.process('b', {
    agents: ['desk', 'sales'],
    before: async (question) => {
      if (question === 'load') most = Math.max(most, ++reading)
      await new Promise((resolve) => setImmediate(resolve))
    },
    after: (question) => {
      if (question === 'load') reading--
    },
  })

  expect((await b.runtime.pending({ limit: 1000 })).items).toHaveLength(90)
  expect(most).toBe(20)
})
