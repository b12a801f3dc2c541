import { expect, test } from 'vitest'
import { calls, LEASE, slow, World } from '../../../../test/kit/runtime-kit.ts'

const says = [calls('work'), 'Done.']

test('a runtime that is closed while it looks at due conversations reports no problem', async () => {
  const world = new World()
  const work = slow('work')
  const a = await world.process('a', { says, tools: [work.tool] })
  for (const id of ['c1', 'c2', 'c3']) await a.runtime.submit(id, 'Work')
  a.kill()
  await world.pass(2 * LEASE)
  const b = await world.process('b', { says, tools: [work.tool] })
  await world.soon(b.runtime.close())
  expect(b.problems).toEqual([])
})
