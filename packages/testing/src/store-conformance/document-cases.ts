/** Documents: they belong to no conversation, and a writer names the version that it changes. */
import type { Store } from '@holdpoint/core'
import { AGENTS, all, conflict, dataOf, get, given, idsOf, ok, put } from './document-story.ts'
import { at, draft, logOf, written } from './drafts.ts'
import { holds, same } from './expect.ts'
import { noted } from './note-cases.ts'
import type { Cases } from './scene.ts'

const MINUTE = 60_000

export const documentCases: Cases = {
  'a document is read back unchanged': async ({ store, another, now }) => {
    const before = await now()
    same(await put(store, 'permanent', { data: { b: [1, null], a: '' } }), ok(1), 'the answer')
    await put(store, 'for a while', { data: 2, ttlMs: 10 * MINUTE + 0.5 })
    const after = await now()
    const [good, while_] = await Promise.all(['permanent', 'for a while'].map((id) => get(store, id)))
    holds(good !== undefined && while_ !== undefined, 'both are there')
    for (const each of [good, while_]) {
      holds(each.at >= before && each.at <= after, `it was written by the store's clock, at ${each.at}`)
    }
    same(good, { kind: 'agent', id: 'permanent', version: 1, at: good.at, data: { b: [1, null], a: '' } }, 'one')
    same('until' in good, false, 'whether one without expiry has an end')
    same(while_.until, while_.at + 10 * MINUTE + 0.5, 'when the other is over')
    same(await all(await another()), [while_, good], 'both, from another handle')
    same(await get(store, 'none'), undefined, 'one that was never put')
  },

  'the version of a document counts its changes, and its time is that of the last change': async ({
    store,
    now,
    advance,
  }) => {
    for (const version of [1, 2, 3]) {
      same(await put(store, 'a', { expected: version - 1, data: version }), ok(version), 'the answer')
      const kept = await get(store, 'a')
      same([kept?.version, kept?.data], [version, version], 'what is there')
      holds(Math.abs((kept?.at ?? 0) - (await now())) < MINUTE, 'it was written now')
      await advance(10 * MINUTE)
    }
    same(await put(store, 'b'), ok(1), 'another one')
  },

  'a put that expects another version changes nothing': async ({ store }) => {
    for (const [there, wrong] of [1, 2, 3].map((version) => [version, [0, 1, 2, 3, 4]] as const)) {
      await put(store, 'a', { data: `version ${there}` })
      for (const expected of wrong.filter((version) => version !== there)) {
        for (const data of ['mine', undefined]) {
          same(await put(store, 'a', { expected, data }), conflict(there), `expecting ${expected}`)
        }
      }
      same([(await get(store, 'a'))?.version, (await get(store, 'a'))?.data], [there, `version ${there}`], 'it')
    }
    for (const data of ['mine', undefined]) same(await put(store, 'none', { expected: 1, data }), conflict(0), 'none')
    same(await get(store, 'none'), undefined, 'one that was never created')
  },

  'a put without an expected version replaces any version': async ({ store, another }) => {
    const other = await another()
    for (const version of [1, 2, 3, 4]) {
      same(await put(version % 2 ? store : other, 'a', { data: version }), ok(version), 'the answer')
      same(await dataOf(store), [version], 'what is there')
    }
  },

  'a put replaces the whole document, with its expiry': async ({ store }) => {
    await put(store, 'a', { data: { old: true }, ttlMs: 10 * MINUTE })
    for (const [version, ttlMs] of [undefined, 20 * MINUTE, undefined].entries()) {
      await put(store, 'a', { expected: version + 1, data: { [version]: null }, ...(ttlMs ? { ttlMs } : {}) })
      const kept = await get(store, 'a')
      same(kept?.data, { [version]: null }, 'the data')
      same(kept?.until === undefined ? undefined : kept.until - kept.at, ttlMs, 'how long it is there')
    }
  },

  'a removed document is gone, and starts again at version 1': async ({ store }) => {
    for (const expected of [2, undefined]) {
      await put(store, 'a')
      await put(store, 'a')
      same(await put(store, 'a', { data: undefined, ...given('expected', expected) }), ok(0), 'the answer')
      same([await get(store, 'a'), await all(store)], [undefined, []], 'what is there')
      for (const none of [0, undefined]) {
        same(await put(store, 'a', { data: undefined, ...given('expected', none) }), ok(0), 'removing nothing')
      }
      same(await put(store, 'a', { expected: 0 }), ok(1), 'made again')
      same(await put(store, 'a', { data: undefined, expected: 1 }), ok(0), 'removed again')
    }
    await put(store, 'a', { data: null })
    same((await get(store, 'a'))?.data, null, 'null is data')
  },

  'a document is not visible under another tenant, kind or id': async ({ store }) => {
    const places = ['', 'acme', 'globex'].flatMap((tenant) =>
      ['agent', 'a', ''].flatMap((kind) => ['a', 'b', ''].map((id) => ({ tenant, kind, id }))),
    )
    for (const place of places.slice(0, -1)) {
      same(await store.put({ ...place, expected: 0, data: Object.values(place) }), ok(1), 'the answer')
    }
    for (const place of places) {
      const { tenant, kind, id } = place
      const last = place === places.at(-1)
      same((await store.get(tenant, kind, id))?.data, last ? undefined : [tenant, kind, id], 'what is there')
      const ids = last || (tenant === 'globex' && kind === '') ? ['a', 'b'] : ['', 'a', 'b']
      same(await idsOf(store, { tenant, kind }), ids, `all of ${tenant}/${kind}`)
    }
    await store.put({ tenant: 'acme', kind: 'a', id: 'a', data: undefined })
    same((await Promise.all(places.map((p) => store.get(p.tenant, p.kind, p.id)))).filter(Boolean).length, 25, 'left')
    same(await idsOf(store, { tenant: 'a%', kind: 'ag_nt' }), [], 'a tenant and a kind are no patterns')
  },

  'a document exists until it expires': async ({ store, advance }) => {
    await put(store, 'stays')
    for (const minutes of [30, 10, 20]) await put(store, `${minutes}`, { ttlMs: minutes * MINUTE })
    for (const left of [['10', '20', '30', 'stays'], ['20', '30', 'stays'], ['30', 'stays'], ['stays']]) {
      same(await idsOf(store), left, 'the ids')
      const there = await Promise.all(['10', '20', '30', 'stays'].map((id) => get(store, id)))
      same(
        there.flatMap((document) => document?.id ?? []),
        left,
        'those that can be got',
      )
      await advance(left.length === 4 ? 15 * MINUTE : 10 * MINUTE)
    }
  },

  'an expired document counts as removed': async ({ store, advance }) => {
    await put(store, 'a', { ttlMs: 10 * MINUTE })
    await put(store, 'a', { expected: 1, ttlMs: 10 * MINUTE, data: 'old' })
    same(await put(store, 'a', { expected: 0 }), conflict(2), 'before it is over')
    await advance(20 * MINUTE)
    for (const expected of [1, 2, 3]) same(await put(store, 'a', { expected }), conflict(0), `expecting ${expected}`)
    same([await get(store, 'a'), await all(store)], [undefined, []], 'what is there')
    same(await put(store, 'a', { expected: 0, data: 'new' }), ok(3), 'made again')
    // A caller that read it before it expired still knows version 2.
    same(await put(store, 'a', { expected: 2, data: 'late' }), conflict(3), 'from who had it before')
    same(await dataOf(store), ['new'], 'what is there then')
  },

  'it expires at exactly the given time': async ({ store }) => {
    same(await put(store, 'a', { expected: 0, ttlMs: 0 }), ok(1), 'the answer')
    same([await get(store, 'a'), await all(store)], [undefined, []], 'what is there')
    same(await put(store, 'a', { expected: 1 }), conflict(0), 'expecting it')
    same(await store.sweep(9), 1, 'how many were swept')
  },

  'an expired document can be removed': async ({ store, advance }) => {
    for (const expected of [0, undefined]) {
      await put(store, 'a', { ttlMs: MINUTE })
      await advance(10 * MINUTE)
      same(await put(store, 'a', { data: undefined, ...given('expected', expected) }), ok(0), 'the answer')
      same(await store.sweep(9), 0, 'how many were left to sweep')
    }
  },

  'a document that is renewed in time stays': async ({ store, advance }) => {
    for (let version = 0; version < 5; version++) {
      same(await put(store, 'a', { expected: version, ttlMs: 15 * MINUTE }), ok(version + 1), 'renewed')
      await advance(10 * MINUTE)
      same(await idsOf(store), ['a'], 'what is there')
    }
    same(await store.sweep(9), 0, 'how many were swept')
  },

  'a put of another handle is read at once': async ({ store, another }) => {
    const other = await another()
    for (let n = 1; n <= 20; n++) {
      const [one, two] = n % 2 ? [store, other] : [other, store]
      same(await put(one, 'a', { expected: n - 1, data: n }), ok(n), 'the answer')
      for (const handle of [two, one]) {
        same([(await get(handle, 'a'))?.data, ...(await dataOf(handle))], [n, n], 'the document')
      }
    }
  },

  'a sweep removes all expired documents, and nothing else': async ({ store, another, advance }) => {
    const places = ['', 'acme'].flatMap((tenant) => ['agent', 'key'].map((kind) => ({ tenant, kind })))
    for (const place of places) {
      for (const [id, minutes] of [5, 30, 120].entries()) {
        await store.put({ ...place, id: `${id}`, data: id, ttlMs: minutes * MINUTE })
      }
      await store.put({ ...place, id: 'stays', data: null })
    }
    const other = await another()
    same(await other.sweep(100), 0, 'how many were swept at first')
    for (const left of [
      ['1', '2', 'stays'],
      ['2', 'stays'],
    ]) {
      await advance(left.length === 3 ? 10 * MINUTE : 40 * MINUTE)
      same(await other.sweep(100), 4, 'how many were swept')
      same(await store.sweep(100), 0, 'how many were swept right after')
      for (const place of places) same(await idsOf(store, place), left, 'what is left')
    }
    for (const place of places) same(await store.put({ ...place, id: '0', expected: 0, data: 1 }), ok(1), 'made again')
  },

  'the limit of a sweep counts notes and documents together': async ({ store, now, advance }) => {
    await written(store, draft('c', 0))
    const until = (await now()) + MINUTE
    const both = [1, 2, 3].flatMap((n) => [
      store.note(at('c'), noted(n, { until })),
      put(store, `${n}`, { ttlMs: MINUTE }),
    ])
    await Promise.all(both)
    await advance(10 * MINUTE)
    const swept = []
    for (const limit of [2, 3, 2, 2]) swept.push(await store.sweep(limit))
    same(swept, [2, 3, 1, 0], 'how many were swept')
  },

  'a sweep can remove a thousand documents': async ({ store, advance }) => {
    const ids = Array.from({ length: 1250 }, (_, n) => `${n}`)
    await Promise.all(ids.map((id, n) => put(store, id, n < 50 ? {} : { ttlMs: MINUTE })))
    await advance(10 * MINUTE)
    same(await store.sweep(1000), 1000, 'how many were swept')
    same(await store.sweep(1000), 200, 'how many were swept then')
    same((await all(store)).length, 50, 'how many are left')
  },

  'a document changes nothing about conversations': async ({ store }) => {
    await written(store, draft('c', 0, { status: 'running', key: 'a' }))
    await store.note(at('c'), noted(1, { kind: 'agent' }))
    const before = await conversation(store)
    const told: unknown[] = []
    const stop = store.listen((what, seq) => void (seq === 1 || told.push([what, seq])))
    for (const id of ['c', 'a', 'x']) await store.put({ ...AGENTS, id, data: 1, ttlMs: 0 })
    for (const id of ['c', 'a', 'x']) await store.put({ tenant: 'acme', kind: 'agent', id, data: 1 })
    same(await conversation(store), before, 'what is told of the conversation')
    same(await store.sweep(9), 3, 'how many were swept')
    same(await conversation(store), before, 'what is told of it, after sweeping')
    stop()
    same(told, [], 'what was told to who listens')
    same((await store.list({ tenant: 'acme', limit: 9 })).items, [], 'the conversations of who has none')
  },
}

async function conversation(store: Store): Promise<unknown> {
  return {
    log: await logOf(store, at('c')),
    loaded: await store.load(at('c')),
    list: (await store.list({ tenant: '', limit: 9 })).items,
    key: await store.findKey(at('c'), 'a'),
    notes: await store.notes(at('c'), { kind: 'agent', limit: 9 }),
    due: await store.due({ limit: 9 }),
  }
}
