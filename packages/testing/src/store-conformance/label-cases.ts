/** Lists and pending holds that are restricted by labels, and conversations that are hidden. */
import type { HoldRow, ListQuery, PendingQuery, Store } from '@holdpoint/core'
import { NAMES } from './data-cases.ts'
import { at, draft, hold, NOON, written } from './drafts.ts'
import { same } from './expect.ts'
import type { Cases } from './scene.ts'

export const labelCases: Cases = {
  'a list has the conversations with at least one of the labels, newest first': async ({ store, another }) => {
    await written(store, draft('a', 0, { labels: ['ada'] }))
    await written(store, draft('b', 0, { labels: ['bob'] }))
    await written(store, draft('c', 0, { labels: ['ada', 'bob'] }))
    await written(store, draft('none', 0))
    for (const handle of [store, await another()]) {
      same(await listed(handle, ['ada']), ['c', 'a'], 'of ada')
      same(await listed(handle, ['bob', 'ada', 'bob']), ['c', 'b', 'a'], 'of either')
      same(await listed(handle, ['eve']), [], 'of eve')
      same(await listed(handle, []), [], 'of no label')
    }
  },

  'the labels of a conversation stay until new ones replace them': async ({ store }) => {
    await written(store, draft('c', 0, { labels: ['ada', 'bob'] }))
    await written(store, draft('c', 1, { status: 'held' }))
    same([await listed(store, ['ada']), await listed(store, ['bob'])], [['c'], ['c']], 'after a write without labels')
    await written(store, draft('c', 2, { labels: ['bob', 'eve', 'eve'] }))
    same([await listed(store, ['ada']), await listed(store, ['bob', 'eve'])], [[], ['c']], 'after others were given')
    await store.append(draft('c', 0, { labels: ['ada'] }))
    same(await listed(store, ['ada']), [], 'after a write that was refused')
    await written(store, draft('c', 3, { labels: [] }))
    same(await listed(store, ['bob', 'eve']), [], 'after none were given')
  },

  'labels are compared exactly, and within a tenant': async ({ store }) => {
    for (const [n, label] of NAMES.entries()) {
      const row = hold('x', { labels: [label], heldAt: NOON + n })
      await written(store, draft(`c${n}`, 0, { labels: [label], holds: [row] }))
    }
    await written(
      store,
      draft('c', 0, { tenant: 'acme', labels: ['plain'], holds: [hold('x', { labels: ['plain'] })] }),
    )
    for (const [n, label] of NAMES.entries()) {
      same(await listed(store, [label]), [`c${n}`], `the list of ${JSON.stringify(label)}`)
      const rows = await store.pending({ tenant: '', limit: 9, any: { labels: [label], conversationLabels: [] } })
      same(
        rows.items.map(({ conversationId }) => conversationId),
        [`c${n}`],
        `holds of ${JSON.stringify(label)}`,
      )
    }
    same(await listed(store, ['plain'], { tenant: 'acme' }), ['c'], 'the list of the other tenant')
    same(await listed(store, NAMES), NAMES.map((_, n) => `c${n}`).toReversed(), 'the list of all labels')
  },

  'labels and the other filters of a list apply together': async ({ store }) => {
    for (const status of ['running', 'held', 'idle'] as const) {
      for (const agent of ['desk', 'sales'])
        for (const labels of [['ada'], ['bob']])
          await written(store, draft(`${agent} ${status} ${labels[0]}`, 0, { agent, status, labels }))
    }
    same(await listed(store, ['ada'], { status: 'held' }), ['sales held ada', 'desk held ada'], 'by status')
    same(await listed(store, ['bob'], { status: 'running', agent: 'desk' }), ['desk running bob'], 'by both')
    same(
      await listed(store, ['bob', 'ada'], { status: 'idle', agent: 'desk' }).then((ids) => ids.length),
      2,
      'of either',
    )
  },

  'paging by labels finds everything once, even if several labels match': async ({ store }) => {
    const labels = (n: number): string[] => [...(n % 2 ? ['odd'] : []), ...(n % 3 ? [] : ['third']), 'all']
    for (let n = 0; n < 20; n++) await written(store, draft(`c${n}`, 0, { labels: labels(n) }))
    for (const wanted of [['odd', 'third'], ['third'], ['all', 'odd'], ['none', 'odd']]) {
      const fit = Array.from({ length: 20 }, (_, n) => n).filter((n) =>
        labels(n).some((label) => wanted.includes(label)),
      )
      for (const limit of [1, 3, 50]) {
        const pages = paged((after) => store.list({ tenant: '', limit, labels: wanted, ...after }))
        same(
          (await pages).map(({ id }) => id),
          fit.toReversed().map((n) => `c${n}`),
          `${wanted.join()} by ${limit}`,
        )
      }
    }
  },

  'an open hold is found by its labels and by those of its conversation': async ({ store, another }) => {
    const row = (callId: string, n: number, labels: string[]): HoldRow => hold(callId, { heldAt: NOON + n, labels })
    await written(store, draft('c', 0, { labels: ['ada'], holds: [row('x', 2, ['bob']), row('y', 1, ['bob', 'eve'])] }))
    await written(store, draft('d', 0, { labels: ['bob'], holds: [row('z', 0, ['ada'])] }))
    for (const handle of [store, await another()]) {
      same(await pending(handle, ['bob'], []), ['y', 'x'], 'own label')
      same(await pending(handle, [], ['bob']), ['z'], 'label of the conversation')
      same(await pending(handle, ['bob', 'eve', 'ada'], []), ['z', 'y', 'x'], 'several labels')
      same(await pending(handle, ['eve'], ['ada', 'bob']), ['z', 'y', 'x'], 'labels of both kinds')
      same(await pending(handle, ['eve'], ['bob']), ['z', 'y'], 'labels of both kinds, for some')
      same(await pending(handle, ['none'], ['eve']), [], 'labels that nothing has')
      same(await pending(handle, [], []), [], 'no labels')
    }
  },

  'an open hold has the labels of its newest row': async ({ store }) => {
    await written(
      store,
      draft('c', 0, { labels: ['owner'], holds: [hold('x', { labels: ['ada', 'ada'] }), hold('y')] }),
    )
    await written(store, draft('c', 1, { holds: [hold('x', { labels: ['bob'], heldAt: NOON + 5 })] }))
    same([await pending(store, ['ada']), await pending(store, ['bob'])], [[], ['x']], 'after other labels')
    await written(store, draft('c', 2, { holds: [hold('x', { open: false, labels: ['bob'] })] }))
    same([await pending(store, ['bob']), await pending(store, [], ['owner'])], [[], ['y']], 'after it was closed')
    await written(store, draft('c', 3, { holds: [hold('x', { heldAt: NOON + 9 })] }))
    same(
      [await pending(store, ['bob']), await pending(store, [], ['owner'])],
      [[], ['y', 'x']],
      'held again without labels',
    )
  },

  'new labels of a conversation apply to its open holds and to later ones': async ({ store }) => {
    await written(store, draft('c', 0, { labels: ['ada'], holds: [hold('x'), hold('closed', { open: false })] }))
    await written(store, draft('c', 1, { labels: ['bob'] }))
    same([await pending(store, [], ['ada']), await pending(store, [], ['bob'])], [[], ['x']], 'after other labels')
    await written(store, draft('c', 2, { holds: [hold('y', { heldAt: NOON + 1 })] }))
    await written(store, draft('c', 3, { labels: ['eve'], holds: [hold('x', { heldAt: NOON + 2 })] }))
    same(
      [await pending(store, [], ['bob']), await pending(store, [], ['eve'])],
      [[], ['y', 'x']],
      'after one more change',
    )
    await written(store, draft('c', 4, { labels: [] }))
    same(await pending(store, [], ['ada', 'bob', 'eve']), [], 'after all were removed')
  },

  'labels and the other filters of pending holds apply together': async ({ store }) => {
    for (const [n, id] of ['c', 'd', 'e'].entries()) {
      const rows = (['approval', 'client'] as const).map((kind, m) =>
        hold(kind, {
          kind,
          tool: `tool ${n}`,
          labels: m ? ['ada'] : ['bob'],
          heldAt: NOON + n,
          expiresAt: NOON + 10 + n,
        }),
      )
      await written(store, draft(id, 0, { agent: n ? 'sales' : 'desk', labels: [`of ${id}`], holds: rows }))
    }
    const found = async (query: Partial<PendingQuery>): Promise<string[]> => {
      const any = { labels: ['ada'], conversationLabels: ['of d'] }
      const { items } = await store.pending({ tenant: '', limit: 9, any, ...query })
      return items.map(({ conversationId, callId }) => `${conversationId} ${callId}`)
    }
    same(await found({}), ['c client', 'd approval', 'd client', 'e client'], 'without a filter')
    same(await found({ conversationId: 'c' }), ['c client'], 'of a conversation')
    same(await found({ conversationId: 'd' }), ['d approval', 'd client'], 'of a conversation with the label')
    same(await found({ callId: 'approval' }), ['d approval'], 'of a call')
    same(await found({ callId: 'client', conversationId: 'e' }), ['e client'], 'of a call in a conversation')
    same(await found({ agent: 'sales', kind: 'client' }), ['d client', 'e client'], 'of an agent and a kind')
    same(await found({ tool: 'tool 0' }), ['c client'], 'of a tool')
    same(await found({ expiresBefore: NOON + 12 }), ['c client', 'd approval', 'd client'], 'by expiry')
    const none = { labels: [], conversationLabels: [] }
    same(await found({ conversationId: 'c', any: none }), [], 'of a conversation, by no label')
    same(await found({ callId: 'client', any: none }), [], 'of a call, by no label')
  },

  'paging pending holds by labels finds everything once and in order': async ({ store }) => {
    for (const id of ['c', 'd']) {
      const rows = Array.from({ length: 12 }, (_, n) =>
        hold(`${n}`, { heldAt: NOON + Math.floor(n / 4), labels: n % 3 ? ['ada', 'bob'] : ['bob'] }),
      )
      await written(store, draft(id, 0, { labels: [`of ${id}`], holds: rows }))
    }
    const any = { labels: ['ada', 'bob'], conversationLabels: ['of c'] }
    for (const limit of [1, 5, 24, 50]) {
      const items = await paged((after) => store.pending({ tenant: '', limit, any, ...after }))
      same(items.length, 24, `how many came, by ${limit}`)
      same(new Set(items.map(({ conversationId, callId }) => conversationId + callId)).size, 24, 'how many there are')
      const times = items.map(({ heldAt }) => heldAt)
      same(
        times,
        times.toSorted((a, b) => a - b),
        'the oldest come first',
      )
    }
  },

  'a hidden conversation is in no list until it is shown again, and takes no notes': async ({ store, another }) => {
    const noted = { kind: 'summary', seq: 1, at: NOON, data: 'x' }
    const row = hold('x', { labels: ['bob'] })
    await written(store, draft('c', 0, { labels: ['ada'], status: 'held', holds: [row] }))
    const lists = async (handle: Store): Promise<unknown> => {
      const list = async (query: Partial<ListQuery>): Promise<number> =>
        (await handle.list({ tenant: '', limit: 9, ...query })).items.length
      const count = async (query: Partial<PendingQuery>): Promise<number> =>
        (await handle.pending({ tenant: '', limit: 9, ...query })).items.length
      return [
        [await list({}), await list({ labels: ['ada'] }), await list({ status: 'held' })],
        [
          await count({}),
          await count({ conversationId: 'c' }),
          await count({ callId: 'x' }),
          await count({ tool: row.tool }),
        ],
        [await pending(handle, ['bob']), await pending(handle, [], ['ada'])],
      ]
    }
    const all = [
      [1, 1, 1],
      [1, 1, 1, 1],
      [['x'], ['x']],
    ]
    same(await lists(store), all, 'before')
    await written(store, draft('c', 1, { status: 'held', hidden: true }))
    for (const handle of [store, await another()]) {
      same(
        await lists(handle),
        [
          [0, 0, 0],
          [0, 0, 0, 0],
          [[], []],
        ],
        'while it is hidden',
      )
      await handle.note(at('c'), noted)
      same(await handle.notes(at('c'), { kind: 'summary', limit: 9 }), [], 'the notes')
      same((await handle.load(at('c')))?.seq, 2, 'it can be loaded')
    }
    await written(store, draft('c', 2, { status: 'held' }))
    same(await lists(store), all, 'after it is shown again')
    await store.note(at('c'), noted)
    same((await store.notes(at('c'), { kind: 'summary', limit: 9 })).length, 1, 'the notes')
  },
}

async function listed(store: Store, labels: readonly string[], query: Partial<ListQuery> = {}): Promise<string[]> {
  const { items } = await store.list({ tenant: '', limit: 100, labels, ...query })
  return items.map(({ id }) => id)
}

async function pending(
  store: Store,
  labels: readonly string[],
  conversationLabels: readonly string[] = [],
): Promise<string[]> {
  const { items } = await store.pending({ tenant: '', limit: 100, any: { labels, conversationLabels } })
  return items.map(({ callId }) => callId)
}

async function paged<T>(
  ask: (after: {
    readonly after?: string
  }) => Promise<{ readonly items: readonly T[]; readonly next: string | undefined }>,
): Promise<T[]> {
  const items: T[] = []
  for (let after = {}; ;) {
    const page = await ask(after)
    items.push(...page.items)
    if (page.next === undefined || items.length > 1000) return items
    after = { after: page.next }
  }
}
