/**
 * The conversations that need a driver: their deadline has passed, or they have work and no live owner. Runs in the writer
 * thread, because only it can check whether an owner is alive.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { IsAlive } from './leases.ts'
import type { OpResult, ConversationKey, DueOp } from './writer-messages.ts'

interface Running extends ConversationKey {
  readonly agent: string
}

interface Waking extends Running {
  readonly wakeAt: number
}

interface DueQuery extends Omit<DueOp, 'agents'> {
  readonly agents: ReadonlySet<string> | null
}

/** Up to this number, each agent is queried separately. Above it, all deadlines are scanned in order and filtered. */
const SCAN_ABOVE = 50

export function dueIn(db: DatabaseSync, isAlive: IsAlive): (op: DueOp) => OpResult {
  const reached = db.prepare(
    `select tenant, id, wake_at as wakeAt from conversations where agent = ? and wake_at <= ? order by wake_at limit ?`,
  )
  const next = db.prepare('select min(wake_at) as next from conversations where agent = ? and wake_at > ?')
  const anyReached = db.prepare(
    `select tenant, id, wake_at as wakeAt from conversations where wake_at <= ? order by wake_at limit ?`,
  )
  const anyNext = db.prepare('select min(wake_at) as next from conversations where wake_at > ?')
  // Skips along the index from owner to owner, however many conversations each has.
  const owner = db.prepare(`select min(owner) as owner from conversations where status = 'running' and owner > ?`)
  const running = db.prepare(`select tenant, id, agent from conversations where status = 'running' and owner is ?`)

  const inOrder = db.prepare(
    `select tenant, id, agent, wake_at as wakeAt from conversations where wake_at > ? and wake_at <= ? order by wake_at`,
  )

  const reachedBy = ({ agents, now, limit }: DueQuery): ConversationKey[] => {
    const rows =
      agents && agents.size > SCAN_ABOVE
        ? firstOf(inOrder.iterate(-Infinity, now), agents, limit)
        : agents
          ? Array.from(agents, (agent) => reached.all(agent, now, limit)).flat()
          : anyReached.all(now, limit)
    return rows
      .map((row) => row as unknown as Waking)
      .toSorted((a, b) => a.wakeAt - b.wakeAt)
      .map(({ tenant, id }) => ({ tenant, id }))
  }

  const nextOf = ({ agents, now }: DueQuery): readonly number[] => {
    if (agents && agents.size > SCAN_ABOVE)
      return firstOf(inOrder.iterate(now, Infinity), agents, 1).map(({ wakeAt }) => wakeAt)
    const nexts = agents ? Array.from(agents, (agent) => next.get(agent, now)) : [anyNext.get(now)]
    return nexts.flatMap((row) => (row as { next: number | null }).next ?? [])
  }

  const withoutOwner = ({ agents, now, limit }: DueQuery): ConversationKey[] => {
    const found: ConversationKey[] = []
    const take = (node: string | null): void => {
      for (const { tenant, id, agent } of running.iterate(node) as Iterable<unknown> as Iterable<Running>) {
        if (found.length >= limit) return
        if (agents?.has(agent) ?? true) found.push({ tenant, id })
      }
    }
    take(null)
    if (!isAlive('', now)) take('')
    for (let from = ''; ;) {
      const { owner: node } = owner.get(from) as { owner: string | null }
      if (node === null) return found
      if (!isAlive(node, now)) take(node)
      from = node
    }
  }

  return (op) => {
    const query: DueQuery = { ...op, agents: op.agents && new Set(op.agents) }
    const times = nextOf(query)
    const conversations = interleave(reachedBy(query), withoutOwner(query)).slice(0, op.limit)
    return { result: 'due', conversations, next: times.length > 0 ? Math.min(...times) : undefined }
  }
}

function firstOf(rows: Iterable<unknown>, agents: ReadonlySet<string>, limit: number): Waking[] {
  const found: Waking[] = []
  for (const row of rows as Iterable<Waking>) {
    if (agents.has(row.agent)) found.push(row)
    if (found.length >= limit) break
  }
  return found
}

/** Alternates between the two lists without duplicates, so that neither can starve the other. */
function interleave(one: readonly ConversationKey[], other: readonly ConversationKey[]): ConversationKey[] {
  const found = new Map<string, ConversationKey>()
  for (let index = 0; index < Math.max(one.length, other.length); index++) {
    for (const place of [one[index], other[index]]) {
      if (place) found.set(JSON.stringify([place.tenant, place.id]), place)
    }
  }
  return [...found.values()]
}
