import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { at, folder, openStore } from './kit.ts'

/** Runs a program that has a `store`, and an `append`, to its end. */
function run(path: string, program: string): string {
  const source = `import { sqliteStore } from '@holdpoint/store-sqlite'
    const store = await sqliteStore(${JSON.stringify(path)})
    const rows = { agent: 'desk', status: 'idle', wakeAt: undefined, base: undefined, holds: [] }
    const events = [{ type: 'state.changed', plugin: 'p', value: 1 }]
    const append = () => store.append({ to: { tenant: '', id: 'c' }, expectedSeq: 0, follows: '', mark: 'm', events, at: 1, rows })
    ${program}`
  return execFileSync(process.execPath, ['--conditions=@holdpoint/source', '--input-type=module', '-e', source], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
    timeout: 20_000,
  })
}

test('an idle store does not keep a process alive, not even with a node and a listener', () => {
  const said = run(
    join(folder(), 'a.db'),
    `await append(); await store.beat('n', 60_000); store.listen(() => {}); console.log('at the end')`,
  )
  expect(said).toBe('at the end\n')
})

test('an operation keeps the process alive until it is answered', () => {
  const said = run(join(folder(), 'a.db'), `void append().then(({ result }) => console.log(result))`)
  expect(said).toBe('ok\n')
})

test('a process that ends without closing the store leaves all its writes for the next', async () => {
  const path = join(folder(), 'a.db')
  run(path, `await append(); process.exit()`)
  const store = await openStore(path)
  expect(await store.heads([at('c')])).toEqual([1])
})

test('an error of a listener does not reach the append, which was written', () => {
  const said = run(
    join(folder(), 'a.db'),
    `process.on('uncaughtException', ({ message }) => console.log(message))
     store.listen(() => { throw new Error('thrown by a listener') })
     console.log((await append()).result)`,
  )
  expect(said.split('\n').toSorted()).toEqual(['', 'ok', 'thrown by a listener'])
})
