import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { actor, at, draft, folder, openStore } from './kit.ts'

const large = [{ type: 'state.changed', plugin: 'p', value: 'x'.repeat(100_000) }] as const

test('a write that does not fit on the disk is refused, and earlier writes stay', async () => {
  const path = join(folder(), 'a.db')
  const limited = await actor(path, { limitKb: 1024 })
  let seq = 0
  let last = await limited.ask('append', draft('c', seq, { events: large }))
  while (last.result === 'ok' && seq < 50) last = await limited.ask('append', draft('c', ++seq, { events: large }))
  expect(last).toMatchObject({ result: 'failed' })
  expect(seq).toBeGreaterThan(3)
  expect(await limited.ask('heads', [at('c')])).toEqual([seq])
  await expect(limited.ask('beat', 'n', 1000)).resolves.toBeGreaterThan(0)
  await limited.ask('close')

  const store = await openStore(path)
  expect(await store.heads([at('c')])).toEqual([seq])
  expect(await store.append(draft('c', seq, { events: large }))).toMatchObject({ result: 'ok' })
  await store.close()
  const db = new DatabaseSync(path)
  expect(db.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
  db.close()
})

test('a write that does not fit does not fail smaller ones in the same commit', async () => {
  const path = join(folder(), 'a.db')
  const limited = await actor(path, { limitKb: 1024 })
  const huge = [{ type: 'state.changed', plugin: 'p', value: 'x'.repeat(3_000_000) }] as const
  const [before, tooLarge, after] = await Promise.all([
    limited.ask('append', draft('a', 0)),
    limited.ask('append', draft('b', 0, { events: huge })),
    limited.ask('append', draft('c', 0)),
  ])
  expect([before.result, tooLarge.result, after.result]).toEqual(['ok', 'failed', 'ok'])
  expect(await limited.ask('heads', [at('a'), at('b'), at('c')])).toEqual([1, 0, 1])
})
