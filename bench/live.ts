/**
 * The cost of a streamed turn: a gateway over HTTP with a model at a realistic pace and one tool call per turn, 20 and 100
 * conversations at once, each followed by SSE. Compared in each round with a bare `node:http` relay that appends the same
 * facts to SQLite, and with AI SDK `streamText` behind a route that saves messages with handwritten code. With `--access`, the
 * gateway is compared with itself: for a person, for a person whom an `authorize` that always says yes lets in, and for a key. With
 * `--telemetry`, it is compared with itself without telemetry, 20 at once.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clientOf, type Client, type TurnTimes } from './live/clients.ts'
import type { Contestant, Ready, Usage } from './live/contestant.ts'
import { TURN_MS } from './live/paced-model.ts'
import { profiling } from './storage/contestants.ts'
import { progress, type Figure, type Report } from './storage/report.ts'
import { median, rounded } from './storage/statistics.ts'

const BASELINES: readonly Contestant[] = ['bare', 'aiSdk', 'ours', 'traced']
const ACCESS: readonly Contestant[] = ['ours', 'anyone', 'person']
const TELEMETRY: readonly Contestant[] = ['ours', 'traced']
const AT_ONCE = [20, 100] as const
const AIM = 2
/** Processor time of a turn with telemetry, to one without. */
const TELEMETRY_AIM = 1.25

export async function live({ rounds = 3, turns = 10, access = false, telemetry = false }): Promise<Report> {
  if (telemetry) return costOfTelemetry(rounds, turns)
  const figures: Record<string, Figure> = { modelMs: TURN_MS }
  const limits: Report['limits'][number][] = []
  for (const atOnce of AT_ONCE) {
    const players = await contest(access ? ACCESS : BASELINES, atOnce, { rounds, turns })
    if (access) {
      figures[`at${atOnce}`] = {
        ...sidesOf(players),
        ratios: { personToAnyone: ratio(players, 'person', 'anyone'), personToKey: ratio(players, 'person', 'ours') },
      }
      continue
    }
    const measured = sidesOf(players)
    figures[`at${atOnce}`] = measured
    limits.push({
      what: `processor time per turn to bare, ${atOnce} at once`,
      value: measured.ours.warm.cpuMsPerTurn / measured.bare.warm.cpuMsPerTurn,
      most: AIM,
    })
    limits.push({
      what: `processor time per turn with telemetry to without, ${atOnce} at once`,
      value: measured.traced.warm.cpuMsPerTurn / measured.ours.warm.cpuMsPerTurn,
      most: TELEMETRY_AIM,
    })
  }
  return { bench: 'live', limits, figures }
}

type Measured = {
  readonly turnsPerSecond: number
  readonly addedP50: number
  readonly addedP99: number
  readonly firstTokenP50: number
  readonly cpuMsPerTurn: number
  readonly lagP99: number
  readonly rssMb: number
}

/** `fresh` is the first round of a new process; `warm` is the median of the others. */
type Sides = Record<Contestant, { readonly fresh: Measured; readonly warm: Measured }>
type Rounds = Pick<Player, 'contestant' | 'measured'>

function sidesOf(players: readonly Rounds[]): Sides {
  return Object.fromEntries(
    players.map(({ contestant, measured: [fresh, ...warm] }) => [contestant, { fresh, warm: middle(warm) }]),
  ) as Sides
}

/** The processor time of a turn, of one contestant to another: in all warm rounds together, and in each. */
function ratio(players: readonly Rounds[], one: Contestant, other: Contestant): Record<string, number> {
  const times = (which: Contestant): readonly number[] =>
    players.flatMap(({ contestant, measured }) =>
      contestant === which ? measured.slice(1).map(({ cpuMsPerTurn }) => cpuMsPerTurn) : [],
    )
  const base = times(other)
  const all = times(one).map((each, round) => each / (base[round] ?? Number.NaN))
  const whole = sum(times(one)) / sum(base)
  return { whole, median: median(all), least: Math.min(...all), most: Math.max(...all) }
}

async function costOfTelemetry(rounds: number, turns: number): Promise<Report> {
  const players = await contest(TELEMETRY, 20, { rounds, turns })
  const tracedToOurs = ratio(players, 'traced', 'ours')
  const what = 'processor time per turn with telemetry to without, 20 at once'
  return {
    bench: 'live',
    limits: [{ what, value: tracedToOurs['whole'] ?? Number.NaN, most: TELEMETRY_AIM }],
    figures: { modelMs: TURN_MS, at20: { ...sidesOf(players), ratios: { tracedToOurs } } },
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0)
}

/** The contestants take turns, a round each, so that a busy minute of the machine affects all of them. */
async function contest(
  contestants: readonly Contestant[],
  atOnce: number,
  { rounds, turns }: { readonly rounds: number; readonly turns: number },
): Promise<readonly Rounds[]> {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-live-'))
  const players: Player[] = []
  const receiver = await spanReceiver()
  try {
    for (const contestant of contestants) players.push(await player(contestant, folder, receiver.url, atOnce))
    for (let round = 0; round <= rounds; round++)
      // In each round another contestant is the first.
      for (const { contestant, child, clients, measured } of [
        ...players.slice(round % players.length),
        ...players.slice(0, round % players.length),
      ]) {
        const figures = await measure(child, clients, turns)
        measured.push(figures)
        progress(`${atOnce} at once, round ${round} (${round === 0 ? 'fresh' : 'warm'}), ${line(contestant, figures)}`)
      }
    return players
  } finally {
    for (const { child, clients } of players) {
      for (const client of clients) client.close()
      await ended(child)
    }
    receiver.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Player {
  readonly contestant: Contestant
  readonly child: ChildProcess
  readonly clients: readonly Client[]
  readonly measured: Measured[]
}

/** Takes spans and drops them. */
async function spanReceiver(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function player(contestant: Contestant, folder: string, otlp: string, atOnce: number): Promise<Player> {
  const execArgv = [...process.execArgv, ...profiling(`live-${atOnce}-${contestant}`)]
  const child = fork(join(import.meta.dirname, 'live/contestant.ts'), [contestant, folder, otlp], { execArgv })
  const ready = await message<Ready>(child)
  const clients = await Promise.all(Array.from({ length: atOnce }, (_, nth) => clientOf(contestant, ready, `c${nth}`)))
  return { contestant, child, clients, measured: [] }
}

/** A contestant exits when it is disconnected, and writes its profile if it has one. */
async function ended(child: ChildProcess): Promise<void> {
  const exited = new Promise((resolve) => child.once('exit', resolve))
  child.disconnect()
  await exited
}

function line(contestant: Contestant, figures: Measured): string {
  const texts = Object.entries(figures).map(([name, figure]) => `${name} ${rounded(figure)}`)
  return `${contestant}: ${texts.join(', ')}`
}

async function measure(child: ChildProcess, clients: readonly Client[], turns: number): Promise<Measured> {
  const before = await used(child)
  const start = performance.now()
  const times: TurnTimes[] = []
  await Promise.all(
    clients.map(async (client) => {
      for (let nth = 0; nth < turns; nth++) times.push(await client.turn())
    }),
  )
  const seconds = (performance.now() - start) / 1000
  const after = await used(child)
  const added = times.map(({ total }) => total - TURN_MS).toSorted((a, b) => a - b)
  return {
    turnsPerSecond: times.length / seconds,
    addedP50: median(added),
    addedP99: added[Math.floor(added.length * 0.99)] ?? 0,
    firstTokenP50: median(times.map(({ firstToken }) => firstToken)),
    cpuMsPerTurn: (after.cpuMs - before.cpuMs) / times.length,
    lagP99: after.lagMs,
    rssMb: after.rssMb,
  }
}

function middle(all: readonly Measured[]): Measured {
  const of = (pick: (each: Measured) => number): number => median(all.map(pick))
  return {
    turnsPerSecond: of((each) => each.turnsPerSecond),
    addedP50: of((each) => each.addedP50),
    addedP99: of((each) => each.addedP99),
    firstTokenP50: of((each) => each.firstTokenP50),
    cpuMsPerTurn: of((each) => each.cpuMsPerTurn),
    lagP99: of((each) => each.lagP99),
    rssMb: of((each) => each.rssMb),
  }
}

function used(child: ChildProcess): Promise<Usage> {
  const told = message<Usage>(child)
  child.send('usage')
  return told
}

function message<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const gone = (): void => reject(new Error('The contestant ended.'))
    child.once('exit', gone)
    child.once('message', (said) => {
      child.off('exit', gone)
      resolve(said as T)
    })
  })
}
