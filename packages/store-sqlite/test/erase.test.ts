/** What was erased is not in the file any more, nor in its write-ahead log. */
import { existsSync, readFileSync } from 'node:fs'
import type { Json, Store } from '@holdpoint/core'
import { expect, test } from 'vitest'
import { at, draft, hold, folder, openStore } from './kit.ts'

const SECRET = 'sEcReT'

test('an erasure leaves nothing in the file, although it was rewritten many times among others', async () => {
  const path = `${folder()}/store.db`
  const store = await openStore(path)
  const ids = Array.from({ length: 40 }, (_, n) => `c${n}`)
  for (let round = 0; round < 30; round++) await Promise.all(ids.map((id) => writeTo(store, id, round)))
  const [erased, kept] = [ids.slice(0, 20), ids.slice(20)]
  const left = async (): Promise<string[]> => {
    // The writer thread cleans up with its next writes.
    await store.beat('node', 1000)
    return secretsIn(path).filter((id) => erased.includes(id))
  }
  expect((await left()).length).toBeGreaterThan(1000)
  await Promise.all(erased.map((id) => erase(store, id, 30)))
  await expect.poll(left, { timeout: 20_000 }).toEqual([])

  await Promise.all(kept.map((id) => erase(store, id, 30)))
  await store.close()
  expect(secretsIn(path)).toEqual([])
})

/** Text of many sizes: short ones share a page, and long ones have pages of their own. */
async function writeTo(store: Store, id: string, round: number): Promise<void> {
  const secret = `${SECRET}(${id})`
  const long = `${secret} `.repeat(1 + ((round * 37) % 9) ** 4)
  const value: Json = round % 3 ? secret : long
  await store.append(
    draft(id, round, {
      events: [{ type: 'state.changed', plugin: 'p', value }],
      key: `${secret} ${round}`,
      rows: {
        base: round % 2 ? long : secret,
        labels: [`${secret} ${round % 4}`],
        holds: [hold(`${secret} ${round % 5}`, { tool: secret, labels: [secret], open: round % 3 > 0, heldAt: round })],
      },
    }),
  )
  await store.note(at(id), { kind: 'summary', seq: round % 7, at: 1, data: long })
}

async function erase(store: Store, id: string, head: number): Promise<void> {
  const { result } = await store.append({ ...draft(id, head, { rows: { hidden: true } }), erase: true })
  expect(result).toBe('ok')
}

/** The conversations of the secrets in the file and its write-ahead log. */
function secretsIn(path: string): string[] {
  const text = [path, `${path}-wal`].map((file) => (existsSync(file) ? readFileSync(file, 'latin1') : '')).join('')
  return Array.from(text.matchAll(/sEcReT\((c\d+)\)/g), ([, id]) => id ?? '')
}
