/** Pending holds across conversations. */
import type { HoldRow, PendingQuery, PendingRow, Store } from '@holdpoint/core'
import { at, draft, hold, NOON, written } from './drafts.ts'
import { holds as holdsTrue, same } from './expect.ts'
import type { Cases } from './scene.ts'

export const pendingCases: Cases = {
  'an open hold is pending, with all fields of its row': async ({ store, another }) => {
    const row = hold('x', { tool: 'pay', kind: 'elicitation', heldAt: NOON - 7, expiresAt: NOON + 99 })
    await written(store, draft('c', 0, { agent: 'sales', holds: [row, hold('closed', { open: false })] }))
    const { open: _open, seqs: _seqs, ...shown } = row
    for (const handle of [store, await another()]) {
      const page = await handle.pending({ tenant: '', limit: 9 })
      same(page, { items: [{ ...shown, conversationId: 'c', agent: 'sales' }], next: undefined }, 'the page')
    }
  },

  'a closed hold is not pending': async ({ store }) => {
    await written(store, draft('c', 0, { holds: [hold('x'), hold('y')] }))
    await written(store, draft('c', 1, { holds: [hold('x', { open: false })] }))
    same(await pending(store), ['y'], 'pending')
    await written(store, draft('c', 2))
    same(await pending(store), ['y'], 'pending, after a write that is about no call')
    await written(store, draft('c', 3, { holds: [hold('y', { open: false })] }))
    same(await pending(store), [], 'pending')
  },

  'a call that is held again is pending once, with its newest hold': async ({ store }) => {
    await written(store, draft('c', 0, { holds: [hold('x', { heldAt: NOON }), hold('y', { heldAt: NOON + 1 })] }))
    await written(store, draft('c', 1, { holds: [hold('x', { open: false })] }))
    const again = hold('x', { kind: 'client', heldAt: NOON + 2, expiresAt: NOON + 3, seqs: [1, 2, 3] })
    await written(store, draft('c', 2, { holds: [again] }))
    same(await pending(store), ['y', 'x'], 'pending')
    await written(store, draft('c', 3, { holds: [{ ...again, kind: 'external', heldAt: NOON + 4 }] }))
    const { items } = await store.pending({ tenant: '', limit: 9 })
    same(
      items.map(({ callId, kind, heldAt }) => [callId, kind, heldAt - NOON]),
      [
        ['y', 'approval', 1],
        ['x', 'external', 4],
      ],
      'pending, held a third time',
    )
  },

  'each filter selects only matching rows': async ({ store }) => {
    await several(store)
    const filtered = async (query: Partial<PendingQuery>): Promise<string[]> => pending(store, query)
    same(await filtered({}), ['1', '2', '3', '4', '5'], 'without a filter')
    same(await filtered({ conversationId: 'd' }), ['3', '4'], 'by conversation')
    same(await filtered({ callId: '3' }), ['3'], 'by call')
    same(await filtered({ callId: '6' }), [], 'by a call that there is not')
    same(await filtered({ agent: 'sales' }), ['3', '4', '5'], 'by agent')
    same(await filtered({ tool: 'pay' }), ['2', '3'], 'by tool')
    same(await filtered({ kind: 'client' }), ['4', '5'], 'by kind')
    same(await filtered({ expiresBefore: NOON + 300 }), ['1', '2'], 'by expiry')
    same(await filtered({ expiresBefore: NOON + 301 }), ['1', '2', '3'], 'by expiry, a moment later')
  },

  'a held call is found by its id, in each conversation that has it': async ({ store }) => {
    for (const id of ['c', 'd']) await written(store, draft(id, 0, { holds: [hold('same'), hold(`of ${id}`)] }))
    const places = async (callId: string): Promise<string[]> =>
      (await pages(store, 1, { callId })).map(({ conversationId }) => conversationId)
    same(await places('same'), ['c', 'd'], 'where it waits')
    same(await places('of d'), ['d'], 'where the other waits')
    await written(store, draft('c', 1, { holds: [hold('same', { open: false })] }))
    same(await places('same'), ['d'], 'where it still waits')
  },

  'several filters select only rows that match all of them': async ({ store }) => {
    await several(store)
    same(await pending(store, { agent: 'sales', tool: 'pay' }), ['3'], 'agent and tool')
    same(await pending(store, { conversationId: 'c', kind: 'client' }), [], 'conversation and kind')
    same(await pending(store, { callId: '3', tool: 'pay' }), ['3'], 'call and tool')
    same(await pending(store, { callId: '3', tool: 'mail' }), [], 'call and another tool')
    same(await pending(store, { callId: '3', conversationId: 'c' }), [], 'call and another conversation')
    const all = {
      conversationId: 'd',
      agent: 'sales',
      tool: 'mail',
      kind: 'client',
      expiresBefore: NOON + 401,
    } as const
    same(await pending(store, all), ['4'], 'every filter')
    same(await pending(store, { ...all, tool: 'ma%' }), [], 'a filter is no pattern')
  },

  'the oldest hold comes first, across conversations': async ({ store }) => {
    const times = [50, 10, 40, 20, 30, 0]
    for (const [n, time] of times.entries()) {
      const id = `c${n % 3}`
      const [seq = 0] = await store.heads([at(id)])
      await written(store, draft(id, seq, { holds: [hold(`at ${time}`, { heldAt: NOON + time })] }))
    }
    same(await pending(store), ['at 0', 'at 10', 'at 20', 'at 30', 'at 40', 'at 50'], 'pending')
  },

  'paging finds everything once, even holds of the same age': async ({ store }) => {
    const rows = Array.from({ length: 12 }, (_, n) => hold(`call ${n}`, { heldAt: NOON + Math.floor(n / 5) }))
    for (const id of ['c', 'd', 'e']) await written(store, draft(id, 0, { holds: rows }))
    for (const limit of [1, 2, 5, 7, 36, 50]) {
      const items = await pages(store, limit)
      same(new Set(items.map(idOf)).size, 36, `how many there are, by ${limit}`)
      same(items.length, 36, `how many came, by ${limit}`)
      holdsTrue(
        items.every((item, n) => item.heldAt >= (items[n - 1]?.heldAt ?? 0)),
        `the oldest comes first, by ${limit}`,
      )
    }
  },

  'the last page has no next page': async ({ store }) => {
    await written(store, draft('c', 0, { holds: [hold('x'), hold('y')] }))
    same((await store.pending({ tenant: '', limit: 2 })).next, undefined, 'next, when the page is just full')
    const first = await store.pending({ tenant: '', limit: 1 })
    holdsTrue(first.next !== undefined, 'there is a next page')
    same((await store.pending({ tenant: '', limit: 1, after: first.next })).next, undefined, 'next')
    same((await store.pending({ tenant: 'unknown', limit: 1 })).next, undefined, 'next, of nothing')
  },

  'paging is stable while holds are opened and closed': async ({ store }) => {
    const all = Array.from({ length: 30 }, (_, n) => hold(`call ${n}`, { heldAt: NOON + n }))
    await written(store, draft('c', 0, { holds: all }))
    const seen: string[] = []
    let after: string | undefined
    for (let round = 0; round < 6; round++) {
      const page = await store.pending({ tenant: '', limit: 5, ...(after === undefined ? {} : { after }) })
      seen.push(...page.items.map(({ callId }) => callId))
      after = page.next
      // The last hold of the page closes, so the cursor's row is gone. So does a later one.
      const closing = [round * 6 + 4, round * 5 + 7]
        .flatMap((n) => all[n] ?? [])
        .map((row) => ({ ...row, open: false }))
      const coming = hold(`new ${round}`, { heldAt: NOON + 1000 + round })
      await written(store, draft('c', round * 2 + 1, { holds: closing }))
      await written(store, draft('c', round * 2 + 2, { holds: [coming] }))
    }
    const closed = new Set([0, 1, 2, 3, 4, 5].flatMap((n) => [`call ${n * 6 + 4}`, `call ${n * 5 + 7}`]))
    const open = all.map(({ callId }) => callId).filter((callId) => !closed.has(callId))
    same(
      seen.filter((callId) => open.includes(callId)),
      open,
      'what was open all the time, each once and in order',
    )
    same(new Set(seen).size, seen.length, 'how many different ones came')
  },

  'a filter applies to every page': async ({ store }) => {
    const rows = Array.from({ length: 20 }, (_, n) =>
      hold(`${n}`, { heldAt: NOON + n, tool: n % 3 ? 'pay' : 'mail', expiresAt: NOON + n }),
    )
    await written(store, draft('c', 0, { holds: rows }))
    const items = await pages(store, 2, { tool: 'mail', expiresBefore: NOON + 15 })
    same(
      items.map(({ callId }) => callId),
      ['0', '3', '6', '9', '12'],
      'pending',
    )
  },

  'a tenant does not see the holds of another': async ({ store }) => {
    for (const tenant of ['', 'acme', 'globex', 'ACME']) {
      await written(store, draft('c', 0, { tenant, holds: [hold(`of ${tenant}`)] }))
    }
    for (const tenant of ['', 'acme', 'globex', 'ACME'])
      same(await pending(store, { tenant }), [`of ${tenant}`], tenant)
    same(await pending(store, { tenant: 'acm_' }), [], 'a tenant is no pattern')
    same(await pending(store, { tenant: 'acme', conversationId: 'c' }), ['of acme'], 'by conversation')
    same(await pending(store, { tenant: 'acme', callId: 'of globex' }), [], 'by call')
  },

  'a cursor of one tenant returns no row of another': async ({ store }) => {
    for (const tenant of ['acme', 'globex']) {
      const rows = [1, 2, 3].map((n) => hold(`${tenant} ${n}`, { heldAt: NOON + n }))
      await written(store, draft('c', 0, { tenant, holds: rows }))
    }
    const { next = '' } = await store.pending({ tenant: 'acme', limit: 1 })
    for (const after of [next, '', 'null', '[]', '{"__proto__":[]}', `' or 1=1 --`, '[0,0,""]', '["acme"]']) {
      // A store may also refuse such a cursor.
      const { items } = await store.pending({ tenant: 'globex', limit: 9, after }).catch(() => ({ items: [] }))
      const own = items.every(({ callId }) => callId.startsWith('globex'))
      holdsTrue(own, `rows of globex alone behind ${after}: ${JSON.stringify(items)}`)
    }
    same(await pending(store, { tenant: 'globex' }), ['globex 1', 'globex 2', 'globex 3'], 'pending, afterwards')
  },
}

/** Opens five holds that differ in every field that has a filter. */
async function several(store: Store): Promise<void> {
  const row = (n: number, given: Partial<HoldRow>): HoldRow =>
    hold(`${n}`, { heldAt: NOON + n, expiresAt: NOON + n * 100, tool: 'mail', ...given })
  const [one, two] = [row(1, {}), row(2, { tool: 'pay' })]
  const [three, four] = [row(3, { tool: 'pay', kind: 'external' }), row(4, { kind: 'client' })]
  await written(store, draft('c', 0, { holds: [one, two] }))
  await written(store, draft('d', 0, { agent: 'sales', holds: [three, four] }))
  await written(store, draft('e', 0, { agent: 'sales', holds: [row(5, { kind: 'client' })] }))
}

async function pending(store: Store, query: Partial<PendingQuery> = {}): Promise<string[]> {
  const { items } = await store.pending({ tenant: '', limit: 100, ...query })
  return items.map(({ callId }) => callId)
}

async function pages(store: Store, limit: number, query: Partial<PendingQuery> = {}): Promise<PendingRow[]> {
  const items: PendingRow[] = []
  let after: string | undefined
  do {
    const page = await store.pending({ tenant: '', ...query, limit, ...(after === undefined ? {} : { after }) })
    holdsTrue(page.items.length <= limit, `${limit} were asked for, and ${page.items.length} came`)
    holdsTrue(page.items.length > 0, 'a page that was announced is not empty')
    items.push(...page.items)
    after = page.next
  } while (after !== undefined && items.length < 1000)
  return items
}

function idOf({ conversationId, callId }: PendingRow): string {
  return JSON.stringify([conversationId, callId])
}
