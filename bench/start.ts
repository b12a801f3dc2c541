/**
 * The cost in a fresh process: the import, opening the store, the first turn, and each of the thousand turns after it. The
 * library, the gateway over HTTP, and a hand-written AI SDK route on `node:sqlite` alternate. Ours run without a compile
 * cache, and with the cache of an earlier start (`module.enableCompileCache`).
 */
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Phases, Starter } from './start/process.ts'
import { profiling } from './storage/contestants.ts'
import { progress, type Figure, type Report } from './storage/report.ts'
import { median } from './storage/statistics.ts'

interface Start {
  readonly name: string
  readonly starter: Starter
  readonly cached: boolean
}

const STARTS: readonly Start[] = [
  { name: 'aiSdk', starter: 'aiSdk', cached: false },
  { name: 'library', starter: 'library', cached: false },
  { name: 'libraryCached', starter: 'library', cached: true },
  { name: 'gateway', starter: 'gateway', cached: false },
  { name: 'gatewayCached', starter: 'gateway', cached: true },
]

export async function start({ rounds = 9 }: { readonly rounds?: number }): Promise<Report> {
  const cache = mkdtempSync(join(tmpdir(), 'holdpoint-compile-cache-'))
  const measured = new Map<string, Phases[]>(STARTS.map(({ name }) => [name, []]))
  try {
    // The first round loads the files into the system's cache, and compiled code into the compile cache.
    for (let round = 0; round <= rounds; round++)
      for (const each of STARTS) {
        const phases = await freshProcess(each, cache)
        if (round > 0) measured.get(each.name)?.push(phases)
        progress(`round ${round} of ${rounds}, ${each.name}: import ${phases.import.cpuMs} ms of processor time`)
      }
  } finally {
    rmSync(cache, { recursive: true, force: true })
  }
  const figures = Object.fromEntries([...measured].map(([name, all]): [string, Figure] => [name, medians(all)]))
  return { bench: 'start', limits: [], figures: { rounds, ...figures } }
}

function medians(all: readonly Phases[]): Figure {
  const of = (phase: keyof Phases): Figure => ({
    ms: median(all.map((each) => each[phase].ms)),
    cpuMs: median(all.map((each) => each[phase].cpuMs)),
  })
  return { import: of('import'), open: of('open'), firstTurn: of('firstTurn'), turns: of('turns') }
}

async function freshProcess({ name, starter, cached }: Start, cache: string): Promise<Phases> {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-start-'))
  const { NODE_COMPILE_CACHE: _, ...env } = process.env
  try {
    const child = fork(join(import.meta.dirname, 'start/process.ts'), [starter, folder], {
      execArgv: [...process.execArgv, ...profiling(`start-${name}`)],
      env: cached ? { ...env, NODE_COMPILE_CACHE: cache } : env,
    })
    const exited = new Promise((resolve) => child.once('exit', resolve))
    const phases = await new Promise<Phases>((resolve, reject) => {
      child.once('message', (message) => resolve(message as Phases))
      child.once('exit', (code) => reject(new Error(`${name} ended with ${code} and measured nothing.`)))
    })
    await exited
    return phases
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
