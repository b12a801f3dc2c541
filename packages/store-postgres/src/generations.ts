/**
 * Which history a server continues: the identifier of its cluster, and its timeline, which each promotion increases. Each new connection
 * tells. So a fail-over or a restore is noticed before any statement is sent to the new server, which may lack the newest writes.
 *
 * - A change is told once. The runtime then compares what it has in memory.
 * - Connections to the server of before are broken off: it may still accept writes that will be gone.
 * - A server of the same cluster with an older timeline is refused for as long as this process runs. It is the primary of before, which
 *   came back by mistake.
 */
import { isRefused } from './pg-error.ts'

export interface Generation {
  /** Undefined if this role may not ask for it. */
  readonly system: string | undefined
  readonly timeline: number | undefined
}

export interface OfGeneration {
  readonly generation: Generation | undefined
  breakOff(why: string): void
}

export interface Generations {
  /** A new connection. Throws if its server must not be used. */
  connected(client: OfGeneration): void
  ended(client: OfGeneration): void
  /** `what` names the server of before and the one of now. */
  listen(changed: (what: string) => void): () => void
}

interface Asking {
  query<Row extends object>(text: string): Promise<{ readonly rows: readonly Row[] }>
}

export async function askGeneration(client: Asking): Promise<Generation> {
  // The timeline of `pg_control_checkpoint` is that of the last checkpoint, which may be older than the promotion.
  const timeline = await asked(client, 'select substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) as value')
  return {
    system: await asked(client, 'select system_identifier::text as value from pg_control_system()'),
    timeline: timeline === undefined ? undefined : Number.parseInt(timeline, 16),
  }
}

/** Each alone: a function that this role may not call fails its whole statement. */
async function asked(client: Asking, text: string): Promise<string | undefined> {
  try {
    return (await client.query<{ readonly value: string }>(text)).rows[0]?.value
  } catch (error) {
    if (isRefused(error)) return undefined
    throw error
  }
}

export function openGenerations(onWarning: (message: string) => void): Generations {
  const clients = new Set<OfGeneration>()
  const listeners = new Set<(what: string) => void>()
  let current: Generation | undefined
  let warned = false

  const warnOnce = ({ system, timeline }: Generation): void => {
    if (warned || (system !== undefined && timeline !== undefined)) return
    warned = true
    const functions = system === undefined ? ['pg_control_system'] : []
    if (timeline === undefined) functions.push('pg_walfile_name')
    onWarning(
      `This role may not call ${functions.join(' and ')}, so a fail-over is noticed only conversation by conversation. ` +
        'Grant it the right to execute them.',
    )
  }
  return {
    connected: (client) => {
      const is = client.generation
      if (!is) return
      warnOnce(is)
      const was = current
      if (was && isOlder(is, was)) throw new OlderServer(was, is)
      clients.add(client)
      current = is
      if (!was || isSame(was, is)) return
      for (const other of clients)
        if (other.generation && !isSame(other.generation, is))
          other.breakOff('Another server has taken the place of this one.')
      const what = `${nameOf(was)} before, ${nameOf(is)} now`
      for (const listener of listeners) listener(what)
    },
    ended: (client) => void clients.delete(client),
    listen: (changed) => {
      listeners.add(changed)
      return () => void listeners.delete(changed)
    },
  }
}

/** What is not known of one of them is not compared. */
function isSame(a: Generation, b: Generation): boolean {
  return !differs(a.system, b.system) && !differs(a.timeline, b.timeline)
}

function isOlder(is: Generation, than: Generation): boolean {
  if (is.system === undefined || is.system !== than.system) return false
  return is.timeline !== undefined && than.timeline !== undefined && is.timeline < than.timeline
}

function differs(a: unknown, b: unknown): boolean {
  return a !== undefined && b !== undefined && a !== b
}

function nameOf({ system = 'unknown', timeline }: Generation): string {
  return `cluster ${system}, timeline ${timeline ?? 'unknown'}`
}

class OlderServer extends Error {
  /** As of a server that cannot be written to: another host is tried. */
  readonly code = '25006'

  constructor(was: Generation, is: Generation) {
    super(
      `this server is at timeline ${is.timeline}, and the store was at timeline ${was.timeline} before: ` +
        'it is the primary from before a fail-over. To use it although it lacks the writes since then, restart this process',
    )
  }
}
