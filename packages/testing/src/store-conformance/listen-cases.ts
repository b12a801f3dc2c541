/** Notifications of writes by others. They may be late or lost, so these cases write until one arrives. */
import type { Address, Store } from '@holdpoint/core'
import { at, draft, written, type Draft } from './drafts.ts'
import { holds, same } from './expect.ts'
import type { Cases } from './scene.ts'

/** Notifications may be lost, but not all of them for so long. */
const TIMEOUT_MS = 5000

interface News {
  readonly what: Address
  readonly seq: number
}

export const listenCases: Cases = {
  'a listener is notified of an append by another handle, with its address and seq': async ({ store, another }) => {
    const news: News[] = []
    store.listen((what, seq) => void news.push({ what, seq }))
    const other = await another()
    await writeUntil(other, 'c', 'acme', () => news.length > 0)
    const [head = 0] = await store.heads([at('c', 'acme')])
    for (const { what, seq } of news) {
      same(what, at('c', 'acme'), 'the address')
      holds(seq >= 1 && seq <= head, `a seq from 1 to ${head}: ${seq}`)
    }
  },

  'the append of a notification can be read': async ({ store, another }) => {
    const told: Promise<boolean>[] = []
    store.listen((what, seq) => {
      told.push(store.heads([what]).then(([head = 0]) => head >= seq))
    })
    await writeUntil(await another(), 'c', '', () => told.length >= 3)
    same((await Promise.all(told)).every(Boolean), true, 'that each was there when it was told')
  },

  'every listener is notified': async ({ store, another }) => {
    const heard = new Set<number>()
    const other = await another()
    const third = await another()
    for (const [n, handle] of [store, store, third].entries()) handle.listen(() => void heard.add(n))
    await writeUntil(other, 'c', '', () => heard.size === 3)
  },

  'work of a node without a valid lease is announced with look': async ({ store, another }) => {
    let looks = 0
    store.listen((_what, _seq, look) => void (look === true && looks++))
    await writeUntil(await another(), 'c', '', () => looks > 0, { status: 'running', node: 'unknown' })
  },

  'work with an owner is not announced with look': async ({ store, another }) => {
    let [told, looks] = [0, 0]
    store.listen((_what, _seq, look) => {
      told++
      if (look === true) looks++
    })
    const other = await another()
    await other.beat('busy', 60_000)
    await writeUntil(other, 'c', '', () => told > 1, { status: 'running', node: 'busy' })
    same(looks, 0, 'how often it was to be looked at')
  },

  'a listener that was removed is not notified': async ({ store, another }) => {
    const other = await another()
    let stopped = 0
    const stop = store.listen(() => void stopped++)
    await writeUntil(other, 'c', '', () => stopped > 0)
    stop()
    const before = stopped
    let others = 0
    store.listen(() => void others++)
    await writeUntil(other, 'd', '', () => others > 0)
    same(stopped, before, 'how often it was told')
    stop()
  },
}

async function writeUntil(
  store: Store,
  id: string,
  tenant: string,
  done: () => boolean,
  given: Draft = {},
): Promise<void> {
  for (let waited = 0; !done(); waited += 50) {
    holds(waited < TIMEOUT_MS, `no subscriber was told of the writes of ${TIMEOUT_MS / 1000} seconds`)
    const [seq = 0] = await store.heads([at(id, tenant)])
    await written(store, draft(id, seq, { ...given, tenant }))
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
