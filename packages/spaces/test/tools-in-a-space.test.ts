/** A tool is the same in a space as anywhere else: it is told nothing of the space, and it does nothing about it. */
import type { Json, Member, ToolContext } from '@holdpoint/core'
import { tool } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { World } from '../../../test/kit/runtime-kit.ts'

const ada: Member = { kind: 'human', id: 'ada' }
const members = [{ member: { kind: 'agent', id: 'desk' } as const }]

test('a tool that is used in a space is not told which one, and where it is shown is not its business', async () => {
  const world = new World()
  const contexts: ToolContext[] = []
  const chart = tool({
    name: 'chart',
    description: 'c',
    input: z.object({ n: z.number() }),
    run: (context) => (contexts.push(context), { drawn: context.input.n }),
  })
  const enter = (space: string) => ({ name: 'enter_space', input: { space } })
  const draw = (n: number) => ({ name: 'chart', input: { n } })
  const one = await world.process('one', {
    tools: [chart],
    says: [{ calls: [enter('paris'), draw(1), enter('tokyo'), draw(2)] }, 'Done.'],
  })
  for (const id of ['paris', 'tokyo']) await one.runtime.spaces.create({ id, name: id, by: ada, members })
  await one.runtime.spaces.post('paris', 'Draw', { from: ada })
  await world.until(() => contexts.length === 2)
  await world.calm()

  // `askedBy` is apart: it says where the words came from that led to the call, for a gate.
  for (const { input, call, conversation, scope } of contexts)
    expect(JSON.stringify([input, call, conversation, scope])).not.toMatch(/paris|tokyo/)
  for (const context of contexts) expect(Object.keys(context).join()).not.toMatch(/space/i)
  const shown = async (id: string): Promise<Json[]> =>
    ((await one.runtime.spaces.view(id))?.messages ?? []).flatMap((each) =>
      each.kind === 'tool' ? [each.output ?? null] : [],
    )
  expect([await shown('paris'), await shown('tokyo')]).toEqual([[{ drawn: 1 }], [{ drawn: 2 }]])
})
