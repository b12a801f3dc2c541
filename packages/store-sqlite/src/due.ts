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

  const reachedBy = ({ agents, now, limit }: DueOp): Place[] =>
    (agents?.flatMap((agent) => reached.all(agent, now, limit)) ?? anyReached.all(now, limit))
      .map((row) => row as unknown as Place & { readonly wakeAt: number })
      .toSorted((a, b) => a.wakeAt - b.wakeAt)
      .map(({ tenant, id }) => ({ tenant, id }))

  const orphans = ({ agents, now, limit }: DueOp): Place[] => {
    const found: Place[] = []
    const take = (node: string | null): void => {
      for (const { tenant, id, agent } of running.iterate(node) as Iterable<unknown> as Iterable<Running>) {
        if (found.length >= limit) return
        if (agents?.includes(agent) ?? true) found.push({ tenant, id })
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
    const nexts = op.agents?.map((agent) => next.get(agent, op.now)) ?? [anyNext.get(op.now)]
    const times = nexts.flatMap((row) => (row as { next: number | null }).next ?? [])
    const conversations = inTurn(reachedBy(op), orphans(op)).slice(0, op.limit)
    return { result: 'due', conversations, next: times.length > 0 ? Math.min(...times) : undefined }
  }
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
