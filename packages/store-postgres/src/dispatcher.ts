/**
 * Makes deadlines prompt, with graphile-worker. A job only says "look at this conversation". One of the listening processes
 * runs it, and it is short. A conversation has at most one job, at its deadline, once the deadline is near. Work without an
 * owner gets no job: a job reaches one process, which may not be a driver, so the change feed notifies all processes.
 *
 * Before the first deadline is near, no worker runs and its tables do not exist.
 *
 * The rows of the conversations are the truth, and drivers poll `due` anyway. So a job may be lost, late or redundant. Jobs
 * are added after the commit, many in one statement, and never in a named queue.
 */
import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Runner } from 'graphile-worker'
import { DatabaseError } from 'pg'
import { agentsWithDeadlines } from './agents-with-deadlines.ts'
import { createBatcher } from './batcher.ts'
import { poolOf, type Connections } from './connections.ts'
import type { Endpoint } from './endpoint.ts'
import { JobsClient, quietMigrations } from './jobs-client.ts'
import type { Settings } from './settings.ts'
import { openReconnect } from './reconnect.ts'
import { settleWithin } from './settle-within.ts'

export interface Dispatcher {
  /** Call after a write that changed a deadline which is or was near. */
  note(what: Deadline): void
  /** Call when another process noted a deadline that is near. */
  nearDeadlineElsewhere(): void
  /** Runs jobs in this process once there are any. */
  start(): void
  close(): Promise<void>
}

/** The tenant as it is stored, and the key of the conversation. */
export interface Deadline {
  readonly tenant: string
  readonly k: number
}

type Look = (what: Deadline) => Promise<void>

const WINDOW_MS = 10
/** The maximum delay of a deadline. */
const POLL_MS = 1000
/** A worker that ran for so long had started. */
const STARTED_MS = 10_000
const STOP_TIMEOUT_MS = 5000
const SILENCE_MS = 10_000
/** How many deadlines get a new job when a process starts to listen or to run jobs, and at every refresh. */
const MAX_REFRESHED = 1000
/** Shorter than the time for which a deadline counts as near. */
const REFRESH_MS = 600_000
/**
 * These make the worker finish jobs in batches and fetch them through a local queue. Without them, the error of a lost
 * connection would be unhandled and end the process, or be printed.
 */
const QUIET = { completeJobBatchDelay: 0, failJobBatchDelay: 0, localQueue: { size: 1 } }
const UNDEFINED_OBJECT = /^(?:3F000|42883|42P01|42704)$/

export function openDispatcher(settings: Settings, connections: Connections, direct: Endpoint, look: Look): Dispatcher {
  if (settings.dispatcher === 'none')
    return { note: () => {}, nearDeadlineElsewhere: () => {}, start: () => {}, close: async () => {} }
  const { onWarning } = settings
  const noted = createBatcher<Deadline>(
    WINDOW_MS,
    (items) => addJobs(settings, connections, items),
    (error) => {
      // The tables do not exist: no process has run jobs, so none waits for one.
      const cause = error instanceof Error ? error.cause : undefined
      if (cause instanceof DatabaseError && UNDEFINED_OBJECT.test(cause.code ?? '')) return
      onWarning('Jobs could not be added. Polling finds the due conversations.', error)
    },
  )
  const closing = new AbortController()
  let listening = false
  let refresh: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined

  const run = (): void => {
    if (!listening || closing.signal.aborted) return
    running ??= runJobs(settings, direct, look, closing.signal, addNearDeadlines).catch((error: unknown) =>
      onWarning('The dispatcher ended. Polling finds the due conversations.', error),
    )
  }
  const note: Dispatcher['note'] = (what) => {
    noted.add(`${what.k}`, what)
    run()
  }
  const addNearDeadlines = async (): Promise<void> => {
    for (const what of await nextDeadlines(settings, connections).catch(() => [])) note(what)
  }
  return {
    note,
    nearDeadlineElsewhere: run,
    start: () => {
      if (listening) return
      listening = true
      void addNearDeadlines()
      refresh = setInterval(() => void addNearDeadlines(), REFRESH_MS).unref()
    },
    close: async () => {
      clearInterval(refresh)
      await settleWithin(STOP_TIMEOUT_MS, noted.flush())
      closing.abort()
      await running
    },
  }
}

/** Adds jobs for the current deadlines in one statement. The commit does not wait for the disk, which is left to appends. */
async function addJobs(settings: Settings, { read }: Connections, items: readonly Deadline[]): Promise<void> {
  const { schema, jobsSchema, clockOffset } = settings
  await read({
    name: 'add jobs',
    text: `with deadlines as materialized (
        select tenant, conv, wake_at, wake_at < (select ${schema}.near_until($3::float8)) as near
          from unnest($1::text[], $2::bigint[]) noted(tenant, conv) left join ${schema}.agenda using (tenant, conv)
      ),
      gathered as (
        select array_agg(row(
          'look', json_build_object('tenant', tenant, 'k', conv), null,
          to_timestamp(least(wake_at - $3::float8, 8e15) / 1000), null, 'deadline:' || conv, null, null
        )::${jobsSchema}.job_spec order by conv) as jobs from deadlines where near
      )
      select
        set_config('synchronous_commit', 'off', true),
        (select count(*) from gathered, lateral ${jobsSchema}.add_jobs(jobs) where jobs is not null),
        (select count(${jobsSchema}.remove_job('deadline:' || conv)) from deadlines where near is not true)`,
    values: [items.map(({ tenant }) => tenant), items.map(({ k }) => k), clockOffset()],
  })
}

/** Jobs may be missing: no process ran any when the deadline was set, or it was not near yet. */
async function nextDeadlines({ schema, clockOffset }: Settings, { read }: Connections): Promise<Deadline[]> {
  const text = `with agents as materialized (${agentsWithDeadlines(schema)})
    select a.tenant, a.conv as k from agents cross join lateral (
      select tenant, conv, wake_at from ${schema}.agenda
        where agent = agents.agent and wake_at < (select ${schema}.near_until($1)) order by wake_at limit $2
    ) a order by a.wake_at limit $2`
  return read<{ readonly tenant: string; readonly k: number }>({ text, values: [clockOffset(), MAX_REFRESHED] })
}

/** Undefined for an invalid payload. Polling finds its conversation. */
function deadlineOf(payload: unknown): Deadline | undefined {
  const { tenant, k } = payload as { readonly [name: string]: unknown }
  return typeof tenant === 'string' && typeof k === 'number' ? { tenant, k } : undefined
}

/** Runs jobs until `stop` aborts. A worker that ends before that is replaced. */
async function runJobs(
  settings: Settings,
  direct: Endpoint,
  look: Look,
  stop: AbortSignal,
  started: () => Promise<void>,
): Promise<void> {
  const { onWarning } = settings
  const graphile = await import('graphile-worker')
  // One connection listens for new jobs; the others fetch and finish them.
  const pool = poolOf(settings, direct, { max: 3, Client: JobsClient })
  const logger = new graphile.Logger(() => (level, message) => {
    if (level === 'error' || level === 'warning') onWarning(`graphile-worker: ${message}`)
  })
  const stopped = new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }))
  const reconnect = openReconnect(onWarning)
  while (!stop.aborted) {
    let pause = 0
    const events = new EventEmitter()
    try {
      const runner = await graphile.run({
        pgPool: pool,
        schema: settings.jobsSchema,
        logger,
        events,
        noHandleSignals: true,
        concurrency: 1,
        pollInterval: POLL_MS,
        parsedCronItems: [],
        taskList: {
          look: async (payload) => {
            const what = deadlineOf(payload)
            if (what) await look(what)
          },
        },
        preset: { plugins: [quietMigrations], worker: QUIET },
      })
      const lost = lossOf(runner, events)
      const since = performance.now()
      if (!stop.aborted) await started()
      const cause = stop.aborted ? undefined : await Promise.race([lost, stopped])
      if (performance.now() - since > STARTED_MS) reconnect.worked()
      if (!stop.aborted) pause = reconnect.failed('graphile-worker stopped and is restarted.', cause)
      await settleWithin(STOP_TIMEOUT_MS, runner.stop())
    } catch (error) {
      pause = reconnect.failed('graphile-worker could not be started, and is started again.', error)
    }
    await sleep(pause, undefined, { signal: stop }).catch(() => {})
  }
  await settleWithin(STOP_TIMEOUT_MS, pool.end())
}

/**
 * Resolves when the worker must be replaced: it ended, or has fetched no jobs for a long time. It retries on its own, but
 * may have cached a failure of a query that it runs only once.
 */
function lossOf(runner: Runner, events: EventEmitter): Promise<unknown> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined
    const end = (cause: unknown): void => {
      clearTimeout(timer)
      events.off('localQueue:getJobs:complete', fetched)
      resolve(cause)
    }
    const fetched = (): void => {
      clearTimeout(timer)
      timer = setTimeout(() => end(`it fetched no jobs for ${SILENCE_MS} ms`), SILENCE_MS).unref()
    }
    fetched()
    events.on('localQueue:getJobs:complete', fetched)
    runner.promise.then(() => end('it ended'), end)
  })
}
