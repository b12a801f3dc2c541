/** Vendors' caches live on prompts that begin with the same bytes as the one before. Fifty turns of it. */
import type { PromptMessage } from '@holdpoint/core'
import { memoryStore, type Script } from '@holdpoint/testing'
import { definePlugin, type AgentOptions, type ModelRequest } from 'holdpoint'
import { expect, test } from 'vitest'
import { call, desk, live, say } from '../../../../test/kit/session-kit.ts'
import { letters, reader } from './kit.ts'

const TURNS = 50

/** Tools made from data, which a database gives in any order, and context that stays the same. */
const catalogue = definePlugin({
  id: 'catalogue',
  prepare: ({ conversation, tools, context }) => {
    const shelves = ['x', 'y', 'z'].map((shelf) => reader(`shelf.${shelf}`))
    tools.push(...(conversation.step % 2 ? shelves : shelves.toReversed()))
    context.push('There are three shelves.', 'They are in the cellar.')
  },
})

const scripts: readonly Script[] = Array.from({ length: TURNS }, (_, nth): readonly Script[] => {
  const page = (size: number) => call(nth % 3 ? 'read' : 'shelf.y', { page: `p${nth}`, size })
  if (nth % 5 === 4) return [`Answer ${nth}.`]
  const round = { calls: nth % 2 ? [page(40), page(300)] : [page(200)] }
  return nth % 7 === 3 ? [round, { text: 'More.', ...round }, `Answer ${nth}.`] : [round, `Answer ${nth}.`]
}).flat()

async function requestsOf(options: Partial<AgentOptions>): Promise<readonly ModelRequest[]> {
  const base = { instructions: 'You keep books.', tools: [reader('read')], plugins: [catalogue] }
  const { agent, model } = desk(scripts, { ...base, ...options })
  const conversation = await live(agent, memoryStore({ now: () => 0 }))
  for (let nth = 0; nth < TURNS; nth++) await say(conversation, `Question ${nth}`)
  expect(model.requests).toHaveLength(scripts.length)
  return model.requests
}

const bytes = (messages: readonly PromptMessage[]): string => JSON.stringify(messages).slice(1, -1)

/** Each prompt with the one before it. */
function pairs(requests: readonly ModelRequest[]): readonly (readonly [before: ModelRequest, after: ModelRequest])[] {
  return requests.slice(1).map((after, nth) => [requests[nth]!, after])
}

const goesOn = ([before, after]: readonly [ModelRequest, ModelRequest]): boolean =>
  bytes(after.prompt).startsWith(bytes(before.prompt))

/** The first message that is not what it was. */
function firstChanged([before, after]: readonly [ModelRequest, ModelRequest]): number {
  return before.prompt.findIndex((message, nth) => JSON.stringify(message) !== JSON.stringify(after.prompt[nth]))
}

test('every prompt begins with the whole of the one before', async () => {
  const requests = await requestsOf({})

  expect(pairs(requests).filter((pair) => !goesOn(pair))).toEqual([])
  expect(new Set(requests.map(({ tools }) => JSON.stringify(tools))).size).toBe(1)
  expect(requests[0]!.tools.map(({ name }) => name)).toEqual(['read', 'shelf__x', 'shelf__y', 'shelf__z'])
  expect(requests[0]!.prompt.slice(0, 3)).toEqual([
    { role: 'system', text: 'You keep books.' },
    { role: 'system', text: 'There are three shelves.' },
    { role: 'system', text: 'They are in the cellar.' },
  ])
})

test('what is put beside the message of a turn is at the very end, and nothing before the turn changes by it', async () => {
  const clock = definePlugin({
    id: 'clock',
    prepare: ({ conversation, inject }) => void inject.push(`This is turn ${conversation.turnId}.`),
  })
  const requests = await requestsOf({ plugins: [catalogue, clock] })

  let kept = 0
  for (const [before, after] of pairs(requests)) {
    const stable = before.prompt.slice(0, before.cache!.breakpoints.at(-2)! + 1)
    expect(bytes(after.prompt).startsWith(bytes(stable))).toBe(true)
    if (goesOn([before, after])) kept++
    expect(after.prompt.filter((message) => JSON.stringify(message).includes('This is turn'))).toHaveLength(1)
  }
  // The steps of one turn.
  expect(kept).toBe(scripts.length - TURNS)
})

test('with a window the prompt goes on, but where the window moved', async () => {
  const requests = await requestsOf({ context: { window: { turns: 10 } } })

  const moved = pairs(requests).filter((pair) => !goesOn(pair))
  expect(moved.length).toBeGreaterThan(5)
  expect(moved.length).toBeLessThan(TURNS / 3)
  for (const pair of moved) {
    // Behind the instructions another turn is the first.
    expect(firstChanged(pair)).toBe(3)
    expect(pair[1].prompt[3]!.role).toBe('user')
  }
})

test('with results that get old the prompt is the same up to the first result that is newly left out', async () => {
  const requests = await requestsOf({ context: { retention: { turns: 2 } } })

  const changed = pairs(requests).filter((pair) => !goesOn(pair))
  expect(changed.length).toBeGreaterThan(20)
  expect(changed.length).toBeLessThan(TURNS)
  for (const pair of changed) {
    const [before, after] = pair.map(({ prompt }) => prompt[firstChanged(pair)]!)
    expect(JSON.stringify(before)).not.toContain('leftOut')
    expect(JSON.stringify(after)).toContain('leftOut')
    // What has changed is in the turn that got too old, the third before the newest.
    const later = pair[1].prompt.slice(firstChanged(pair)).filter(({ role }) => role === 'user')
    expect(later).toHaveLength(3)
  }
})

test('under a budget the prompt goes on until it is full', async () => {
  const context = { count: letters, budget: { tokens: 1e6, conversation: 8000 } }
  const requests = await requestsOf({ context })

  const changed = pairs(requests).filter((pair) => !goesOn(pair))
  expect(changed.length).toBeGreaterThan(5)
  expect(changed.length).toBeLessThan(TURNS / 3)
})
