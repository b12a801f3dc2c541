/**
 * Promptness, by graphile-worker: a job says no more than "look at this conversation", is run by one of the processes
 * that listen, and is over in a moment. There is one at most for a conversation, at its deadline, once that is near. Work
 * that nobody is at has none: a job is for one process, which may be one that does not drive, so all are told of it with
 * the news.
 *
 * Nothing of it runs, and there are no tables for it, before the first deadline is near.
 *
 * The rows of the conversations are the truth, and whoever drives asks what is due anyway. So a job may be lost, be late
 * or run for nothing; it is added after the commit it follows from, many in one statement, and never in a named queue.
 */
import { EventEmitter } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Runner } from 'graphile-worker'
import { DatabaseError } from 'pg'
import { agentsWithDeadlines } from './agents-with-deadlines.ts'
import { gather } from './coalesce.ts'
import { poolOf, type Connections } from './connections.ts'
import { JobsClient, quietMigrations } from './jobs-client.ts'
import type { Settings } from './options.ts'
import { within } from './patience.ts'

export interface Dispatcher {
  /** After a write: its deadline changed, and is near or was. */
  note(what: Deadline): void
  /** Somebody else noted one that is near. */
  heard(): void
  /** Runs jobs in this process once there are any, and hands over the conversations they are about. */
  start(): void
  close(): Promise<void>
}

/** Whose deadline: the tenant as it is stored, and the key of the conversation. */
export interface Deadline {
  readonly tenant: string
  readonly k: number
}

type Look = (what: Deadline) => Promise<void>

const WINDOW_MS = 10
/** A deadline comes at most so late. */
const POLL_MS = 1000
const RESTART_MS = { first: 500, most: 10_000 }
const STOP_PATIENCE_MS = 5000
const SILENCE_MS = 10_000
/** How many deadlines get their job anew when a process begins to listen or to run jobs, and now and then from then on. */
const MOST_ANEW = 1000
/** Well before what was not near the last time comes. */
const ANEW_MS = 600_000
/**
 * Jobs are finished in batches, and fetched through a queue of its own: without these, the error of a lost connection
 * would be nobody's and end the process, or be printed.
 */
const QUIET = { completeJobBatchDelay: 0, failJobBatchDelay: 0, localQueue: { size: 1 } }
const NO_SUCH_THING = /^(?:3F000|42883|42P01|42704)$/

export function openDispatcher(settings: Settings, connections: Connections, look: Look): Dispatcher {
  if (settings.dispatcher === 'none') return { note: () => {}, heard: () => {}, start: () => {}, close: async () => {} }
  const { onWarning } = settings
  const noted = gather<Deadline>(
    WINDOW_MS,
    (items) => addJobs(settings, connections, items),
    (error) => {
      // Nobody has ever run jobs here, so nobody waits for one.
      const cause = error instanceof Error ? error.cause : undefined
      if (cause instanceof DatabaseError && NO_SUCH_THING.test(cause.code ?? '')) return
      onWarning('Jobs could not be added; what is due is found by asking.', error)
    },
  )
  const closing = new AbortController()
  let listening = false
  let ahead: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined

  const run = (): void => {
    if (!listening || closing.signal.aborted) return
    running ??= runJobs(settings, look, closing.signal, lookAhead).catch((error: unknown) =>
      onWarning('The dispatcher ended; what is due is found by asking.', error),
    )
  }
  const note: Dispatcher['note'] = (what) => {
    noted.add(`${what.k}`, what)
    run()
  }
  const lookAhead = async (): Promise<void> => {
    for (const what of await nextDeadlines(settings, connections).catch(() => [])) note(what)
  }
  return {
    note,
    heard: run,
    start: () => {
      if (listening) return
      listening = true
      void lookAhead()
      ahead = setInterval(() => void lookAhead(), ANEW_MS).unref()
    },
    close: async () => {
      clearInterval(ahead)
      await within(STOP_PATIENCE_MS, noted.flush())
      closing.abort()
      await running
    },
  }
}

/** The deadlines as they stand in the rows now, in one statement. Its commit waits for no disk, which appends need more. */
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

/** Jobs may be missing: nobody ran any when their deadlines were made, or those were far away. */
async function nextDeadlines({ schema, clockOffset }: Settings, { read }: Connections): Promise<Deadline[]> {
  const text = `with agents as materialized (${agentsWithDeadlines(schema)})
    select a.tenant, a.conv as k from agents cross join lateral (
      select tenant, conv, wake_at from ${schema}.agenda
        where agent = agents.agent and wake_at < (select ${schema}.near_until($1)) order by wake_at limit $2
    ) a order by a.wake_at limit $2`
  return read<{ readonly tenant: string; readonly k: number }>({ text, values: [clockOffset(), MOST_ANEW] })
}

/** Jobs of an earlier version do not say whose they are; whoever drives finds what they are about by asking. */
function deadlineOf(payload: unknown): Deadline | undefined {
  const { tenant, k } = payload as { readonly [name: string]: unknown }
  return typeof tenant === 'string' && typeof k === 'number' ? { tenant, k } : undefined
}

/** Runs jobs until it is told to stop. Whatever ends the worker before that, another one is started. */
async function runJobs(settings: Settings, look: Look, stop: AbortSignal, started: () => Promise<void>): Promise<void> {
  const { onWarning } = settings
  const graphile = await import('graphile-worker')
  // One connection waits for news of jobs; the others fetch and finish them.
  const pool = poolOf(settings, { max: 3, durable: false, Client: JobsClient })
  const logger = new graphile.Logger(() => (level, message) => {
    if (level === 'error' || level === 'warning') onWarning(`graphile-worker: ${message}`)
  })
  const told = new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }))
  for (let waitMs = RESTART_MS.first; !stop.aborted; waitMs = Math.min(RESTART_MS.most, waitMs * 2)) {
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
      const lost = lossOf(runner, events).then((cause) => {
        if (!stop.aborted) onWarning('graphile-worker stopped, and is started again.', cause)
      })
      const since = Date.now()
      if (!stop.aborted) await started()
      if (!stop.aborted) await Promise.race([lost, told])
      await within(STOP_PATIENCE_MS, runner.stop())
      if (Date.now() - since > RESTART_MS.most) waitMs = RESTART_MS.first
    } catch (error) {
      onWarning(`graphile-worker could not be started; trying again in ${waitMs} ms.`, error)
    }
    await sleep(waitMs, undefined, { signal: stop }).catch(() => {})
  }
  await within(STOP_PATIENCE_MS, pool.end())
}

/**
 * Comes when the worker has to be replaced: it ended, or has fetched nothing for long. It would try on by itself, but what
 * it asks only once, and remembers, may be the failure.
 */
function lossOf(runner: Runner, events: EventEmitter): Promise<unknown> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined
    const over = (cause: unknown): void => {
      clearTimeout(timer)
      events.off('localQueue:getJobs:complete', fetched)
      resolve(cause)
    }
    const fetched = (): void => {
      clearTimeout(timer)
      timer = setTimeout(() => over(`it fetched no jobs for ${SILENCE_MS} ms`), SILENCE_MS).unref()
    }
    fetched()
    events.on('localQueue:getJobs:complete', fetched)
    runner.promise.then(() => over('it ended'), over)
  })
}
