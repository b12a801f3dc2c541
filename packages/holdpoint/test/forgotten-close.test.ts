/** A program that forgot `close()` ends when nothing is under way, and not before. */
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

/** Runs a program that has a runtime `hp` with a tool that must be approved, and one that takes a while. */
async function run(program: string): Promise<{ readonly said: string; readonly files: readonly string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-forgot-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const source = `import { agent, holdpoint, tool } from 'holdpoint'
    import { scriptedModel } from '@holdpoint/testing'
    import { z } from 'zod'
    // As a connection of another library may be: it does not keep the process alive.
    const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms).unref())
    const input = z.object({})
    const pay = tool({ name: 'pay', description: 'Pay', input, approval: true, run: () => 'paid' })
    const slow = tool({ name: 'slow', description: 'Slow', input, run: async () => (await pause(500), 'done') })
    const says = (...scripts) => agent({ name: 'desk', tools: [pay, slow], model: scriptedModel(scripts) })
    const open = (...scripts) => holdpoint({ store: ${JSON.stringify(join(folder, 'desk.db'))}, agents: [says(...scripts)] })
    ${program}`
  const flags = ['--conditions=@holdpoint/source', '--input-type=module', '-e', source]
  const { stdout } = await promisify(execFile)(process.execPath, flags, { cwd: import.meta.dirname, timeout: 20_000 })
  return { said: stdout, files: readdirSync(folder) }
}

test('after a turn that is over, and after one that waits for a person; nothing is left beside the database', async () => {
  const program = `const hp = await open('Hello.', { calls: [{ name: 'pay' }] })
    console.log((await hp.send('a', 'Hi')).status, (await hp.send('b', 'Pay')).status)`
  expect(await run(program)).toEqual({ said: 'done held\n', files: ['desk.db'] })
})

test('a turn goes on to its end although nothing else keeps the process alive', async () => {
  const first = `const hp = await open({ calls: [{ name: 'slow' }] }, 'Done.')
    await hp.submit('a', 'Hi')
    process.once('beforeExit', async () => {
      const again = await open()
      console.log((await again.view('a')).status, (await again.view('a')).turns[0].steps.length)
      await again.close()
    })`
  expect((await run(first)).said).toBe('idle 2\n')
})

test('not while a subscription is open', async () => {
  const program = `const hp = await open('Hello.')
    await hp.send('a', 'Hi')
    const over = new AbortController()
    pause(500).then(() => over.abort())
    let count = 0
    for await (const _ of hp.subscribe('a', { signal: over.signal })) count++
    console.log(count > 0 ? 'seen' : 'nothing')`
  expect((await run(program)).said).toBe('seen\n')
})
