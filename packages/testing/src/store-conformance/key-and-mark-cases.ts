/** A repeated write, and another write under the same key, take effect once, for any process and any number of retries. */
import { at, draft, hold, logged, sameLog, written } from './drafts.ts'
import { holds, same } from './expect.ts'
import type { Cases } from './scene.ts'

export const markCases: Cases = {
  'an append that is repeated at once is written once, and has the same result': async ({ store }) => {
    const write = draft('c', 0, { many: 3 })
    const first = await written(store, write)
    same(await store.append(write), first, 'the second answer')
    await sameLog(store, at('c'), [write])
  },

  'an append that is repeated after other appends is written once': async ({ store }) => {
    const writes = [draft('c', 0), draft('c', 1, { many: 2 }), draft('c', 3), draft('c', 4, { many: 2 })]
    for (const write of writes) await written(store, write)
    for (const write of writes) same((await written(store, write)).events, logged(write), 'the events')
    await sameLog(store, at('c'), writes)
  },

  'a repeated append changes no newer row': async ({ store }) => {
    const first = draft('c', 0, { status: 'running', base: 'old', holds: [hold('call')], key: 'k' })
    const second = draft('c', 1, { status: 'idle', base: 'new', holds: [hold('call', { open: false })] })
    for (const write of [first, second, first]) await written(store, write)
    same((await store.load(at('c')))?.base, { seq: 2, state: 'new' }, 'the base')
    same((await store.pending({ tenant: '', limit: 9 })).items, [], 'pending')
    const [row] = (await store.list({ tenant: '', limit: 9 })).items
    same([row?.status, row?.seq], ['idle', 2], 'status and seq')
  },

  'an append that is repeated through another handle is written once': async ({ store, another }) => {
    const write = draft('c', 0, { many: 2 })
    await written(store, write)
    const other = await another()
    same((await written(other, write)).events, logged(write), 'the events')
    await sameLog(other, at('c'), [write])
  },

  'an append that is repeated after the store was reopened is written once': async ({ store, another, close }) => {
    const writes = [draft('c', 0), draft('c', 1, { many: 2 })]
    for (const write of writes) await written(store, write)
    await close(store)
    const reopened = await another()
    for (const write of writes) same((await written(reopened, write)).events, logged(write), 'the events')
    await sameLog(reopened, at('c'), writes)
  },

  'an append that is sent many times at the same moment is written once': async ({ store, another }) => {
    const handles = [store, await another()]
    for (let seq = 0; seq < 20; seq += 2) {
      const write = draft('c', seq, { many: 2 })
      const answers = await Promise.all(Array.from({ length: 6 }, (_, n) => written(handles[n % 2] ?? store, write)))
      for (const { events } of answers) same(events, logged(write), 'the events')
    }
    same(await store.heads([at('c')]), [20], 'the last seq')
  },

  'a mark identifies an append only at its own seq': async ({ store }) => {
    const mark = 'the same'
    const writes = [draft('c', 0, { mark }), draft('c', 1, { mark }), draft('d', 0, { mark })]
    for (const write of writes) await written(store, write)
    await sameLog(store, at('c'), writes.slice(0, 2))
    await sameLog(store, at('d'), writes.slice(2))
  },

  'a mark is compared at the first seq of its append only': async ({ store }) => {
    const write = draft('c', 0, { many: 3 })
    await written(store, write)
    for (const [seq, many] of [
      [1, 1],
      [1, 2],
      [2, 1],
    ] as const) {
      const again = draft('c', seq, { mark: write.mark, many })
      same(await store.append(again), { result: 'conflict' }, `${many} events after ${seq}, under the mark of 1 to 3`)
    }
    await sameLog(store, at('c'), [write])
  },

  'an equal append with another mark is another append': async ({ store }) => {
    const write = draft('c', 0)
    await written(store, write)
    same(await store.append({ ...write, mark: 'another' }), { result: 'conflict' }, 'the second write')
    await sameLog(store, at('c'), [write])
  },

  'a driver that was replaced still learns that its earlier append was written': async ({ store }) => {
    await store.beat('new', 60_000)
    const { epoch } = await written(store, draft('c', 0, { status: 'running', node: 'old' }))
    const write = draft('c', 1, { status: 'running', epoch, node: 'old' })
    await written(store, write)
    const taken = await store.takeOver(at('c'), 'new')
    holds(taken !== undefined && taken > epoch, 'a new node takes over under a newer epoch')
    const again = await written(store, write)
    same([again.events, again.owned], [logged(write), false], 'the answer to the old driver')
    same(await store.heads([at('c')]), [2], 'the last seq')
  },

  'the mark of a conflict may be used again': async ({ store }) => {
    await written(store, draft('c', 0))
    same(await store.append(draft('c', 0, { mark: 'mine' })), { result: 'conflict' }, 'the first try')
    const second = await written(store, draft('c', 1, { mark: 'mine' }))
    same(second.events[0]?.seq, 2, 'the seq of the second try')
  },
}

export const keyCases: Cases = {
  'an append with a used key returns the last seq of the first append': async ({ store }) => {
    const writes = [draft('c', 0), draft('c', 1, { many: 3, key: 'k' }), draft('c', 4)]
    for (const write of writes) await written(store, write)
    same(await store.append(draft('c', 5, { key: 'k', many: 2 })), { result: 'repeated', seq: 4 }, 'the second use')
    await sameLog(store, at('c'), writes)
  },

  'an append with a used key writes nothing': async ({ store }) => {
    const first = draft('c', 0, { key: 'k', status: 'held', base: 'first' })
    await written(store, first)
    const second = draft('c', 1, { key: 'k', status: 'running', base: 'second', node: 'n', holds: [hold('call')] })
    same(await store.append(second), { result: 'repeated', seq: 1 }, 'the second use')
    same((await store.load(at('c')))?.base, { seq: 1, state: 'first' }, 'the base')
    same((await store.list({ tenant: '', limit: 9 })).items[0]?.status, 'held', 'the status')
    same((await store.pending({ tenant: '', limit: 9 })).items, [], 'pending')
    await written(store, draft('c', 1, { mark: second.mark }))
  },

  'a used key is reported even to a writer with an old seq': async ({ store, another }) => {
    await written(store, draft('c', 0, { key: 'k' }))
    await written(store, draft('c', 1))
    for (const handle of [store, await another()]) {
      for (const seq of [0, 1, 7]) {
        same(await handle.append(draft('c', seq, { key: 'k' })), { result: 'repeated', seq: 1 }, `after ${seq} of 2`)
      }
    }
  },

  'findKey returns the seq of a key': async ({ store, another }) => {
    await written(store, draft('c', 0, { many: 2, key: 'first' }))
    await written(store, draft('c', 2, { many: 3, key: 'second' }))
    await store.append(draft('c', 0, { key: 'refused' }))
    for (const handle of [store, await another()]) {
      same(await handle.findKey(at('c'), 'first'), 2, 'the first key')
      same(await handle.findKey(at('c'), 'second'), 5, 'the second key')
      for (const key of ['refused', 'never', 'FIRST', '']) same(await handle.findKey(at('c'), key), undefined, key)
      same(await handle.findKey(at('d'), 'first'), undefined, 'in another conversation')
      same(await handle.findKey(at('c', 'acme'), 'first'), undefined, 'in another tenant')
    }
  },

  'another conversation may use the same key': async ({ store }) => {
    await written(store, draft('c', 0, { key: 'k' }))
    await written(store, draft('d', 0, { key: 'k' }))
    await written(store, draft('c', 0, { key: 'k', tenant: 'acme' }))
    same(await store.append(draft('d', 1, { key: 'k' })), { result: 'repeated', seq: 1 }, 'the second use in d')
  },

  'a repeated append with a key returns ok, not repeated': async ({ store }) => {
    const write = draft('c', 0, { key: 'k', many: 2 })
    await written(store, write)
    same((await written(store, write)).events, logged(write), 'right away')
    await written(store, draft('c', 2))
    same((await written(store, write)).events, logged(write), 'after another')
  },

  'an append that was not written does not use its key': async ({ store }) => {
    const { epoch } = await written(store, draft('c', 0, { status: 'running', node: 'n' }))
    same((await store.append(draft('c', 0, { key: 'k' }))).result, 'conflict', 'at the wrong seq')
    same((await store.append(draft('c', 1, { key: 'k', epoch: epoch + 1 }))).result, 'fenced', 'under a wrong epoch')
    same(await store.findKey(at('c'), 'k'), undefined, 'the seq of the key')
    await written(store, draft('c', 1, { key: 'k' }))
  },

  'of two appends with the same key at the same moment, one is written': async ({ store, another }) => {
    const handles = [store, await another()]
    for (let n = 0; n < 10; n++) {
      const id = `c${n}`
      const answers = await Promise.all(handles.map((handle) => handle.append(draft(id, 0, { key: 'k' }))))
      same(answers.filter(({ result }) => result === 'ok').length, 1, 'how many were written')
      same(await store.append(draft(id, 1, { key: 'k' })), { result: 'repeated', seq: 1 }, 'one more')
    }
  },

  'keys are compared exactly': async ({ store }) => {
    const keys = ['k', 'K', 'k ', ' k', '', 'é', 'e\u0301', "k'", 'k%', '_']
    for (const [seq, key] of keys.entries()) await written(store, draft('c', seq, { key }))
    for (const [index, key] of keys.entries()) {
      const answer = await store.append(draft('c', keys.length, { key }))
      same(answer, { result: 'repeated', seq: index + 1 }, `the key ${JSON.stringify(key)}`)
      same(await store.findKey(at('c'), key), index + 1, `the seq of the key ${JSON.stringify(key)}`)
    }
  },
}
