/**
 * A disk under a SQLite file that is full for a while: a small mounted file system, or a limit on the size of the process's
 * files, which needs no rights and causes a similar error.
 */
import { execFileSync } from 'node:child_process'
import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished } from 'vitest'
import { effectsIn } from '../../crash/campaign.ts'
import { nap } from '../../crash/desk.ts'
import { sqlitePlace, temporaryFolder } from './places.ts'
import { callsTo, has, openStation, type Station } from './station.ts'

export interface Disk {
  readonly file: string
  fill(of: Pick<Station, 'child'>): void
  free(of: Pick<Station, 'child'>): void
}

/** Undefined if mounting is not allowed. */
export function smallDisk(): Disk | undefined {
  const folder = temporaryFolder()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder], { stdio: 'pipe' })
  } catch {
    return undefined
  }
  onTestFinished(() => void execFileSync('umount', ['-l', folder]))
  const ballast = join(folder, 'ballast')
  const fill = (): void => {
    const file = openSync(ballast, 'a')
    try {
      for (;;) writeSync(file, Buffer.alloc(4096))
    } catch {
      // Full.
    } finally {
      closeSync(file)
    }
  }
  return { file: join(folder, 'desk.db'), fill, free: () => rmSync(ballast) }
}

/** Limits files of the process to the current size of SQLite's WAL. Undefined if the system has no such limit. */
export function shortFiles(): Disk | undefined {
  const { place: file } = sqlitePlace()
  const limit = ({ child }: Pick<Station, 'child'>, bytes: number | 'unlimited'): void =>
    void execFileSync('prlimit', ['--pid', `${child.pid}`, `--fsize=${bytes}:`])
  try {
    execFileSync('prlimit', ['--version'], { stdio: 'pipe' })
  } catch {
    return undefined
  }
  return {
    file,
    fill: (station) => limit(station, statSync(`${file}-wal`).size),
    free: (station) => limit(station, 'unlimited'),
  }
}

/** Fills the disk while a tool runs, and frees it after a refusal. Returns how often the tool had its effect. */
export async function fillAndFree(disk: Disk, why: RegExp): Promise<number> {
  const { effects } = sqlitePlace()
  const station = await openStation({ place: disk.file, effects, env: { PAUSE_AT: 'charge:after' } })
  await station.ask('submit', 'c', 'quick order one')
  await station.child.line('at')
  const before = await station.until('c', has('call.settled', 'note'))

  disk.fill(station)
  await nap(300) // the next heartbeats use the space left in the last page
  disk.fill(station)
  station.go()
  const send = () => station.ask('submit', 'd', `order ${'x'.repeat(10_000)}`, { key: 'two' })
  await expect(send()).rejects.toMatchObject({ code: 'store-unavailable', message: expect.stringMatching(why) })
  expect(await station.log('c')).toEqual(before)
  expect(await station.log('d')).toEqual([])

  disk.free(station)
  const events = await station.until('c', has('call.settled', 'charge'))
  expect(callsTo('charge', events).map(({ type }) => type)).toEqual(['call.cleared', 'call.started', 'call.settled'])
  expect(callsTo('charge', events).at(-1)).toMatchObject({ outcome: { ok: true, value: { done: true } } })
  expect(await station.log('d')).toEqual([])
  const taken = await send()
  expect(taken).toMatchObject({ ok: true })
  expect(taken).not.toHaveProperty('repeated')
  await station.child.kill()
  const db = new DatabaseSync(disk.file)
  expect(db.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
  db.close()
  return effectsIn(effects).filter(({ tool }) => tool === 'charge').length
}
