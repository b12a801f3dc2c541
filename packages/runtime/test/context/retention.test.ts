import { memoryStore } from '@holdpoint/testing'
import { tool } from 'holdpoint'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Retention } from '@holdpoint/core/internal/tool/tool-options'
import { call, desk, live, say } from '../../../../test/kit/session-kit.ts'
import { eventsOf, reader, reads, shownPages, talk } from './kit.ts'

const five = ['a', 'b', 'c', 'd', 'e'].map((page) => reads(page))

describe('a result stays', () => {
  test.each<[string, Retention | undefined, string]>([
    ['for ever by default', undefined, 'abcde'],
    ['for ever when its tool keeps it', 'keep', 'abcde'],
    ['in its own turn only, with no turns', { turns: 0 }, '----e'],
    ['for the turns given after its own', { turns: 2 }, '--cde'],
    ['while it is one of the newest of its tool', { last: 2 }, '---de'],
    ['in its own turn, even when none of the newest are to stay', { last: 0 }, '----e'],
    ['while both hold', { turns: 3, last: 2 }, '---de'],
    ['while both hold, the other way round', { turns: 1, last: 4 }, '---de'],
  ])('%s', async (_, retention, shown) => {
    const { model } = await talk(five, { tools: [reader('read', retention)] })
    expect(shownPages(model).join('')).toBe(shown)
  })
})

test('what holds for all is for tools that say nothing themselves', async () => {
  const tools = [reader('read'), reader('kept', 'keep'), reader('longer', { turns: 2 })]
  const turns = ['a', 'b', 'c', 'd'].map((page) => [
    { calls: [call('read', { page, size: 0 }), call('kept', { page, size: 0 }), call('longer', { page, size: 0 })] },
    'Well.',
  ])
  const { model } = await talk(turns, { tools, context: { retention: { turns: 1 } } })

  expect(shownPages(model).join('')).toBe('-a--bbcccddd')
})

test('the newest of a tool are counted by tool, and not by turn', async () => {
  const tools = [reader('read', { last: 1 }), reader('other')]
  const { model } = await talk([reads('a'), reads('b', { name: 'other' }), reads('c', { name: 'other' }), ['Hm.']], {
    tools,
  })

  expect(shownPages(model)).toEqual(['a', 'b', 'c'])
})

test('a tool that is gone goes by what holds for all', async () => {
  const store = memoryStore({ now: () => 0 })
  await talk([reads('a')], { tools: [reader('read', 'keep')] }, store)
  const { agent, model } = desk(['Hm.'], { context: { retention: { turns: 0 } } })
  await say(await live(agent, store), 'And now?')

  expect(shownPages(model)).toEqual(['-'])
})

test('the model reads that a result was left out, in its place and as good or bad as it was; the log keeps it', async () => {
  const tools = [reader('read'), tool({ name: 'fail', description: 'x', input: z.object({}), run: () => { throw new Error('no') } })] // prettier-ignore
  const scripts = [[{ calls: [call('read', { page: 'a', size: 0 }), call('fail')] }, 'Well.'], ['Hm.']]
  const { model, store } = await talk(scripts, { tools, context: { retention: { turns: 0 } } })

  expect(model.requests.at(-1)?.prompt[2]).toEqual({
    role: 'tool',
    results: [
      { id: 'call-1-1', name: 'read', isError: false, content: { ok: true, leftOut: expect.stringContaining('Call the tool again') as unknown } }, // prettier-ignore
      { id: 'call-1-2', name: 'fail', isError: true, content: { ok: false, leftOut: expect.any(String) as unknown } },
    ],
  })
  const outcomes = (await eventsOf(store)).flatMap((event) => (event.type === 'call.settled' ? [event.outcome] : []))
  expect(outcomes.toSorted((a) => (a.ok ? -1 : 1))).toMatchObject([{ ok: true, value: 'a ' }, { ok: false }])
})

test('that an answer is still to come is never left out', async () => {
  const job = tool({ name: 'job', description: 'x', input: z.object({}), executor: 'external', async: true })
  const { model } = await talk([[{ calls: [call('job')] }, 'It will come.'], ['Hm.'], ['Hm.']], {
    tools: [job],
    context: { retention: { turns: 0, last: 0 } },
  })

  expect(shownPages(model)).toEqual([expect.stringContaining('pending')])
})

test('results of the turn that is going on stay, however many rounds it has', async () => {
  const rounds = ['a', 'b', 'c', 'd'].map((page) => ({ calls: [call('read', { page, size: 0 })] }))
  const { model } = await talk([[...rounds, 'Done.']], { tools: [reader('read', { turns: 0, last: 1 })] })

  expect(shownPages(model).join('')).toBe('abcd')
})
