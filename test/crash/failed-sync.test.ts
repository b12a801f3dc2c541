/** A disk that reports I/O errors when it is asked to sync. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startChild, type Line } from '../../crash/child.ts'
import { whyNotRecorded } from '../../power/record.ts'

const why = whyNotRecorded()
if (why !== undefined) console.warn(`No failed syncs are tested. ${why}`)

test.skipIf(why !== undefined)(
  'a failed sync refuses the write and is a problem, once; opening and closing at once is none; the write can be repeated',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdpoint-sync-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const library = join(folder, 'failing-sync.so')
    const source = join(import.meta.dirname, 'failing-sync.c')
    expect(spawnSync('gcc', ['-shared', '-fPIC', '-o', library, source, '-ldl']).status).toBe(0)

    const failing = join(folder, 'failing')
    const lines: Line[] = []
    const child = startChild('../test/crash/syncing-process.ts', {
      args: [join(folder, 'desk.db'), failing],
      env: { NODE_OPTIONS: '--conditions=@holdpoint/source', LD_PRELOAD: library, FAILING_SYNC: failing },
      hear: (line) => lines.push(line),
    })
    onTestFinished(() => child.kill())
    expect(await child.died).toBe(0)

    const at = (key: string): number => lines.findIndex((line) => key in line)
    expect(lines.slice(0, at('closed'))).toEqual([])
    expect(lines[at('refused')]).toEqual({ refused: expect.stringMatching(/disk I\/O error/) as unknown })
    const problems = lines.filter((line) => 'problem' in line)
    expect(problems[0]).toEqual({ problem: expect.stringMatching(/disk I\/O error/) as unknown })
    // The heartbeat fails several times a second until the caller gives up, after ten seconds.
    expect(problems.length).toBeLessThanOrEqual(4)
    expect(lines[at('sent')]).toMatchObject({ sent: { status: 'done' } })
  },
)
