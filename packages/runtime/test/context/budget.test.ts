import { memoryStore } from '@holdpoint/testing'
import { definePlugin, type AgentOptions, type ModelRequest } from 'holdpoint'
import { describe, expect, test } from 'vitest'
import { estimateTokens } from '@holdpoint/core/internal/context/count'
import { call, desk, live, say } from '../../../../test/kit/session-kit.ts'
import { eventsOf, letters, pagesIn, reader, reads, shownMessages, shownPages, talk } from './kit.ts'

const pages = Array.from({ length: 40 }, (_, nth) => `p${nth}`)
/** Nothing but the conversation counts. */
const within = (conversation: number) => ({ count: letters, budget: { tokens: 1e6, conversation } })
const sizeOf = ({ prompt }: ModelRequest): number => prompt.reduce((sum, message) => sum + letters(message), 0)
const tools = [reader('read')]

test('without room the oldest results go, down to three quarters, and no more until it is full again', async () => {
  const turns = pages.slice(0, 8).map((page) => reads(page, { size: 1000 }))
  const { model, store } = await talk(turns, { tools, context: within(6000) })

  const left = model.requests.map((request) => pagesIn(request).filter((page) => page === '-').length)
  // A turn takes about 1,300 letters, and 400 without its result. Two prompts are a turn.
  expect(left).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 3, 3, 3, 6, 6, 6]) // prettier-ignore
  for (const [nth, request] of model.requests.entries()) {
    expect(sizeOf(request)).toBeLessThanOrEqual(6000)
    if (left[nth] !== (left[nth - 1] ?? 0)) expect(sizeOf(request)).toBeLessThanOrEqual(4500)
    // Nothing of the messages is lost yet.
    expect(shownMessages(model, nth)).toHaveLength(Math.floor(nth / 2) + 1)
    expect(pagesIn(request).slice(left[nth])).not.toContain('-')
  }
  const shown = (await eventsOf(store)).flatMap((event) =>
    event.type === 'model.replied' && event.shown ? [event.shown] : [],
  )
  expect(shown).toHaveLength(2)
  expect(shown.every(({ from, stubs }) => from === shown[0]!.from && stubs !== undefined)).toBe(true)
})

test('when results are not enough, the oldest turns go, down to three quarters', async () => {
  const turns = pages.map((page) => [`${page} ${'y'.repeat(400)}`])
  const { model } = await talk(turns, { context: within(6000) })

  const firsts = model.requests.map((_, nth) => shownMessages(model, nth)[0])
  expect(new Set(firsts).size).toBeGreaterThan(5)
  expect(new Set(firsts).size).toBeLessThan(14)
  for (const [nth, request] of model.requests.entries()) {
    expect(sizeOf(request)).toBeLessThanOrEqual(6000)
    if (firsts[nth] !== firsts[nth - 1] && nth > 0) {
      expect(sizeOf(request)).toBeLessThanOrEqual(4500)
      expect(sizeOf(request)).toBeGreaterThan(3500)
    }
  }
})

test('a result that is no longer than what would stand in its place is not left out', async () => {
  const turns = pages.map((page) => reads(page))
  const { model } = await talk(turns, { tools, context: within(4000) })

  for (const request of model.requests) expect(pagesIn(request)).not.toContain('-')
  expect(shownMessages(model).length).toBeLessThan(20)
})

test('a result that its tool keeps goes only with its turn', async () => {
  const kept = reader('kept', 'keep')
  const turns = pages.slice(0, 8).map((page, nth) => reads(page, { size: 1000, name: nth % 2 ? 'kept' : 'read' }))
  const { model } = await talk(turns, { tools: [...tools, kept], context: within(6000) })

  expect(shownPages(model)).toContain('-')
  for (const request of model.requests) {
    const names = request.prompt.flatMap((message) => (message.role === 'tool' ? message.results.map(({ name }) => name) : [])) // prettier-ignore
    expect(pagesIn(request).filter((page, nth) => page === '-' && names[nth] === 'kept')).toEqual([])
  }
})

test('a result that is too old anyway is not taken for a saving', async () => {
  const turns = pages.slice(0, 9).map((page) => reads(page, { size: 1000 }))
  const { model } = await talk(turns, { tools, context: { ...within(6000), retention: { turns: 3 } } })

  // Only the newest four results are left, and three of them go before any message does.
  for (const [nth] of model.requests.entries()) expect(shownMessages(model, nth)[0]).toBe('Message 0')
  for (const request of model.requests) expect(sizeOf(request)).toBeLessThanOrEqual(6000)
})

test('in a long turn its own older results go, but those of the newest two rounds stay, or there is no going on', async () => {
  const rounds = ['a', 'b', 'c', 'd', 'e'].map((page) => ({
    calls: [call('read', { page, size: 500 }), call('read', { page: `${page}2`, size: 500 })],
  }))
  const shown = async (room: number) => {
    const { model, results } = await talk([[...rounds, 'Done.']], { tools, context: within(room) })
    for (const request of model.requests) expect(sizeOf(request)).toBeLessThanOrEqual(room)
    return [results[0]!.status, ...model.requests.map((request) => pagesIn(request).join(' '))]
  }

  expect(await shown(5000)).toEqual(['done', '', 'a a2', 'a a2 b b2', 'a a2 b b2 c c2', '- - - - c c2 d d2', '- - - - - - d d2 e e2']) // prettier-ignore
  expect(await shown(4000)).toEqual(['failed', '', 'a a2', 'a a2 b b2', '- - b b2 c c2', '- - - - c c2 d d2'])
})

describe('another process sends the same bytes', () => {
  const small = within(5000)
  test.each<[string, Partial<AgentOptions>['context']]>([
    ['under a budget', small],
    ['with a window of turns', { window: { turns: 5 } }],
    ['with a window of tokens', { window: { tokens: 3000 }, count: letters }],
    ['with results that get old', { ...small, retention: { turns: 2 } }],
    ['with own words', { ...within(2600), ownWords: { after: 1 } }],
  ])('%s', async (_, context = {}) => {
    const turns = pages.slice(0, 16).map((page, nth) => reads(page, { size: nth % 3 ? 900 : 10 }))
    const one = await talk(turns, { tools, context })
    const many = await talk(turns, { tools, context, reload: true })

    expect(many.model.requests.map(({ prompt }) => JSON.stringify(prompt))).toEqual(
      one.model.requests.map(({ prompt }) => JSON.stringify(prompt)),
    )
    const shown = (await eventsOf(many.store)).filter((event) => event.type === 'model.replied' && event.shown)
    expect(shown.length).toBeGreaterThan(1)
  })
})

test('what the model was told in a turn that failed is told again', async () => {
  const store = memoryStore({ now: () => 0 })
  await talk(pages.slice(0, 4).map((page) => reads(page, { size: 1000 })), { tools, context: within(6000) }, store) // prettier-ignore
  const { agent, model } = desk([new Error('gone'), 'Well.'], { tools, context: within(4000) })
  const conversation = await live(agent, store)
  await say(conversation, 'Now?')
  await say(await live(agent, store), 'Now?')

  expect(shownPages(model, 0)).toContain('-')
  expect(JSON.stringify(model.requests[1]?.prompt)).toContain(JSON.stringify(model.requests[0]?.prompt).slice(1, -80))
})

describe('what is too large is named', () => {
  const talks = plugin(({ inject }) => void inject.push('I'.repeat(300)))
  const wise = plugin(({ context }) => void context.push('C'.repeat(300)))
  test.each<[string, Partial<AgentOptions>, string]>([
    [
      'instructions over their part',
      { instructions: 'i'.repeat(300), context: { count: letters, budget: { tokens: 9000, instructions: 200 } } },
      'Too much for a prompt: the instructions take about 327 tokens of the 200 in context.budget.instructions.',
    ],
    [
      'what plugins say is part of them',
      { plugins: [wise], context: { count: letters, budget: { tokens: 9000, instructions: 200 } } },
      'Too much for a prompt: the instructions take about 327 tokens of the 200 in context.budget.instructions.',
    ],
    [
      'tools over their part',
      { tools, context: { count: letters, budget: { tokens: 9000, tools: 100 } } },
      'of the 100 in context.budget.tools.',
    ],
    [
      'what is put beside the message over its part',
      { plugins: [talks], context: { count: letters, budget: { tokens: 9000, injected: 100 } } },
      'what hooks and plugins add take about 351 tokens of the 100 in context.budget.injected.',
    ],
    [
      'the turn over its part',
      { context: { count: letters, budget: { tokens: 9000, conversation: 50 } } },
      'Too much for a prompt: the newest turn takes about 60 tokens of the 50 in context.budget.conversation.',
    ],
    [
      'a turn that does not fit',
      { instructions: 'Be brief.', context: { count: letters, budget: 80 } },
      'The prompt does not fit into 80 tokens (context.budget), although everything possible was left out: the instructions about 36, the newest turn about 60. Shorten the newest turn, or raise the budget.',
    ],
    [
      'instructions that leave no room',
      { instructions: 'i'.repeat(300), context: { count: letters, budget: 380 } },
      'Shorten the instructions, or raise the budget.',
    ],
    [
      'a reserve that leaves no room',
      { context: { count: letters, budget: { tokens: 200, reserve: 150 } } },
      'what is kept free (context.budget.reserve) about 150. Shorten what is kept free (context.budget.reserve), or raise the budget.',
    ],
  ])('%s', async (_, options, message) => {
    const { results, model } = await talk([['Never said.']], options)

    expect(results).toMatchObject([
      { status: 'failed', reason: 'context_full', message: expect.stringContaining(message) as unknown },
    ])
    expect(model.requests).toEqual([])
  })
})

test('what is put beside the message takes from what is kept free for it, and not from the conversation', async () => {
  const turns = pages.slice(0, 6).map((page) => [page])
  const budget = { tokens: 1000, reserve: 400 }
  const silent = await talk(turns, { context: { count: letters, budget } })
  const talks = plugin(({ inject }) => void inject.push('I'.repeat(300)))
  const talking = await talk(turns, { plugins: [talks], context: { count: letters, budget } })

  for (const [nth] of turns.entries())
    expect(shownMessages(talking.model, nth).filter((text) => !text.startsWith('I'))).toEqual(
      shownMessages(silent.model, nth),
    )
})

test('without a budget nothing is refused', async () => {
  const { results } = await talk([['Fine.']], { instructions: 'long '.repeat(100_000) })
  expect(results).toMatchObject([{ status: 'done' }])
})

test('a conversation goes on after a message that was too large, which stays in the log', async () => {
  const { agent, model } = desk(['Better.'], { context: { budget: 200 } })
  const store = memoryStore({ now: () => 0 })
  const conversation = await live(agent, store)

  expect(await say(conversation, 'long '.repeat(500))).toMatchObject({ reason: 'context_full' })
  expect(await say(conversation, 'Short.')).toMatchObject({ status: 'done', text: 'Better.' })
  expect(shownMessages(model)).toEqual(['Short.'])
  expect(model.requests[0]!.prompt.reduce((sum, message) => sum + estimateTokens(message), 0)).toBeLessThan(200)
  expect(JSON.stringify(await eventsOf(store))).toContain('long long')
})

function plugin(prepare: NonNullable<Parameters<typeof definePlugin>[0]['prepare']>) {
  return definePlugin({ id: 'p', prepare })
}
