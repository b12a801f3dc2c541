/**
 * What somebody has to look at: deadlines that have come, and work that nobody is at. Asked in the writer's thread, which
 * alone can tell whether an owner lives.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Lives } from './leases.ts'
import type { Answer, DueOp, Place } from './wire.ts'

interface Running extends Place {
  readonly agent: string
}

interface Waking extends Running {
  readonly wakeAt: number
}

interface Asked extends Omit<DueOp, 'agents'> {
  readonly agents: ReadonlySet<string> | null
}

/** Few agents are asked for one by one. Of so many, most of what waits is theirs: all of it is gone through in order. */
const MANY = 50

export function dueIn(db: DatabaseSync, lives: Lives): (op: DueOp) => Answer {
  const reached = db.prepare(
    `select tenant, id, wake_at as wakeAt from conversations where agent = ? and wake_at <= ? order by wake_at limit ?`,
  )
  const next = db.prepare('select min(wake_at) as next from conversations where agent = ? and wake_at > ?')
  const anyReached = db.prepare(
    `select tenant, id, wake_at as wakeAt from conversations where wake_at <= ? order by wake_at limit ?`,
  )
  const anyNext = db.prepare('select min(wake_at) as next from conversations where wake_at > ?')
  // From owner to owner along the index, however many conversations each has.
  const owner = db.prepare(`select min(owner) as owner from conversations where status = 'running' and owner > ?`)
  const running = db.prepare(`select tenant, id, agent from conversations where status = 'running' and owner is ?`)

  const inOrder = db.prepare(
    `select tenant, id, agent, wake_at as wakeAt from conversations where wake_at > ? and wake_at <= ? order by wake_at`,
  )

  const reachedBy = ({ agents, now, limit }: Asked): Place[] => {
    const rows =
      agents && agents.size > MANY
        ? firstOf(inOrder.iterate(-Infinity, now), agents, limit)
        : agents
          ? Array.from(agents, (agent) => reached.all(agent, now, limit)).flat()
          : anyReached.all(now, limit)
    return rows
      .map((row) => row as unknown as Waking)
      .toSorted((a, b) => a.wakeAt - b.wakeAt)
      .map(({ tenant, id }) => ({ tenant, id }))
  }

  const nextOf = ({ agents, now }: Asked): readonly number[] => {
    if (agents && agents.size > MANY)
      return firstOf(inOrder.iterate(now, Infinity), agents, 1).map(({ wakeAt }) => wakeAt)
    const nexts = agents ? Array.from(agents, (agent) => next.get(agent, now)) : [anyNext.get(now)]
    return nexts.flatMap((row) => (row as { next: number | null }).next ?? [])
  }

  const orphans = ({ agents, now, limit }: Asked): Place[] => {
    const found: Place[] = []
    const take = (node: string | null): void => {
      for (const { tenant, id, agent } of running.iterate(node) as Iterable<unknown> as Iterable<Running>) {
        if (found.length >= limit) return
        if (agents?.has(agent) ?? true) found.push({ tenant, id })
      }
    }
    take(null)
    if (!lives('', now)) take('')
    for (let from = ''; ;) {
      const { owner: node } = owner.get(from) as { owner: string | null }
      if (node === null) return found
      if (!lives(node, now)) take(node)
      from = node
    }
  }

  return (op) => {
    const asked: Asked = { ...op, agents: op.agents && new Set(op.agents) }
    const times = nextOf(asked)
    const conversations = inTurn(reachedBy(asked), orphans(asked)).slice(0, op.limit)
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

/** One of each after the other, each place once: neither kind can keep the other from being looked at. */
function inTurn(one: readonly Place[], other: readonly Place[]): Place[] {
  const places = new Map<string, Place>()
  for (let index = 0; index < Math.max(one.length, other.length); index++) {
    for (const place of [one[index], other[index]]) {
      if (place) places.set(JSON.stringify([place.tenant, place.id]), place)
    }
  }
  return [...places.values()]
}
