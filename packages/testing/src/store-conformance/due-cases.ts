/** Due conversations: running without an owner, or past a deadline. */
import type { DueQuery, Store } from '@holdpoint/core'
import { draft, written } from './drafts.ts'
import { holds, same } from './expect.ts'
import type { Cases } from './scene.ts'

const MINUTE = 60_000

export const dueCases: Cases = {
  'a running conversation whose owner has no valid lease is due, and an idle one is not': async ({
    store,
    advance,
  }) => {
    await store.beat('alive', 60 * MINUTE)
    await store.beat('stale', MINUTE)
    await store.beat('left', 60 * MINUTE)
    for (const node of ['alive', 'stale', 'left', 'never']) {
      await written(store, draft(node, 0, { status: 'running', node }))
    }
    await written(store, draft('ownerless', 0, { status: 'running' }))
    await written(store, draft('held', 0, { status: 'held', node: 'never' }))
    await written(store, draft('idle', 0, { status: 'idle' }))
    await advance(2 * MINUTE)
    await store.leave('left')
    same(await due(store), ['left', 'never', 'ownerless', 'stale'], 'due')
  },

  'a conversation is due from its deadline on, and not before': async ({ store, now, advance }) => {
    const wakeAt = (await now()) + 10 * MINUTE
    await written(store, draft('c', 0, { status: 'held', wakeAt }))
    await advance(9 * MINUTE)
    same(await due(store), [], 'due a minute before')
    await advance(2 * MINUTE)
    same(await due(store), ['c'], 'due a minute after')
  },

  'a conversation is due at its deadline even if its owner has a valid lease': async ({ store, now }) => {
    await store.beat('a', MINUTE)
    const wakeAt = (await now()) - MINUTE
    await written(store, draft('c', 0, { status: 'running', node: 'a', wakeAt }))
    same(await due(store), ['c'], 'due')
  },

  'a query with very many agents finds their conversations, and no others': async ({ store, now }) => {
    const start = await now()
    const agents = Array.from({ length: 200 }, (_, n) => `agent ${n}`)
    for (const [n, agent] of ['agent 150', 'other', 'agent 3', 'agent 77'].entries())
      await written(store, draft(`came ${agent}`, 0, { agent, status: 'held', wakeAt: start - (n + 1) * MINUTE }))
    for (const [n, agent] of ['other', 'agent 9', 'agent 8'].entries())
      await written(store, draft(`comes ${agent}`, 0, { agent, status: 'held', wakeAt: start + (n + 10) * MINUTE }))
    await written(store, draft('runs', 0, { agent: 'agent 5', status: 'running' }))
    const all = await store.due({ agents, limit: 9 })
    same(all.next, start + 11 * MINUTE, 'the next deadline')
    const ids = all.conversations.map(({ id }) => id)
    same(ids.toSorted(), ['came agent 150', 'came agent 3', 'came agent 77', 'runs'], 'due')
  },

  'a deadline that was moved or removed is not due': async ({ store, now }) => {
    const wakeAt = (await now()) - MINUTE
    for (const id of ['put off', 'called off', 'kept']) await written(store, draft(id, 0, { status: 'held', wakeAt }))
    await written(store, draft('put off', 1, { status: 'held', wakeAt: wakeAt + 10 * MINUTE }))
    await written(store, draft('called off', 1, { status: 'idle' }))
    same(await due(store), ['kept'], 'due')
  },

  'the next deadline is the earliest in the future': async ({ store, now, advance }) => {
    const start = await now()
    same((await ask(store)).next, undefined, 'next, when there is none')
    for (const minutes of [-5, 30, 10, 20]) {
      await written(store, draft(`in ${minutes}`, 0, { status: 'held', wakeAt: start + minutes * MINUTE }))
    }
    await written(store, draft('none', 0, { status: 'held' }))
    same((await ask(store)).next, start + 10 * MINUTE, 'next')
    await advance(15 * MINUTE)
    same((await ask(store)).next, start + 20 * MINUTE, 'next, ten minutes having come')
    await advance(20 * MINUTE)
    same((await ask(store)).next, undefined, 'next, all having come')
  },

  'a conversation that is due for two reasons is returned once': async ({ store, now }) => {
    await written(store, draft('c', 0, { status: 'running', wakeAt: (await now()) - MINUTE }))
    same(await due(store), ['c'], 'due')
  },

  'only conversations of the given agents are due': async ({ store, now }) => {
    const start = await now()
    for (const agent of ['desk', 'sales', 'legal']) {
      await written(store, draft(`${agent} runs`, 0, { agent, status: 'running' }))
      await written(store, draft(`${agent} waits`, 0, { agent, status: 'held', wakeAt: start - MINUTE }))
      const wakeAt = start + (agent === 'desk' ? 1 : 10) * MINUTE
      await written(store, draft(`${agent} will`, 0, { agent, status: 'held', wakeAt }))
    }
    same(await due(store, ['sales']), ['sales runs', 'sales waits'], 'due for sales')
    same((await ask(store, ['sales', 'legal'])).next, start + 10 * MINUTE, 'next for sales and legal')
    same((await due(store, ['sales', 'legal'])).length, 4, 'how many for sales and legal')
    same(await ask(store, []), { conversations: [] }, 'for no agent')
    same(await ask(store, ['unknown']), { conversations: [] }, 'for an agent without conversations')
  },

  'without a list of agents, conversations of all agents are due': async ({ store, now }) => {
    const start = await now()
    await store.beat('a', 60 * MINUTE)
    for (const [n, agent] of ['desk', 'sales', ''].entries()) {
      await written(store, draft(`${agent} runs`, 0, { agent, status: 'running', tenant: agent }))
      await written(store, draft(`${agent} is driven`, 0, { agent, status: 'running', node: 'a' }))
      await written(store, draft(`${agent} waits`, 0, { agent, status: 'held', wakeAt: start - MINUTE }))
      await written(store, draft(`${agent} will`, 0, { agent, status: 'held', wakeAt: start + (30 - n) * MINUTE }))
    }
    const { conversations, next } = await store.due({ limit: 100 })
    same(
      conversations.map(({ id }) => id).toSorted(),
      [' runs', ' waits', 'desk runs', 'desk waits', 'sales runs', 'sales waits'],
      'due',
    )
    same(next, start + 28 * MINUTE, 'next')
    const some = (await store.due({ limit: 4 })).conversations.map(({ id }) => id)
    same([some.length, new Set(some).size], [4, 4], 'how many, when four were asked for')
  },

  'due conversations of all tenants are returned': async ({ store }) => {
    for (const tenant of ['', 'acme', 'globex']) await written(store, draft('c', 0, { tenant, status: 'running' }))
    const { conversations } = await ask(store)
    same(conversations.map(({ tenant }) => tenant).toSorted(), ['', 'acme', 'globex'], 'the tenants')
    same(
      conversations.map(({ id }) => id),
      ['c', 'c', 'c'],
      'the ids',
    )
  },

  'at most `limit` are returned, and the rest after those are taken over': async ({ store, now }) => {
    const wakeAt = (await now()) - MINUTE
    await store.beat('a', 60 * MINUTE)
    for (let n = 0; n < 20; n++) {
      await written(store, draft(`c${n}`, 0, n % 2 ? { status: 'running' } : { status: 'held', wakeAt }))
    }
    const seen = new Set<string>()
    for (let round = 0; round < 7; round++) {
      const { conversations } = await ask(store, ['desk'], 3)
      holds(conversations.length <= 3, `three were asked for, and ${conversations.length} came`)
      for (const { id } of conversations) {
        holds(!seen.has(id), `${id} was taken before`)
        seen.add(id)
        await written(store, draft(id, 1, { status: 'idle' }))
      }
    }
    same(seen.size, 20, 'how many came')
  },
}

function ask(store: Store, agents: DueQuery['agents'] = ['desk'], limit = 100): ReturnType<Store['due']> {
  return store.due({ agents, limit })
}

async function due(store: Store, agents?: DueQuery['agents']): Promise<string[]> {
  const { conversations } = await ask(store, agents)
  return conversations.map(({ id }) => id).toSorted()
}
