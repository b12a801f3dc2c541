/** Which nodes are alive, and which node drives a conversation. */
import type { DatabaseSync } from 'node:sqlite'
import type { NodeLocks } from './node-locks.ts'
import type { OpResult, BeatOp, TakeOverOp, ForgetOp, LeaveOp } from './writer-messages.ts'

export type IsAlive = (node: string | null, now: number) => boolean

export interface Leases {
  readonly isAlive: IsAlive
  /** Clears the cache of lock checks. Each lock is checked once per transaction, however many writes need it. */
  refresh(): void
  beat(op: BeatOp): OpResult
  leave(op: LeaveOp): OpResult
  takeOver(op: TakeOverOp): OpResult
  /** Removes the lock files of dead nodes, and returns the nodes. The caller then deletes their rows. */
  expiredNodes(now: number): readonly string[]
  forget(op: ForgetOp): OpResult
}

interface Row {
  readonly k: number
  readonly status: string
  readonly owner: string | null
  readonly epoch: number
}

const DONE: OpResult = { result: 'done' }

export function leasesIn(db: DatabaseSync, locks: NodeLocks): Leases {
  const lease = db.prepare('select expires_at as expiresAt from nodes where id = ?')
  const renew = db.prepare('insert or replace into nodes(id, expires_at) values(?, ?)')
  const drop = db.prepare('delete from nodes where id = ?')
  const expire = db.prepare('delete from nodes where id = ? and expires_at <= ?')
  const stale = db.prepare('select id from nodes where expires_at <= ?')
  const find = db.prepare('select k, status, owner, epoch from conversations where tenant = ? and id = ?')
  const take = db.prepare('update conversations set owner = ?, epoch = epoch + 1 where k = ? returning epoch')
  const seen = new Map<string, boolean>()

  const isHeld = (node: string): boolean => {
    const known = seen.get(node) ?? locks.isHeld(node)
    seen.set(node, known)
    return known
  }
  const isAlive: IsAlive = (node, now) => {
    if (node === null) return false
    const row = lease.get(node) as { expiresAt: number } | undefined
    return row !== undefined && row.expiresAt > now && isHeld(node)
  }

  return {
    isAlive,
    refresh: () => seen.clear(),
    beat: ({ node, expiresAt }) => {
      locks.hold(node)
      seen.delete(node)
      renew.run(node, expiresAt)
      return DONE
    },
    leave: ({ node }) => {
      locks.release(node)
      seen.delete(node)
      drop.run(node)
      return DONE
    },
    takeOver: ({ tenant, id, node, now }) => {
      const row = find.get(tenant, id) as Row | undefined
      if (row?.status !== 'running') return { result: 'taken-over', epoch: undefined }
      if (row.owner === node) return { result: 'taken-over', epoch: row.epoch }
      if (isAlive(row.owner, now)) return { result: 'taken-over', epoch: undefined }
      const { epoch } = take.get(node, row.k) as { epoch: number }
      return { result: 'taken-over', epoch }
    },
    expiredNodes: (now) => {
      const ids = (stale.all(now) as { id: string }[]).map(({ id }) => id)
      return ids.filter((id) => locks.cleanUp(id))
    },
    forget: ({ node, now }) => {
      expire.run(node, now)
      return DONE
    },
  }
}
