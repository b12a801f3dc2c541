/**
 * The real runtime under every kind of fault, with a few seeds. `npm run sim` runs any number. The zoo shows that the
 * invariants find bugs: each planted bug must be found.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { faultKinds, simulate } from '@holdpoint/testing'
import { expect, test } from 'vitest'
import { Random } from '../packages/testing/src/sim/random.ts'
import { Scheduler } from '../packages/testing/src/sim/scheduler.ts'
import { strategyFor } from '../packages/testing/src/sim/strategy.ts'
import { Trace } from '../packages/testing/src/sim/trace.ts'
import { root } from '../scripts/lib/workspace.ts'
import { bugs } from '../sim/bugs/all.ts'
import { ChannelsOfAWorld } from '../sim/channels-of-a-world.ts'

/** Bugs that one of the first seeds finds, from each file of the zoo. */
const EARLY = [
  'returns-ok-without-writing',
  'appends-without-the-epoch',
  'expires-holds-before-the-deadline',
  'forgets-the-author-of-a-plan',
  'does-not-call-the-gate',
  'subscribers-get-events-twice',
  'lets-a-call-pass-before-its-use-is-counted',
  'fires-plans-before-their-time',
  'counts-the-press-of-a-person-without-a-mapping',
  'says-ok-again-before-the-standby-has-it',
  'does-not-check-the-chain-of-what-it-reads',
]

test(
  '300 simulated worlds keep every invariant, and these or a few more have every kind of fault',
  { timeout: 600_000 },
  async () => {
    const faults = new Set<string>()
    const rare = (): boolean => faults.size < faultKinds.length
    for (let seed = 1; seed <= 300 || (rare() && seed <= 1000); seed++) {
      const { violation, faults: struck } = await simulate({ seed })
      expect(violation, `npm run sim -- --seed ${seed}`).toBeUndefined()
      for (const kind of Object.keys(struck)) faults.add(kind)
    }
    expect([...faults].toSorted()).toEqual(faultKinds.toSorted())
  },
)

test(
  'with channels in 12 simulated worlds, everyone is told, and each message says how its hold ended',
  { timeout: 300_000 },
  async () => {
    for (let seed = 1; seed <= 12; seed++) {
      const { violation } = await simulate({ seed, extend: ChannelsOfAWorld.in })
      expect(violation, `npm run sim -- --channels --seed ${seed}`).toBeUndefined()
    }
  },
)

test('the same seed gives the same run, step by step', { timeout: 300_000 }, async () => {
  for (let seed = 1001; seed <= 1020; seed++) {
    const [once, again] = [await simulate({ seed }), await simulate({ seed, trace: true })]
    expect(again.hash).toBe(once.hash)
    expect(again.steps).toBe(once.steps)
  }
})

test('another seed gives another run', async () => {
  const [one, other] = [await simulate({ seed: 1 }), await simulate({ seed: 2 })]
  expect(one.hash).not.toBe(other.hash)
})

test('all consequences of a step happen before the next step, with any number of promises', async () => {
  const random = new Random(1)
  const scheduler = new Scheduler(random, strategyFor(random), new Trace(false), 0)
  const process = scheduler.process('p')
  const seen: string[] = []
  const follow = async (): Promise<void> => {
    for (let n = 0; n < 1000; n++) await Promise.resolve().then(() => undefined)
    seen.push('followed')
  }
  for (const delay of [1, 2]) scheduler.add(process, 'step', delay, () => (seen.push('step'), void follow()))
  await scheduler.run(() => false)

  expect(seen).toEqual(['step', 'followed', 'step', 'followed'])
})

test('a promise that a process awaited when it died never resolves', async () => {
  const random = new Random(1)
  const scheduler = new Scheduler(random, strategyFor(random), new Trace(false), 0)
  const process = scheduler.process('p')
  const seen: string[] = []
  void scheduler.wait(process, 'work', 10).then(() => seen.push('worked'))
  scheduler.add(scheduler.process('fate'), 'strikes', 5, () => scheduler.kill(process, () => false))
  await scheduler.run(() => false)

  expect(seen).toEqual([])
})

test('a store that confirms an append before it has written is detected', { timeout: 240_000 }, async () => {
  const { violation } = await simulate({
    seed: 1,
    tamper: (store, random) => ({
      ...store,
      append: async (write) => {
        if (random.chance(0.5)) return store.append(write)
        const events = write.events.map((event, n) => ({ ...event, seq: write.expectedSeq + n + 1, at: write.at }))
        return { result: 'ok', events, hash: '', epoch: 1, owned: true }
      },
    }),
  })
  expect(violation).toBeDefined()
})

test('each bug of the zoo changes text that its source file has exactly once', () => {
  expect(bugs.length).toBeGreaterThan(100)
  const sources = new Map<string, string>()
  const counts = bugs.flatMap(({ name, patches = [] }) =>
    patches.map(({ file, find }) => {
      const source = sources.get(file) ?? readFileSync(join(root, 'packages', file), 'utf8')
      sources.set(file, source)
      return `${name}: ${source.split(find).length - 1}`
    }),
  )
  expect(counts.filter((each) => !each.endsWith(': 1'))).toEqual([])
})

// `npm run zoo` searches for all of them. It takes minutes, and `.ci/run` runs it after `npm test`.
test('a bug of each part of the zoo is caught', { timeout: 600_000 }, async () => {
  const { code, out } = await run('sim/zoo.ts', ...EARLY)
  expect(out).toContain(`${EARLY.length} of ${EARLY.length} caught`)
  expect(code).toBe(0)
})

test('npm run sim ends with one line of figures', { timeout: 300_000 }, async () => {
  const { code, out } = await run('sim/main.ts', '--seeds', '60', '--from', '50')
  expect(JSON.parse(out.trim().split('\n').at(-1) ?? '')).toMatchObject({ seeds: 60, violations: 0 })
  expect(code).toBe(0)
})

function run(...args: readonly string[]): Promise<{ readonly code: number | null; readonly out: string }> {
  const child = spawn(process.execPath, ['--conditions=@holdpoint/source', ...args])
  let out = ''
  child.stdout.on('data', (data: Buffer) => (out += data.toString()))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code) => resolve({ code, out }))
  })
}
