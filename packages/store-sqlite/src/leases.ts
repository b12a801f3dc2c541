/** Who lives, and who drives what. */
import type { DatabaseSync } from 'node:sqlite'
import type { NodeLocks } from './node-locks.ts'
import type { Answer, BeatOp, ClaimOp, ForgetOp, LeaveOp } from './wire.ts'

export type Lives = (node: string | null, now: number) => boolean

export interface Leases {
  readonly lives: Lives
  /** Forgets what was asked of the kernel: a lock is looked at once in a transaction, however many writes meet it. */
  refresh(): void
  beat(op: BeatOp): Answer
  leave(op: LeaveOp): Answer
  claim(op: ClaimOp): Answer
  /** Nodes that are dead and hold nothing any more: their files are removed, their rows are to be forgotten. */
  gone(now: number): readonly string[]
  forget(op: ForgetOp): Answer
}

interface Row {
  readonly k: number
  readonly status: string
  readonly owner: string | null
  readonly epoch: number
}

const DONE: Answer = { result: 'done' }

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
  const lives: Lives = (node, now) => {
    if (node === null) return false
    const row = lease.get(node) as { expiresAt: number } | undefined
    return row !== undefined && row.expiresAt > now && isHeld(node)
  }

  return {
    lives,
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
    claim: ({ tenant, id, node, now }) => {
      const there = find.get(tenant, id) as Row | undefined
      if (there?.status !== 'running') return { result: 'claimed', epoch: undefined }
      if (there.owner === node) return { result: 'claimed', epoch: there.epoch }
      if (lives(there.owner, now)) return { result: 'claimed', epoch: undefined }
      const { epoch } = take.get(node, there.k) as { epoch: number }
      return { result: 'claimed', epoch }
    },
    gone: (now) => {
      const ids = (stale.all(now) as { id: string }[]).map(({ id }) => id)
      return ids.filter((id) => locks.cleanUp(id))
    },
    forget: ({ node, now }) => {
      expire.run(node, now)
      return DONE
    },
  }
}
