/**
 * Runs two processes on one store, and kills, pauses and restarts them at random moments, or kills one at every named write
 * point, or disturbs only their database server.
 */
import { existsSync, readFileSync } from 'node:fs'
import type { LogEvent } from '@holdpoint/core'
import { startChild, type Child } from './child.ts'
import { nap, type Effect } from './desk.ts'
import { judge, nothingAcked, type Acked, type Judgement } from './judge.ts'

/** A process dies before or after a write that contains such an event, or before or after it takes a conversation over. */
const POINTS = [
  'conversation.opened',
  'turn.started',
  'message.queued',
  'model.replied',
  'call.held',
  'call.endorsed',
  'call.approved',
  'call.cleared',
  'call.started',
  'call.settled',
  'answer.arrived',
  'turn.ended',
  'takeOver',
] as const

/** Points that a process reaches only once, or rarely. */
const RARE: readonly string[] = ['conversation.opened', 'turn.ended', 'takeOver']

export const WRITE_POINTS: readonly string[] = POINTS.flatMap((name, index) =>
  ['before', 'after'].map((when) => `${name}:${when}:${RARE.includes(name) ? 1 : 1 + (index % 3)}`),
)

export interface Campaign {
  /** A file, or the URL of a database. */
  readonly place: string
  readonly effects: string
  readonly env?: Readonly<Record<string, string>>
  /** Where all processes send their spans, also the last one. */
  readonly otlp?: string
  progress?(done: number): void
  /** The logs at the end. */
  ended?(logs: ReadonlyMap<string, readonly LogEvent[]>): void
}

export async function killAtRandom(campaign: Campaign, kills: number): Promise<Judgement> {
  const acked = nothingAcked()
  const pair = [start(campaign, 'w0', acked), start(campaign, 'w1', acked)]
  try {
    await Promise.all(pair.map((worker) => worker.line('ready')))
    for (let killed = 1; killed <= kills; killed++) {
      await nap(Math.random() * 250)
      await killOf(pair[killed % 2])
      campaign.progress?.(killed)
      const next = start(campaign, `w${killed + 1}`, acked)
      pair[killed % 2] = next
      // Sometimes kill it while it starts.
      if (Math.random() < 0.8) await next.line('ready')
    }
    for (const worker of pair) await killOf(worker)
  } finally {
    await endAll(pair)
  }
  return conclude(campaign, acked)
}

/** At every write point, a process kills itself. Two processes at a time, on the same store. */
export async function killAtWritePoints(
  campaign: Campaign,
  points: readonly string[] = WRITE_POINTS,
): Promise<Judgement> {
  const acked = nothingAcked()
  let done = 0
  const lane = async (which: number): Promise<void> => {
    for (const [index, point] of points.entries()) {
      if (index % 2 !== which) continue
      const worker = start(campaign, `p${index}`, acked, { CRASH_AT: point })
      try {
        await within(TIMEOUT_MS, worker.died, `No process reached ${point}`)
      } finally {
        await endAll([worker])
      }
      if ((await worker.died) !== 'SIGKILL') throw new Error(`A process that should die at ${point} ended earlier.`)
      campaign.progress?.(++done)
    }
  }
  await Promise.all([lane(0), lane(1)])
  return conclude(campaign, acked)
}

/** Pauses one of the two processes, in turn, for longer than its lease, and lets it continue. */
export async function pauseAtRandom(campaign: Campaign, pauses: number): Promise<Judgement> {
  const acked = nothingAcked()
  const pair = [start(campaign, 'w0', acked), start(campaign, 'w1', acked)]
  try {
    await Promise.all(pair.map((worker) => worker.line('ready')))
    for (let paused = 0; paused < pauses; paused++) {
      await nap(Math.random() * 100)
      pair[paused % 2]?.signal('SIGSTOP')
      await nap(600 + Math.random() * 200)
      pair[paused % 2]?.signal('SIGCONT')
    }
    for (const worker of pair) await killOf(worker)
  } finally {
    await endAll(pair)
  }
  return conclude(campaign, acked)
}

/** The processes keep running; after each disturbance, new messages and answers must be accepted. */
export async function disturb(campaign: Campaign, disturbances: readonly (() => Promise<void>)[]): Promise<Judgement> {
  const acked = nothingAcked()
  const pair = [start(campaign, 'w0', acked), start(campaign, 'w1', acked)]
  const goesOn = async (): Promise<void> => {
    const [sent, answered] = [acked.sent.length, acked.answered.length]
    while (acked.sent.length < sent + 20 || acked.answered.length < answered + 20) await nap(20)
  }
  try {
    await Promise.all(pair.map((worker) => worker.line('ready')))
    await within(TIMEOUT_MS, goesOn(), 'No progress at the start')
    for (const disturbance of disturbances) {
      await disturbance()
      await within(TIMEOUT_MS, goesOn(), 'No progress after the disturbance')
    }
    for (const worker of pair) await killOf(worker)
  } finally {
    await endAll(pair)
  }
  return conclude(campaign, acked)
}

/** A busy machine takes seconds for what an idle one does at once. */
const TIMEOUT_MS = 60_000

/** Finishes all conversations with a new process, and judges the result. */
async function conclude(campaign: Campaign, acked: Acked): Promise<Judgement> {
  const logs = new Map<string, LogEvent[]>()
  const last = startChild('worker.ts', {
    args: [campaign.place, campaign.effects, 'end', '--finish'],
    env: tracing(campaign),
    hear: (line) => {
      if (typeof line['log'] === 'string')
        logs.set(line['log'], [...(logs.get(line['log']) ?? []), ...(line['events'] as LogEvent[])])
      note(acked, line)
    },
  })
  try {
    const code = await within(3 * TIMEOUT_MS, last.died, 'Not every conversation became idle')
    if (code !== 0) throw new Error(`The last process, which should finish every conversation, ended with ${code}.`)
  } finally {
    await endAll([last])
  }
  campaign.ended?.(logs)
  return judge(logs, acked, effectsIn(campaign.effects))
}

export function effectsIn(file: string): Effect[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line) as Effect)
}

function start(campaign: Campaign, name: string, acked: Acked, more = {}): Child {
  return startChild('worker.ts', {
    args: [campaign.place, campaign.effects, name],
    env: { ...campaign.env, ...tracing(campaign), ...more },
    hear: (line) => note(acked, line),
  })
}

function tracing({ otlp }: Campaign): Readonly<Record<string, string>> {
  return otlp === undefined ? {} : { OTLP_URL: otlp }
}

function note(acked: Acked, line: object): void {
  if ('created' in line) acked.created.push(String(line.created))
  if ('cancelled' in line) acked.cancelled.push(String(line.cancelled))
  if ('sent' in line) acked.sent.push(line as Acked['sent'][number])
  if ('answered' in line) acked.answered.push(line as Acked['answered'][number])
  if ('broken' in line) acked.broken.push(String(line.broken))
}

/** Kills a process that must still run: a process that ended by itself, for any reason, is a defect. */
async function killOf(worker: Child | undefined): Promise<void> {
  await worker?.kill()
  const end = await worker?.died
  if (end !== 'SIGKILL') throw new Error(`A process ended by itself, with ${end}, before it was killed.`)
}

async function endAll(workers: readonly Child[]): Promise<void> {
  await Promise.all(workers.map((worker) => worker.kill()))
}

async function within<T>(ms: number, work: Promise<T>, otherwise: string): Promise<T> {
  const timer = Promise.withResolvers<never>()
  const timeout = setTimeout(() => timer.reject(new Error(`${otherwise}, within ${ms} ms.`)), ms)
  try {
    return await Promise.race([work, timer.promise])
  } finally {
    clearTimeout(timeout)
  }
}
