import { execFileSync } from 'node:child_process'
import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { openFile } from '../src/open-file.ts'
import { MIGRATIONS } from '../src/migrations/migrations.ts'
import { folder, openStore } from './kit.ts'

const modesBeside = (path: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(dirname(path)).map((name) => [
      name.replace(basename(path), 'db').replace(/-node-.*/, '-node'),
      (statSync(join(dirname(path), name)).mode & 0o777).toString(8),
    ]),
  )

const PROGRAM = `import { sqliteStore } from '@holdpoint/store-sqlite'
  process.umask(Number(process.argv[2]))
  const store = await sqliteStore(process.argv[1])
  await store.beat('n', 60_000)
  const rows = { agent: 'desk', status: 'idle', wakeAt: undefined, base: undefined, holds: [] }
  const events = [{ type: 'state.changed', plugin: 'p', value: 1 }]
  console.log((await store.append({ to: { tenant: '', id: 'c' }, expectedSeq: 0, follows: '', mark: 'm', events, at: 1, rows })).result)
  process.exit()`

/** Opens the file in its own process with this umask, writes to it, and ends without closing it. */
function writeUnder(umask: number, path: string): string {
  const flags = ['--conditions=@holdpoint/source', '--input-type=module', '-e', PROGRAM, path, String(umask)]
  return execFileSync(process.execPath, flags, { cwd: import.meta.dirname, encoding: 'utf8', timeout: 60_000 })
}

for (const umask of [0o022, 0o000, 0o277]) {
  test(`only the owner can read the database and the files next to it, under the umask ${umask.toString(8)}`, () => {
    const path = join(folder(), 'a.db')
    expect(writeUnder(umask, path)).toBe('ok\n')
    expect(modesBeside(path)).toEqual({
      db: '600',
      'db-wal': '600',
      'db-shm': '600',
      'db-node': '600',
      'db-newest': '600',
    })
  })
}

test('two stores that create the same file at the same time in one process create it private', async () => {
  const path = join(folder(), 'a.db')
  const [one, other] = await Promise.all([openStore(path), openStore(path)])
  await Promise.all([one.beat('one', 60_000), other.beat('other', 60_000)])
  expect(new Set(Object.values(modesBeside(path)))).toEqual(new Set(['600']))
})

test('a file that was shared with a group stays shared, and so do the files next to it', async () => {
  const path = join(folder(), 'a.db')
  writeFileSync(path, '')
  chmodSync(path, 0o660)
  const store = await openStore(path)
  await store.beat('n', 60_000)
  expect(modesBeside(path)).toEqual({
    db: '660',
    'db-wal': '660',
    'db-shm': '660',
    'db-node': '660',
  })
})

test('a file that every user can read is not changed, and a warning names the command to fix it', async () => {
  const path = join(folder(), 'a.db')
  writeFileSync(path, '')
  chmodSync(path, 0o644)
  const warned = new Promise<Error>((resolve) => process.once('warning', resolve))
  await openStore(path)
  expect(await warned).toMatchObject({
    name: 'HoldpointWarning',
    message: expect.stringContaining(`chmod 600 ${path}`),
  })
  expect(statSync(path).mode & 0o777).toBe(0o644)
})

test('the copy before a migration has the same permissions as the database', async () => {
  const path = join(folder(), 'a.db')
  await (await openStore(path)).close()
  openFile(path, 1000, [...MIGRATIONS, 'alter table conversations add column colour text']).close()
  expect(modesBeside(path)).toEqual({ db: '600', [`db.v${MIGRATIONS.length}.bak`]: '600' })
})
