/** `holdpoint repair` on a damaged SQLite file. */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable, PassThrough } from 'node:stream'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { runCli } from '../src/run-cli.ts'

async function run(args: readonly string[]): Promise<{ readonly code: number; readonly said: string }> {
  let said = ''
  const stream = (): never =>
    Object.assign(new Writable({ write: (text: Buffer, _encoding, done) => ((said += text.toString()), done()) }), {
      isTTY: false,
    }) as never
  const io = { stdin: new PassThrough() as never, stdout: stream(), stderr: stream(), env: {} }
  return { code: await runCli(args, io as never), said }
}

test('a damaged conversation is repaired, and sound again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-cli-repair-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [file, removed] = [join(folder, 'desk.db'), join(folder, 'removed.jsonl')]
  copyFileSync(join(import.meta.dirname, '../../../test/golden/sqlite-v2.db'), file)
  const db = new DatabaseSync(file)
  db.exec(`update batches set events = replace(events, 'look', 'loot') where conv = (select k from conversations where id = 'done')
    and seq = (select max(seq) from batches where conv = (select k from conversations where id = 'done') and events like '%look%')`)
  db.close()

  const repaired = await run(['repair', file, 'done', removed, '--by', 'olga'])
  expect(repaired).toMatchObject({ code: 0, said: expect.stringContaining('Kept up to seq') })
  expect(existsSync(removed)).toBe(true)
  expect(await run(['repair', file, 'done', removed])).toMatchObject({
    code: 0,
    said: expect.stringContaining('Nothing was changed'),
  })
  expect(await run(['repair', file, 'done'])).toMatchObject({ code: 2, said: expect.stringContaining('NEW-FILE') })
})
