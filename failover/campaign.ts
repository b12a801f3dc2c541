/**
 * One kind of fault, again and again, on one pair of servers (a stage). Each round has a new schema and two new processes, which live
 * through the fault. Then they are killed, and this process opens the store and judges. A round that cannot be judged fails, and
 * the next one gets a new pair.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { holdpoint, type Runtime } from 'holdpoint'
import type { LogEvent } from '@holdpoint/core'
import { postgresStore } from '@holdpoint/store-postgres'
import { startChild, type Child, type Line } from '../crash/child.ts'
import { desk, nap, type Effect } from '../crash/desk.ts'
import { openStage, type Kind, type Stage } from './faults.ts'
import {
  judgeRound,
  nothingTold,
  type Answered,
  type Record,
  type Repeats,
  type Sent,
  type Verdict,
} from './judge-round.ts'
import { CONVERSATIONS, LEASE_MS, RECOVER_WITHIN_MS, REST_WITHIN_MS } from './limits.ts'

export interface Campaign {
  readonly kind: Kind
  readonly rounds: number
  /** The file in which tools record their effects. */
  readonly effects: string
  progress?(line: string): void
}

export interface Result {
  readonly kind: Kind
  readonly rounds: number
  readonly acked: number
  readonly lost: number
  readonly doubled: number
  readonly stuck: number
  /** Errors that a request got and that a retry cannot help against. */
  readonly errors: number
  readonly recoveryMsP50: number
  readonly recoveryMsMax: number
  /** Only of `lossy`. */
  readonly lostTail?: number
  readonly ranAgain?: number
}

interface Round extends Verdict {
  readonly judged: boolean
  readonly stuck: number
  readonly errors: number
  readonly recoveryMs: number
}

export async function runCampaign(campaign: Campaign): Promise<Result & { readonly problems: readonly string[] }> {
  const { kind, rounds } = campaign
  const done: Round[] = []
  let stage: Stage | undefined
  for (let nth = 1; nth <= rounds; nth++) {
    stage ??= await openStage(kind)
    const round = await runRound(campaign, stage, `${kind.replace('-', '_')}_${nth}`).catch(notJudged)
    done.push(round)
    if (!round.judged || nth === rounds) {
      await stage.close()
      stage = undefined
    }
    const { acked, lost, doubled, stuck, errors, recoveryMs } = round
    campaign.progress?.(
      `${kind} ${nth} of ${rounds}: ${acked} acked, ${lost} lost, ${doubled} doubled, ${stuck} stuck, ${errors} errors, recovered in ${recoveryMs} ms`,
    )
    for (const problem of round.problems.slice(0, 20)) campaign.progress?.(`  ${problem}`)
  }
  const sum = (key: 'acked' | 'lost' | 'doubled' | 'stuck' | 'errors' | 'lostTail' | 'ranAgain'): number =>
    done.reduce((total, round) => total + round[key], 0)
  const times = done.map(({ recoveryMs }) => recoveryMs).toSorted((a, b) => a - b)
  return {
    kind,
    rounds,
    acked: sum('acked'),
    lost: sum('lost'),
    doubled: sum('doubled'),
    stuck: sum('stuck'),
    errors: sum('errors'),
    recoveryMsP50: times[Math.floor(times.length / 2)] ?? 0,
    recoveryMsMax: times.at(-1) ?? 0,
    ...(kind === 'lossy' && { lostTail: sum('lostTail'), ranAgain: sum('ranAgain') }),
    problems: done.flatMap(({ problems }) => problems),
  }
}

async function runRound({ effects }: Campaign, stage: Stage, schema: string): Promise<Round> {
  rmSync(effects, { force: true })
  await stage.complete()
  const record = nothingTold()
  const first = start(stage.url, schema, effects, 'w1', record)
  const workers = [first]
  try {
    await first.line('ready')
    workers.push(start(stage.url, schema, effects, 'w2', record))
    await Promise.all(workers.map((worker) => worker.line('ready')))
    await progress(record, 60)
    const { at, tail, end } = await stage.strike((count) => progress(record, count))
    const recoveryMs = await recovered(record, at)
    await nap(300)
    for (const worker of workers) worker.say({ end: true })
    await Promise.all(workers.map((worker) => ended(worker)))
    await end?.()
    await Promise.all(workers.map(killOf))
    const logs = await examine(stage.url, schema, effects, record)
    const verdict = judgeRound(logs, record, effectsIn(effects), tail)
    if (verdict.problems.length > 0) keepEvidence(schema, { verdict, record, logs: [...logs] })
    return { ...verdict, judged: true, stuck: record.stuck.length, errors: record.broken.length, recoveryMs }
  } finally {
    await Promise.all(workers.map((worker) => worker.kill()))
  }
}

/** What the processes were told, and the logs, of a round with a problem. */
function keepEvidence(round: string, evidence: object): void {
  const file = join(tmpdir(), `holdpoint-failover-${round}-${process.pid}.json`)
  writeFileSync(file, JSON.stringify(evidence, undefined, 1))
  process.stderr.write(`The logs of this round are in ${file}\n`)
}

function notJudged(error: unknown): Round {
  const none = { acked: 0, lost: 0, doubled: 0, lostTail: 0, ranAgain: 0, stuck: 0, recoveryMs: RECOVER_WITHIN_MS }
  return { ...none, judged: false, errors: 1, problems: [`error: ${String(error)}`] }
}

function start(url: string, schema: string, effects: string, name: string, record: Record): Child {
  return startChild('../failover/worker.ts', {
    args: [url, schema, effects, name],
    env: { NODE_OPTIONS: '--conditions=@holdpoint/source' },
    hear: (line) => note(record, line),
  })
}

function note(record: Record, line: Line): void {
  if ('sent' in line) record.sent.push(line as unknown as Sent)
  if ('answered' in line) record.answered.push(line as unknown as Answered)
  if ('repeats' in line) record.repeats.push(line as unknown as Repeats)
  if ('broken' in line) record.broken.push(String(line['broken']))
  if ('stuck' in line) record.stuck.push(...(line['stuck'] as string[]))
}

async function progress({ sent, answered }: Record, count: number): Promise<void> {
  const before = sent.length + answered.length
  for (const since = Date.now(); sent.length + answered.length < before + count; await nap(10)) {
    if (Date.now() - since > REST_WITHIN_MS) throw new Error('The processes made no progress before the fault.')
  }
}

/** How long after the fault every process had a request accepted that it sent after the fault. */
async function recovered({ sent, answered }: Record, at: number): Promise<number> {
  for (; Date.now() - at < RECOVER_WITHIN_MS; await nap(10)) {
    const since = [...sent, ...answered].filter(({ asked }) => asked >= at)
    const firsts = ['w1', 'w2'].map((name) =>
      Math.min(...since.filter((each) => nameOf(each).includes(name)).map((each) => each.at)),
    )
    if (firsts.every(Number.isFinite)) return Math.max(...firsts) - at
  }
  return RECOVER_WITHIN_MS
}

function nameOf(each: Sent | Answered): string {
  return 'sent' in each ? each.sent : each.by
}

/** Does not keep this process alive when the work that it limits is done. */
function limit(ms: number): Promise<void> {
  return setTimeout(ms, undefined, { ref: false })
}

async function ended(worker: Child): Promise<void> {
  const timer = limit(2 * REST_WITHIN_MS).then(() => Promise.reject(new Error('A process did not end its round.')))
  await Promise.race([worker.line('ended'), timer])
}

/** A process that ended on its own is a defect. */
async function killOf(worker: Child): Promise<void> {
  await worker.kill()
  const end = await worker.died
  if (end !== 'SIGKILL') throw new Error(`A process ended on its own, with ${end}.`)
}

/** A new process loads every conversation, and completes one more message in it. Returns the logs. */
async function examine(url: string, schema: string, effects: string, record: Record): Promise<Map<string, LogEvent[]>> {
  const store = await postgresStore(url, { schema, dispatcher: 'none' })
  const hp = await holdpoint({ store, agents: [desk(effects)], leaseMs: LEASE_MS, lookMs: 40, onProblem: () => {} })
  const logs = new Map<string, LogEvent[]>()
  try {
    await Promise.all(
      CONVERSATIONS.map(async (id) => {
        const why = await Promise.race([
          complete(hp, id).catch(String),
          limit(REST_WITHIN_MS).then(() => 'not at rest in time'),
        ])
        if (why !== undefined) record.stuck.push(`${id} is stuck in a new process: ${why}`)
        const events: LogEvent[] = []
        for (let page; page === undefined || page.length > 0; events.push(...page)) {
          page = await store.read({ tenant: '', id }, events.at(-1)?.seq ?? 0)
        }
        logs.set(id, events)
      }),
    )
  } finally {
    await hp.close()
    await store.close()
  }
  return logs
}

async function complete(hp: Runtime, id: string): Promise<string | undefined> {
  const result = await hp.send(id, `check again ${id}`, { key: `again ${id}` })
  return result.status === 'done' ? undefined : `the turn ended with ${result.status}`
}

function effectsIn(file: string): Effect[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Effect)
}
