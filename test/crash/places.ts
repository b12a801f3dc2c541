/** The stores of the crash tests, and the build that they run. */
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { nap } from '../../crash/desk.ts'

const root = join(import.meta.dirname, '../..')
const PACKAGES = ['core', 'models', 'store-sqlite', 'store-postgres', 'holdpoint', 'telemetry']

/** Updates the build once, even if several test files ask at the same time. */
export async function build(): Promise<void> {
  const cache = join(root, '.cache')
  const [stamp, lock] = [join(cache, 'crash-built'), join(cache, 'crash-building')]
  mkdirSync(cache, { recursive: true })
  while (isStale(stamp)) {
    if (!take(lock)) {
      await nap(100)
      continue
    }
    try {
      const begun = new Date()
      const tsc = join(root, 'node_modules/typescript/bin/tsc')
      const folders = PACKAGES.map((name) => join(root, 'packages', name))
      const { status, stdout } = spawnSync(process.execPath, [tsc, '-b', ...folders], { encoding: 'utf8' })
      if (status !== 0) throw new Error(`The build failed:\n${stdout}`)
      writeFileSync(stamp, begun.toISOString())
    } finally {
      rmdirSync(lock)
    }
  }
}

function take(lock: string): boolean {
  try {
    mkdirSync(lock)
    return true
  } catch {
    // Left behind by a process that was killed.
    const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (age > 180_000) rmSync(lock, { recursive: true, force: true })
    return false
  }
}

function isStale(stamp: string): boolean {
  const built = statSync(stamp, { throwIfNoEntry: false })?.mtimeMs ?? 0
  return PACKAGES.some((name) => {
    const folder = join(root, 'packages', name)
    if (!existsSync(join(folder, 'dist/index.js'))) return true
    const sources = readdirSync(join(folder, 'src'), { recursive: true, encoding: 'utf8' })
    return sources.some((file) => statSync(join(folder, 'src', file)).mtimeMs > built)
  })
}

export interface Place {
  readonly place: string
  /** The file in which tools record their effects. */
  readonly effects: string
}

export function sqlitePlace(): Place {
  const folder = temporaryFolder()
  return { place: join(folder, 'desk.db'), effects: join(folder, 'effects') }
}

/** A new schema, in a server that stops after the test. */
export function postgresPlace(url: string): Place {
  return { place: `${url}#crash_${randomUUID().slice(0, 8)}`, effects: join(temporaryFolder(), 'effects') }
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-crash-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
