/**
 * What notifications cost when many processes share a database: `npm run fan-out -- --listeners 2,8,32 --by listen,nats`. One store
 * appends, the others listen, each with its own connection, all in this process. Prints appends per second, how long a listener
 * waits for a notification after the append was answered, and the processor time of the database and of NATS per append.
 */
import { randomUUID } from 'node:crypto'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { NO_HASH, type Append, type Store } from '@holdpoint/core'
import { natsNotifier } from '@holdpoint/notify-nats'
import { postgresStore } from '@holdpoint/store-postgres'
import { startNats } from '../packages/notify-nats/test/nats-cluster.ts'
import { postgresForTests } from '../test/postgres-server.ts'

const { values } = parseArgs({
  options: {
    listeners: { type: 'string', default: '2,8,32' },
    by: { type: 'string', default: 'listen,nats' },
    seconds: { type: 'string', default: '5' },
    lanes: { type: 'string', default: '32' },
  },
})
const [seconds, lanes] = [Number(values.seconds), Number(values.lanes)]

function draft(id: string, expectedSeq: number, follows: string): Append {
  const rows = { agent: 'desk', status: 'idle', wakeAt: undefined, base: undefined, holds: [] } as const
  const events = [{ type: 'conversation.opened', agent: 'desk' } as const]
  return { to: { tenant: '', id }, expectedSeq, follows, mark: randomUUID(), events, at: 1, rows }
}

/** Processor milliseconds of a process and its children, from Linux. */
function processorMs(main: number | undefined): number {
  if (main === undefined) return 0
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  const children = rows.flatMap((row) => {
    const [pid, parent] = row.trim().split(/\s+/).map(Number)
    return parent === main && pid !== undefined ? [pid] : []
  })
  return [main, ...children].reduce((sum, pid) => sum + ticksOf(pid) * 10, 0)
}

/** Hundredths of a second. */
function ticksOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    return Number(fields[11]) + Number(fields[12])
  } catch {
    return 0 // it has ended
  }
}

const percentile = (sorted: readonly number[], part: number): string =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN).toFixed(1)

async function measure(url: string, by: string, listeners: number, servers: readonly string[]): Promise<string> {
  const schema = `fan_${randomUUID().slice(0, 8)}`
  const open = (): Promise<Store> =>
    postgresStore(url, {
      schema,
      dispatcher: 'none',
      readers: 1,
      ...(by === 'nats' && { notifier: natsNotifier({ servers }) }),
    })
  const writer = await open()
  const others: Store[] = []
  const answered = new Map<string, number>()
  const waits: number[] = []
  let heard = 0
  for (let nth = 0; nth < listeners; nth++) {
    const store = await open()
    store.listen(({ id }, seq) => {
      heard++
      const at = answered.get(`${id} ${seq}`)
      if (at !== undefined) waits.push(performance.now() - at)
    })
    others.push(store)
  }
  const usedNow = (): { postgres: number; nats: number } => ({
    postgres: processorMs(server.pid),
    nats: processorMs(nats?.pids[0]),
  })
  const before = usedNow()
  let appends = 0
  const until = performance.now() + seconds * 1000
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      let hash = NO_HASH
      for (let seq = 0; performance.now() < until; seq++) {
        const answer = await writer.append(draft(`c${lane}`, seq, hash))
        if (answer.result !== 'ok') throw new Error(`not written: ${answer.result}`)
        hash = answer.hash
        answered.set(`c${lane} ${seq + 1}`, performance.now())
        appends++
      }
    }),
  )
  await new Promise((resolve) => setTimeout(resolve, 500))
  const used = usedNow()
  await Promise.all([writer, ...others].map((store) => store.close()))
  const sorted = waits.toSorted((a, b) => a - b)
  const perAppend = (what: 'postgres' | 'nats'): string => ((used[what] - before[what]) / appends).toFixed(2)
  return [
    by.padEnd(7),
    `${listeners}`.padStart(9),
    `${Math.round(appends / seconds)}`.padStart(10),
    `${Math.round(heard / seconds)}`.padStart(8),
    `${percentile(sorted, 0.5)} / ${percentile(sorted, 0.99)}`.padStart(16),
    perAppend('postgres').padStart(14),
    perAppend('nats').padStart(10),
  ].join(' ')
}

const server = await postgresForTests()
const nats = values.by.includes('nats') ? await startNats(1) : undefined
process.stdout.write('by      listeners  appends/s  heard/s  wait p50/p99 ms  postgres ms/a  nats ms/a\n')
for (const listeners of values.listeners.split(',').map(Number))
  for (const by of values.by.split(','))
    process.stdout.write(`${await measure(server.url, by, listeners, nats?.servers ?? [])}\n`)
await nats?.stop()
await server.stop()
