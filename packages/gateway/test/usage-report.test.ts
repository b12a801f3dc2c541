/** Usage and cost over HTTP, and what the gateway says about its own health. */
import { connect } from '@holdpoint/client'
import { memoryStore, type Model } from 'holdpoint'
import { expect, test, vi } from 'vitest'
import { priceOf } from '../src/prices.ts'
import { obedient } from './kit.ts'
import { personKit } from './person-kit.ts'

/** Answers under a dated name, as vendors do, with more tokens than the model of the kit. */
const dated: Model = {
  id: 'dated',
  async *stream(request) {
    yield { type: 'info', modelId: 'gpt-mini-2026-01-31' }
    const usage = { inputTokens: 1000, outputTokens: 100, cachedTokens: 400 }
    for await (const part of obedient.stream(request)) yield part.type === 'finish' ? { ...part, usage } : part
  },
}
const prices = { currency: 'EUR', models: { 'gpt-mini': { input: 2, output: 10, cached: 1 } } }

test('tokens, cost and calls are counted from the log, by day, agent, model and tool', async () => {
  const here = await personKit({ model: dated, prices, socket: true })
  await here.ask('POST', '/api/conversations/talk/messages?wait=5', { body: { content: 'Hello' } })
  const { body } = await here.ask('POST', '/api/conversations/back/messages?wait=5', { body: { content: 'refund 5' } })
  await here.ask('POST', `/api/holds/back/${body.result.holds[0].callId}/resolve`, { body: { kind: 'reject' } })
  await vi.waitFor(async () =>
    expect((await here.ask('GET', '/api/conversations/back')).body.turns[0].ended?.reason).toBe('completed'),
  )
  const client = connect({ url: here.url, key: here.key('acme', 'admin') })
  const report = await client.usage.report()
  const of = { day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), agent: 'desk' }
  // Three replies: (600 x 2 + 400 x 1 + 100 x 10) / 1,000,000 each.
  expect(report.models).toEqual([
    {
      ...of,
      model: 'gpt-mini-2026-01-31',
      calls: 3,
      inputTokens: 3000,
      outputTokens: 300,
      cachedTokens: 1200,
      cost: expect.closeTo(0.0078, 10),
    },
  ])
  expect(report.tools).toEqual([{ ...of, tool: 'refund', calls: 1, held: 1, failed: 1, runMs: 0 }])
  expect(report).toMatchObject({ currency: 'EUR', conversations: 2, cut: 0, unreadable: 0 })
  expect((await client.usage.report({ until: 1000 })).models).toEqual([])
  const other = await connect({ url: here.url, key: here.key('umbrella', 'admin') }).usage.report()
  expect(other).toMatchObject({ models: [], tools: [], conversations: 0 })
})

test('a model without a price has no cost, and wrong prices are refused when the gateway starts', async () => {
  const price = priceOf(prices)
  const used = { inputTokens: 1_000_000, outputTokens: 0 }
  expect(price({ ...used, model: 'vendor/gpt-mini' })).toBe(2)
  expect(price({ ...used, model: 'gpt-mini-20260131' })).toBe(2)
  expect(price({ ...used, model: 'gpt-maxi' })).toBeUndefined()
  expect(price({ ...used, model: 'constructor' })).toBeUndefined()
  for (const wrong of [
    { currency: 'euro', models: {} },
    { currency: 'EUR', models: { a: { input: -1, output: 1 } } },
  ])
    await expect(personKit({ prices: wrong })).rejects.toThrow('"prices" must be')
})

test('health names the store, this process, overdue work, the outbox and the newest problem', async () => {
  const here = await personKit()
  await here.ask('POST', '/api/conversations/talk/messages?wait=5', { body: { content: 'Hello' } })
  const { status, body } = await here.ask('GET', '/api/system')
  expect(status).toBe(200)
  expect(body).toMatchObject({
    store: { readMs: expect.any(Number), writeMs: expect.any(Number) },
    nodes: [{ here: true, drives: true, leased: true, streams: 0, eventLoopMs: expect.any(Number) }],
    overdue: { count: 0, more: false },
    outbox: { count: 0, more: false },
    channels: [{ name: 'browser', waiting: 0, retrying: 0 }],
    problems: [],
  })
  expect((await here.ask('GET', '/api/system', { as: 'reader' })).status).toBe(403)
  expect((await (await here.person('ada', 'agent reader'))('GET', '/api/system')).status).toBe(403)
})

test('each process names both processes of the store, and which of them answers', async () => {
  const store = memoryStore({ now: Date.now })
  const here = await personKit({ store })
  const there = await personKit({ store })
  await here.ask('GET', '/api/system')
  const seen = [(await there.ask('GET', '/api/system')).body.nodes, (await here.ask('GET', '/api/system')).body.nodes]
  const ids = seen.map((nodes: { id: string }[]) => nodes.map(({ id }) => id).toSorted())
  expect(new Set(ids[0]).size).toBe(2)
  expect(ids[1]).toEqual(ids[0])
  const answering = seen.map((nodes: { id: string; here: boolean }[]) => nodes.filter((node) => node.here))
  expect(answering).toMatchObject([[{ leased: true }], [{ leased: true }]])
  expect(answering[0]![0]!.id).not.toBe(answering[1]![0]!.id)
})

test('a store that fails is shown as one that does not answer, with the problem; a tenant does not see those of others', async () => {
  let broken = false
  const inner = memoryStore({ now: Date.now })
  const store = {
    ...inner,
    heads: async (...asked: Parameters<typeof inner.heads>) => {
      if (broken && asked[0][0]?.id === 'health') throw new Error('The disk is gone.')
      return inner.heads(...asked)
    },
  }
  const here = await personKit({ store })
  const root = await here.api.keys.create('', { name: 'root', scopes: ['admin'] })
  broken = true
  const own = await here.ask('GET', '/api/system', {
    as: 'anonymous',
    headers: { authorization: `Bearer ${root.key}` },
  })
  expect(own.body.store).toEqual({})
  const again = await here.ask('GET', '/api/system', {
    as: 'anonymous',
    headers: { authorization: `Bearer ${root.key}` },
  })
  expect(again.body.problems[0]).toMatchObject({ message: expect.stringContaining('The disk is gone.') })
  expect((await here.ask('GET', '/api/system')).body.problems).toEqual([])
})
