import { Session, tool, type ToolContext } from 'holdpoint'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { call, desk } from '../../../../test/kit/session-kit.ts'

async function contextOf(): Promise<ToolContext> {
  let seen: ToolContext | undefined
  const look = tool({
    name: 'look',
    description: 'For a test',
    input: z.object({}),
    run: (context) => {
      seen = context
      return null
    },
  })
  const session = await Session.open(desk([{ calls: [call('look')] }, 'done'], { tools: [look] }).agent)
  await session.send('Go')
  return seen!
}

test('a copy of what a handler is handed, and what stands before it, give all that it does', async () => {
  const context = await contextOf()
  expect(Object.keys(context)).toEqual(expect.arrayContaining(['input', 'plans', 'signal', 'state', 'progress']))
  for (const other of [{ ...context }, new Proxy(context, {}), Object.create(context) as ToolContext]) {
    expect(other.signal).toBe(context.signal)
    expect(other.plans).toBe(context.plans)
  }
  expect(context.signal).toBeInstanceOf(AbortSignal)
})

test('no copy of what a handler is handed shows what is behind it', async () => {
  const context = await contextOf()
  expect(Object.getOwnPropertySymbols({ ...context })).toEqual([])
})
