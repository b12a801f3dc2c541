/**
 * `npm run bench -- cells`: turns per second with one, two and three cells, one after the other, in each round. A cell is a PostgreSQL
 * cluster of its own and a process that serves its tenant; every process knows all cells of its configuration.
 *
 * All of it shares one machine. With its own disk, a cell is bound by its processors, which they share. So the same is measured with
 * commits that take 20 ms, as with a standby in another place: then a cell is bound by its commits, which they do not share.
 */
import { rmSync } from 'node:fs'
import { cpus } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { startChild, type Child, type Line } from '../crash/child.ts'
import { createCluster, startCluster, stopCluster } from '../test/postgres-server.ts'

const MOST_CELLS = 3
const CONVERSATIONS = 32
const COMMIT_MS = [0, 20]
const WARM_MS = 3000
const MEASURE_MS = 6000

export async function cells(options: { readonly rounds?: number }): Promise<undefined> {
  const servers = await Promise.all(Array.from({ length: MOST_CELLS }, openServer))
  try {
    const measured = new Map<string, number[]>()
    for (let round = 1; round <= (options.rounds ?? 3); round++)
      for (const commitMs of COMMIT_MS)
        for (let count = 1; count <= MOST_CELLS; count++) {
          const used = servers.slice(0, count).map(({ url }) => url)
          await Promise.all(used.map((url) => setCommitTime(url, commitMs)))
          const perSecond = await turnsPerSecond(used)
          const key = `${commitMs} ${count}`
          measured.set(key, [...(measured.get(key) ?? []), perSecond])
          process.stderr.write(
            `round ${round}, commits +${commitMs} ms, ${count} cells: ${Math.round(perSecond)} turns/s\n`,
          )
        }
    for (const [key, all] of measured) {
      const [commitMs, count] = key.split(' ').map(Number)
      const sorted = all.toSorted((a, b) => a - b)
      const turnsPerSecondMedian = Math.round(sorted[Math.floor(sorted.length / 2)]!)
      const line = { bench: 'cells', commitMs, cells: count, turnsPerSecondMedian, rounds: sorted.map(Math.round) }
      process.stdout.write(`${JSON.stringify({ ...line, processors: cpus().length })}\n`)
    }
  } finally {
    for (const { stop } of servers) await stop()
  }
}

interface CellServer {
  readonly url: string
  stop(): Promise<void>
}

async function openServer(): Promise<CellServer> {
  const cluster = await createCluster()
  const shell = await startCluster(cluster)
  return {
    url: `postgres://postgres@127.0.0.1:${cluster.port}/postgres`,
    stop: async () => {
      await stopCluster(cluster, shell, 'SIGINT')
      rmSync(cluster.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
    },
  }
}

/** PostgreSQL waits so long before it writes a commit, so that others join it. */
async function setCommitTime(url: string, ms: number): Promise<void> {
  const client = new Client(url)
  await client.connect()
  await client.query(`alter system set commit_delay = ${ms * 1000}`)
  await client.query('alter system set commit_siblings = 0')
  await client.query('select pg_reload_conf()')
  await client.end()
}

async function turnsPerSecond(urls: readonly string[]): Promise<number> {
  const names = urls.map((_, nth) => `cell${nth + 1}`)
  const config = {
    cells: Object.fromEntries(names.map((name, nth) => [name, urls[nth]])),
    home: names[0],
    tenants: Object.fromEntries(names.map((name) => [`tenant of ${name}`, name])),
  }
  const counts: Line[][] = []
  const workers = names.map((name, nth) => {
    const heard: Line[] = (counts[nth] = [])
    const args = [JSON.stringify(config), `tenant of ${name}`, String(CONVERSATIONS)]
    return startChild('../bench/cells-worker.ts', { args, hear: (line) => 'turns' in line && heard.push(line) })
  })
  try {
    await Promise.all(workers.map((worker) => worker.line('ready')))
    await sleep(WARM_MS)
    const before = await total(workers, counts)
    const since = performance.now()
    await sleep(MEASURE_MS)
    const after = await total(workers, counts)
    return (after - before) / ((performance.now() - since) / 1000)
  } finally {
    await Promise.all(workers.map((worker) => worker.kill()))
  }
}

async function total(workers: readonly Child[], counts: readonly Line[][]): Promise<number> {
  const had = counts.map(({ length }) => length)
  for (const worker of workers) worker.say({})
  while (counts.some((heard, nth) => heard.length === had[nth])) await sleep(1)
  return counts.reduce((sum, heard) => sum + Number(heard.at(-1)?.['turns']), 0)
}
