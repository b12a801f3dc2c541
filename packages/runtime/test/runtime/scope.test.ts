import { proves } from '@holdpoint/testing'
import { definePlugin, tool, type Asker, type Scope, type Tool } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { calls, gated, heldId, slow, World, type Setup } from '../../../../test/kit/runtime-kit.ts'

/** A process whose tools say for whom they ran, and where. */
function telling(seen: unknown[], more: object = {}, setup: Setup = {}): Setup {
  const who: Tool = tool({
    name: 'who',
    description: 'Who',
    input: z.object({}),
    ...more,
    run: ({ scope }) => void seen.push(scope),
  })
  return { says: [calls('who')], tools: [who], scope: (asker: Asker) => ({ ...asker }), ...setup }
}
const ann = { tenant: '', conversationId: 'c', by: 'ann' }

test('tools are told who asked, made from what was said', async () => {
  const world = new World()
  const seen: unknown[] = []
  const a = await world.process('a', telling(seen))

  await a.runtime.tenant('acme').send('c', 'Who?', { by: 'ann' })
  await a.runtime.send('d', 'Who?')

  expect(seen).toEqual([
    { tenant: 'acme', conversationId: 'c', by: 'ann' },
    { tenant: '', conversationId: 'd', by: undefined },
  ])
})

test(
  proves(
    'scope.of-the-asker',
    'an approved call runs for its author, not for its approver or a waiting caller, in any process',
  ),
  async () => {
    const world = new World()
    const seen: unknown[] = []
    const a = await world.process('a', telling(seen, gated))
    await a.runtime.send('c', 'Who?', { by: 'ann' })
    a.kill()
    const front = await world.process('front', { ...telling(seen, gated), drive: false })
    await front.runtime.approve('c', await heldId(front, 'who'), { by: 'boss' })

    const b = await world.process('b', telling(seen, gated))
    await world.soon(b.runtime.continue('c', { by: 'passer-by' }))

    expect(seen).toEqual([ann])
  },
)

test('a resumed turn runs for its first author, also after a restart', async () => {
  const world = new World()
  const seen: unknown[] = []
  const a = await world.process('a', telling(seen, gated, { says: [calls('who'), calls('who')] }))
  await a.runtime.send('c', 'Who?', { by: 'ann', maxSteps: 1 })
  await a.runtime.approve('c', await heldId(a, 'who'))
  expect(await a.runtime.continue('c')).toMatchObject({ reason: 'max_steps' })
  a.kill()

  const b = await world.process('b', telling(seen, gated, { says: [calls('who'), calls('who')] }))
  expect(await world.soon(b.runtime.continue('c', { by: 'passer-by' }))).toMatchObject({ status: 'held' })
  b.kill()
  const d = await world.process('d', telling(seen, gated, { says: [calls('who'), calls('who')] }))
  await d.runtime.approve('c', await heldId(d, 'who'), { by: 'boss' })
  await world.calm()

  expect(seen).toEqual([ann, ann])
})

test('a message that waited runs for its own sender, who need not be there', async () => {
  const world = new World()
  const seen: unknown[] = []
  const work = slow('work')
  const setup = telling(seen)
  const a = await world.process('a', {
    ...setup,
    says: [({ prompt }) => (JSON.stringify(prompt).includes('Who') ? calls('who') : calls('work'))],
    tools: [...(setup.tools ?? []), work.tool],
  })
  const b = await world.process('b', { ...setup, drive: false })
  void a.runtime.submit('c', 'Work', { by: 'bob' })
  await world.until(() => work.started.length === 1)

  await b.runtime.submit('c', 'Who?', { by: 'ann', whileBusy: 'queue' })
  work.release()
  await world.calm()

  expect(seen).toEqual([ann])
})

test('what a plugin makes for one person is made for that person after a restart', async () => {
  const world = new World()
  const prepared: unknown[] = []
  const plugin = definePlugin({ id: 'p', prepare: ({ scope }) => void prepared.push(scope['by']) })
  const a = await world.process('a', { ...telling([], gated), agent: { plugins: [plugin] } })
  await a.runtime.send('c', 'Who?', { by: 'ann' })
  a.kill()
  const b = await world.process('b', { ...telling([], gated), agent: { plugins: [plugin] } })

  await b.runtime.approve('c', await heldId(b, 'who'))
  await world.calm()

  expect(new Set(prepared)).toEqual(new Set(['ann']))
})

test('a scope that cannot be made is an error to the sender, with nothing written, and nothing ever runs without one', async () => {
  const world = new World()
  const seen: unknown[] = []
  let known = false
  const scope = ({ by }: Asker): Scope => {
    if (by === 'ann' && !known) throw new Error(`Who is ${by}?`)
    return { by }
  }
  const a = await world.process('a', { ...telling(seen, gated), scope })
  await expect(a.runtime.send('c', 'Who?', { by: 'ann' })).rejects.toThrow('Who is ann?')
  expect(await world.log()).toEqual([])

  known = true
  await a.runtime.send('c', 'Who?', { by: 'ann' })
  known = false
  await a.runtime.approve('c', await heldId(a, 'who'), { by: 'boss' })
  await world.pass(3000)
  expect(seen).toEqual([])
  expect(a.problems).not.toHaveLength(0)
  known = true
  await world.pass(5000)

  expect(seen).toEqual([{ by: 'ann' }])
})

test('who asked is made once for a turn, however many calls it has', async () => {
  const world = new World()
  let made = 0
  const setup = telling([], {}, { says: [calls('who', 'who'), calls('who'), 'Done.'] })
  const a = await world.process('a', { ...setup, scope: ({ by }) => ({ by, nth: ++made }) })

  await a.runtime.submit('c', 'Who?', { by: 'ann' })
  await world.calm()

  expect(a.model.requests).toHaveLength(3)
  expect(made).toBe(1)
})
