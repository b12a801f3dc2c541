/**
 * Runs one seed in three phases: with faults, then without faults until everything must be idle, then a phase in which
 * nothing may be written. Ends at the first broken invariant. The same seed gives the same steps on any machine.
 */
import type { ConversationRecord } from './conversation-record.ts'
import type { FaultKind } from './faults.ts'
import { frozen } from './frozen.ts'
import type { Mishap } from './mishaps.ts'
import type { SimExtension } from './extension.ts'
import type { Reader } from './reader.ts'
import type { Violation } from './violation.ts'
import { World, type TamperStore } from './world.ts'

export interface SimulateOptions {
  readonly seed: number
  /** Keeps the trace as readable lines. */
  readonly trace?: boolean
  /** Replaces the real store by a defective one. */
  readonly tamper?: TamperStore
  /** What happens to the store as a whole. Default: the seed decides. */
  readonly mishap?: Mishap
  /** What each node runs beside its runtime. Then nothing happens to the store as a whole. */
  readonly extend?: (world: World) => SimExtension
}

export interface Simulated {
  readonly seed: number
  readonly violation: Violation | undefined
  readonly steps: number
  /** In milliseconds of simulated time. */
  readonly lasted: number
  /** The number of events in all conversations. */
  readonly events: number
  readonly faults: Readonly<Partial<Record<FaultKind, number>>>
  /** Equal for two runs of a seed. */
  readonly hash: string
  readonly trace: readonly string[]
}

/** The longest phase of faults, the time limit for becoming idle, and the length of the quiet phase. */
const FAULTS_MS = 120_000
const REST_MS = 240_000
const QUIET_MS = 15_000

export async function simulate({ seed, trace = false, tamper, mishap, extend }: SimulateOptions): Promise<Simulated> {
  const world = new World(seed, trace, tamper, mishap, extend)
  const { scheduler, truth, faults } = world
  const start = scheduler.now
  const catchStray = (error: unknown): void => world.unexpected(error, 'uncaught')
  process.on('unhandledRejection', catchStray)
  await frozen(trace, () => run(world))
  // Node reports unhandled rejections once its queue is empty.
  await new Promise((resolve) => setImmediate(resolve))
  process.off('unhandledRejection', catchStray)
  return {
    seed,
    violation: world.judge.violation,
    steps: scheduler.steps,
    lasted: scheduler.now - start,
    events: [...truth.conversations.values()].reduce((sum, { events }) => sum + events.length, 0),
    faults: Object.fromEntries(faults.counts),
    hash: world.trace.hash,
    trace: world.trace.lines,
  }
}

async function run(world: World): Promise<void> {
  try {
    await runWithFaults(world)
    await runUntilIdle(world)
    await stayIdle(world)
    await world.truth.checkForEver()
  } catch (error) {
    world.unexpected(error, 'the simulation')
  }
}

/** All actors work, with faults. */
async function runWithFaults(world: World): Promise<void> {
  const { scheduler, random, judge } = world
  for (const node of world.nodes) node.start()
  for (const reader of world.readers) world.seeTo(reader.follow())
  world.seeTo(world.operate())
  for (const program of world.programs) world.seeTo(program.live())
  world.mishaps.start()
  if (world.ruleMaker) world.seeTo(world.ruleMaker.live())
  const people = [...world.people, ...world.visitors]
  let busy = people.length
  for (const person of people) {
    const live = person.live(random.between(8, 15)).then(() => {
      busy--
    })
    world.seeTo(live)
  }
  const until = scheduler.now + FAULTS_MS
  await scheduler.run(() => {
    if (judge.violation || busy === 0 || scheduler.now > until) return true
    world.disturb()
    return false
  })
}

/** No more faults, and no new messages from outside. */
async function runUntilIdle(world: World): Promise<void> {
  const { scheduler, judge, truth, faults, nodes, readers, mishaps } = world
  faults.active = false
  for (const node of nodes) node.process.pausedUntil = 0
  const deadline = scheduler.now + REST_MS
  const overdue = ({ deadlines }: ConversationRecord): boolean => deadlines.some((at) => at <= scheduler.now)
  const stuck = (): ConversationRecord[] =>
    [...truth.conversations.values()].filter(
      (record) => !mishaps.excuses(record) && (record.hasWork || overdue(record)),
    )
  const behind = (): Reader[] =>
    readers.filter(
      ({ seq, conversation }) =>
        !mishaps.excuses({ id: conversation }) && seq < (truth.conversations.get(conversation)?.events.length ?? 0),
    )
  // A node without an answer about its saved clients retries the write, and a node that learns late that a write may have
  // failed checks it.
  const hasUncertainWrites = (): boolean =>
    nodes.some((node) => scheduler.waiting(node.process).some(({ label }) => /^(?:put|append) /.test(label)))
  const over = (): boolean =>
    (world.asking === 0 || mishaps.unrepaired) &&
    stuck().length === 0 &&
    !mishaps.divided &&
    world.extension?.missing() === undefined &&
    behind().length === 0 &&
    !scheduler.underWay('append') &&
    !hasUncertainWrites()
  await scheduler.run(() => judge.violation !== undefined || scheduler.now > deadline || over())
  const state = stuck().map(({ id, state: { turn, seq } }) => `${id} at ${seq}, phase ${turn.phase}`)
  judge.require(state.length === 0, 'live', () => `after ${REST_MS} ms: ${state.join('; ')}`)
  // A process that does not drive a damaged log waits for the one that does.
  judge.require(world.asking === 0 || mishaps.unrepaired, 'live', () => `${world.asking} callers never got an answer`)
  const missing = world.extension?.missing()
  judge.require(missing === undefined, 'told-in-the-end', () => missing ?? '')
  judge.require(behind().length === 0, 'reader-gapless', () => 'a subscriber never got the newest events')
  if (judge.violation) return
  mishaps.checkAtRest()
  world.spaces.checkAtRest()
  world.shown.checkAtRest()
}

/** While everything is idle, only deadlines may cause a write. */
async function stayIdle(world: World): Promise<void> {
  const { scheduler, judge, truth, nodes } = world
  // A driver tries a damaged log again from time to time, and may have read it before the damage.
  if (judge.violation || world.mishaps.unrepaired) return
  const deadlines = [...truth.conversations.values()].flatMap((record) => record.deadlines)
  const until = Math.min(scheduler.now + QUIET_MS, ...deadlines)
  const { wroteAt } = truth
  await scheduler.run(() => judge.violation !== undefined || scheduler.now >= until)
  if (judge.violation) return
  judge.require(truth.wroteAt === wroteAt, 'quiet', () => 'a process wrote while everything was idle')
  if (until < scheduler.now + QUIET_MS && deadlines.includes(until)) return
  // Channels have timers of their own.
  if (world.extension) return
  for (const { process: node, name, attended } of nodes) {
    const naps = scheduler.waiting(node).filter(({ label }) => label === 'sleep').length
    judge.require(naps <= (attended ? 3 : 2), 'quiet', () => `${name} has ${naps} timers`)
  }
}
