/** A process that is stopped in the middle of a commit keeps SQLite's lock, and no other process can take it. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { at, draft, folder, openStore } from './kit.ts'

const program = `
  import { DatabaseSync } from 'node:sqlite'
  new DatabaseSync(process.argv[1]).exec('begin immediate')
  console.log('locked')
  setInterval(() => {}, 1000)`

/** A stopped process with an open transaction. */
async function stoppedWhileWriting(path: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  child.kill('SIGSTOP')
  return child
}

test.skipIf(process.platform === 'win32')(
  'a file that a stopped process keeps locked: a write fails in time, says what to look for, and nothing of it is there',
  async () => {
    const path = join(folder(), 'a.db')
    const store = await openStore(path, { busyTimeoutMs: 300 })
    await store.append(draft('c', 0))
    const stopped = await stoppedWhileWriting(path)

    const start = performance.now()
    const answer = await store.append(draft('c', 1))

    expect(answer).toMatchObject({ result: 'failed', why: expect.stringMatching(/locked.*a process that is stopped/) })
    expect(performance.now() - start).toBeGreaterThan(250)
    expect(performance.now() - start).toBeLessThan(60_000)
    await expect(store.beat('node', 1000)).rejects.toThrow(/a process that is stopped/)
    expect(await store.heads([at('c')])).toEqual([1])

    stopped.kill('SIGKILL')
    await once(stopped, 'exit')
    expect(await store.append(draft('c', 1))).toMatchObject({ result: 'ok' })
    expect(await store.heads([at('c')])).toEqual([2])
  },
)

test.skipIf(process.platform === 'win32')(
  'a write waits for a stopped process that ends or goes on in time',
  async () => {
    const path = join(folder(), 'a.db')
    const store = await openStore(path, { busyTimeoutMs: 20_000 })
    for (const [seq, ending] of [
      [0, ['SIGKILL']],
      [1, ['SIGTERM', 'SIGCONT']],
    ] as const) {
      const stopped = await stoppedWhileWriting(path)
      let answered = false
      const writing = store.append(draft('c', seq)).finally(() => (answered = true))
      await new Promise((resolve) => setTimeout(resolve, 300))
      expect(answered).toBe(false)
      for (const signal of ending) stopped.kill(signal)
      expect(await writing).toMatchObject({ result: 'ok' })
    }
  },
)
