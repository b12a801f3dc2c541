import { execFile, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { at, draft } from './draft.ts'
import { testSchema, written } from './kit.ts'

test('a process exits once its store is closed, and all its work is done', async () => {
  const { url, schema, open, sql } = await testSchema()
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
  // A job of an old deadline may be left that no process ran before the close.
  const jobs = await sql(`select key from ${schema}_jobs.jobs where key like 'deadline:%' and run_at > now()`)
  expect(jobs).toHaveLength(1)
  const left = await sql('select query from pg_stat_activity where application_name = $1', [schema])
  expect(left).toEqual([])
})

test('an idle store does not keep a process alive, not even with a node and a listener', async () => {
  const { url, schema } = await testSchema()
  const program = `import { postgresStore } from '@holdpoint/store-postgres'
    const store = await postgresStore('${url}', { schema: '${schema}' })
    store.listen(() => {})
    await store.beat('n', 60_000)
    console.log('at the end')`
  const flags = ['--conditions=@holdpoint/source', '--input-type=module', '-e', program]
  const options = { cwd: import.meta.dirname, timeout: 20_000 }
  expect(await promisify(execFile)(process.execPath, flags, options)).toMatchObject({ stdout: 'at the end\n' })
})

test('appends before the close are answered', async () => {
  const { open } = await testSchema()
  const store = await open({ lanes: 1 })
  const answers = Array.from({ length: 500 }, (_, n) => store.append(draft(`c${n}`, 0)))
  const closed = store.close()
  expect(new Set((await Promise.all(answers)).map(({ result }) => result))).toEqual(new Set(['ok']))
  await closed
})

test('closing twice has the same effect as closing once', async () => {
  const { open } = await testSchema()
  const store = await open({ dispatcher: 'graphile' })
  store.listen(() => {})
  await written(store, draft('c', 0))
  await Promise.all([store.close(), store.close()])
  await store.close()
  await expect(store.heads([at('c')])).rejects.toEqual(expect.objectContaining({ code: 'store-unavailable' }))
})
