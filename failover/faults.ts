/** What happens in a round of each kind, and to which servers. */
import { nap } from '../crash/desk.ts'
import type { Tail } from './judge-round.ts'
import { PatroniCluster } from './patroni-cluster.ts'
import { PostgresPair, type Server } from './postgres-pair.ts'

/** On two servers of this program, which stands in for what manages them. */
export const PAIR_KINDS = ['kill', 'stop', 'switch', 'lossy', 'cut', 'readonly'] as const
/** On servers that Patroni manages, behind HAProxy. */
export const PATRONI_KINDS = ['patroni-kill', 'patroni-stop', 'patroni-switch'] as const
export type Kind = (typeof PAIR_KINDS | typeof PATRONI_KINDS)[number]

export interface Faulted {
  /** The time to recover counts from here: the old primary answers nothing any more. */
  readonly at: number
  readonly tail?: Tail
  /** Ends the server that is no longer part of the pair. */
  readonly end?: () => Promise<void> | void
}

/** `progress(count)` resolves when the processes got so many more acknowledgements. */
type Progress = (count: number) => Promise<void>

/** Servers for the rounds of one kind. */
export interface Stage {
  readonly url: string
  /** Both servers are there, and replicate, before each round. */
  complete(): Promise<void>
  strike(progress: Progress): Promise<Faulted>
  close(): Promise<void>
}

interface PairFault {
  /** Whether the standby confirms every commit. */
  readonly synchronous: boolean
  run(pair: PostgresPair, progress: Progress): Promise<Faulted>
}

const PAIR_FAULTS: { readonly [K in (typeof PAIR_KINDS)[number]]: PairFault } = {
  /** The primary dies, and the standby takes its place. */
  kill: {
    synchronous: true,
    run: async (pair) => {
      await pair.primary.kill()
      const at = Date.now()
      return { at, end: ending(await pair.promote()) }
    },
  },
  /** The primary becomes silent: nothing tells its clients that their connections are dead. */
  stop: {
    synchronous: true,
    run: async (pair) => {
      pair.primary.freeze()
      const at = Date.now()
      return { at, end: ending(await pair.promote()) }
    },
  },
  /** An operator stops the primary, which sends everything to the standby first. */
  switch: {
    synchronous: true,
    run: async (pair) => {
      await pair.primary.shutDown()
      const at = Date.now()
      return { at, end: ending(await pair.promote()) }
    },
  },
  /** The standby lags when the primary dies. The tail is lost. */
  lossy: {
    synchronous: false,
    run: async (pair, progress) => {
      const from = Date.now()
      await caughtUp(pair)
      pair.replication.cut()
      await progress(20)
      await pair.primary.kill()
      const at = Date.now()
      const old = await pair.promote()
      return { at, end: ending(old), tail: { from, until: Date.now() } }
    },
  },
  /** The synchronous standby is cut off, so appends wait. Their waits are ended, and then the primary dies. */
  cut: {
    synchronous: true,
    run: async (pair) => {
      pair.replication.cut()
      for (let nth = 0; nth < 12; nth++) {
        await nap(100)
        await endWaits(pair.primary, nth % 2 === 0 ? 'pg_cancel_backend' : 'pg_terminate_backend')
      }
      await pair.primary.kill()
      const at = Date.now()
      return { at, end: ending(await pair.promote()) }
    },
  },
  /** While the primary restarts, clients reach the standby. Their connections to it stay open. */
  readonly: {
    synchronous: true,
    run: async (pair) => {
      await pair.primary.kill()
      pair.clients.to(pair.standby.port)
      await connectedTo(pair.standby)
      await pair.primary.start()
      pair.clients.to(pair.primary.port)
      return { at: Date.now() }
    },
  },
}

const PATRONI_FAULTS: {
  readonly [K in (typeof PATRONI_KINDS)[number]]: (cluster: PatroniCluster) => Promise<Faulted>
} = {
  'patroni-kill': async (cluster) => {
    await cluster.killPrimary()
    return { at: Date.now() }
  },
  'patroni-stop': async (cluster) => {
    const end = await cluster.freezePrimary()
    return { at: Date.now(), end }
  },
  'patroni-switch': async (cluster) => {
    await cluster.switchOver()
    return { at: Date.now() }
  },
}

export async function openStage(kind: Kind): Promise<Stage> {
  if (isOfPair(kind)) {
    const { synchronous, run } = PAIR_FAULTS[kind]
    const pair = await PostgresPair.open()
    return {
      url: pair.url,
      complete: () => pair.complete({ synchronous }),
      strike: (progress) => run(pair, progress),
      close: () => pair.close(),
    }
  }
  const cluster = await PatroniCluster.open()
  return {
    url: cluster.url,
    complete: () => cluster.complete(),
    strike: () => PATRONI_FAULTS[kind](cluster),
    close: () => cluster.close(),
  }
}

function isOfPair(kind: Kind): kind is (typeof PAIR_KINDS)[number] {
  return kind in PAIR_FAULTS
}

function ending(old: Server): () => Promise<void> {
  return () => old.remove()
}

/** Waits until the standby has everything that is written now. */
async function caughtUp({ primary, standby }: PostgresPair): Promise<void> {
  const [row] = await primary.sql<{ lsn: string }>('select pg_current_wal_insert_lsn() as lsn')
  const has = 'select pg_last_wal_receive_lsn() >= $1::pg_lsn as has'
  while (!(await standby.sql<{ has: boolean }>(has, [row?.lsn]))[0]?.has) await nap(10)
}

/** Ends what waits for the standby, as an administrator or a timeout would. */
async function endWaits(primary: Server, how: 'pg_cancel_backend' | 'pg_terminate_backend'): Promise<void> {
  await primary.sql(`select ${how}(pid) from pg_stat_activity where wait_event = 'SyncRep' and pid <> pg_backend_pid()`)
}

async function connectedTo(server: Server): Promise<void> {
  const text = `select pid from pg_stat_activity where application_name = 'holdpoint'`
  for (let quiet = 0; quiet < 5; quiet++) {
    await nap(200)
    if ((await server.sql(text)).length < 2) quiet = 0
  }
}
