import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { at, draft } from './draft.ts'
import { place, written } from './kit.ts'

test('a process ends by itself once its store is closed, and nothing it was told to do is left undone', async () => {
  const { url, schema, open, sql } = await place()
  const program = fileURLToPath(new URL('program-that-closes.ts', import.meta.url))
  const child = spawn(process.execPath, ['--conditions=@holdpoint/source', program, url, schema], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => said.push(data.toString()))
  const code = await new Promise((resolve) => child.once('exit', resolve))
  expect([code, said.join('')]).toEqual([0, 'closed\n'])

  const store = await open()
  expect(await store.heads(['c0', 'c9', 'held'].map((id) => at(id)))).toEqual([1, 1, 1])
  // Of what was due long ago, a job may be left that nobody got round to before the close.
  const jobs = await sql(`select key from ${schema}_jobs.jobs where key like 'deadline:%' and run_at > now()`)
  expect(jobs).toHaveLength(1)
  const left = await sql('select query from pg_stat_activity where application_name = $1', [schema])
  expect(left).toEqual([])
})

test('appends that were given before the close are answered', async () => {
  const { open } = await place()
  const store = await open({ lanes: 1 })
  const answers = Array.from({ length: 500 }, (_, n) => store.append(draft(`c${n}`, 0)))
  const closed = store.close()
  expect(new Set((await Promise.all(answers)).map(({ result }) => result))).toEqual(new Set(['ok']))
  await closed
})

test('closing twice is closing once', async () => {
  const { open } = await place()
  const store = await open({ dispatcher: 'graphile' })
  store.listen(() => {})
  await written(store, draft('c', 0))
  await Promise.all([store.close(), store.close()])
  await store.close()
  await expect(store.heads([at('c')])).rejects.toEqual(expect.objectContaining({ code: 'store-unavailable' }))
})
