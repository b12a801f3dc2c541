/**
 * Keeps the labels of conversations and open holds in the tables that lists read. An entry of a hold contains the hold's time,
 * so that entries are in the order of the list; it has to be removed before the hold's row or its conversation's labels change.
 * Labels are JSON here, or null for none.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { HoldCells } from './writer-messages.ts'

export interface LabelIndex {
  /** Replaces the labels of a conversation, also for its open holds. */
  relabel(tenant: string, conv: number, labels: { readonly from: string | null; readonly to: string | null }): void
  /** Call it before the row of the hold is written. `labels` are the conversation's. */
  replaceHold(tenant: string, conv: number, hold: HoldCells, labels: string | null): void
  /** Removes all labels of a conversation and its holds, whose rows still exist. */
  clear(tenant: string, conv: number, labels: string | null): void
}

type Hold = Pick<HoldCells, 'callId' | 'heldAt' | 'labels'>

/** The column `own`. */
export const OF_CONVERSATION = 0
export const OF_HOLD = 1

export function labelsIn(db: DatabaseSync): LabelIndex {
  const keep = db.prepare('update conversations set labels = ? where k = ?')
  const add = db.prepare('insert or ignore into conversation_labels(tenant, label, conv) values(?, ?, ?)')
  const remove = db.prepare('delete from conversation_labels where tenant = ? and label = ? and conv = ?')
  const addHold = db.prepare(
    'insert or ignore into hold_labels(tenant, own, label, held_at, conv, call_id) values(?, ?, ?, ?, ?, ?)',
  )
  const removeHold = db.prepare(
    'delete from hold_labels where tenant = ? and own = ? and label = ? and held_at = ? and conv = ? and call_id = ?',
  )
  const columns = 'call_id as callId, held_at as heldAt, labels'
  const open = db.prepare(`select ${columns} from holds where conv = ? and tenant is not null`)
  const openCall = db.prepare(`select ${columns} from holds where conv = ? and call_id = ? and tenant is not null`)

  const change = (
    how: typeof addHold,
    [tenant, conv]: readonly [string, number],
    { callId, heldAt }: Hold,
    [own, labels]: readonly [number, string | null],
  ): void => {
    for (const label of namesIn(labels)) how.run(tenant, own, label, heldAt, conv, callId)
  }

  const holdsOf = (conv: number): readonly Hold[] => open.all(conv) as unknown as readonly Hold[]

  const relabel: LabelIndex['relabel'] = (tenant, conv, { from, to }) => {
    keep.run(to, conv)
    for (const label of namesIn(from)) remove.run(tenant, label, conv)
    for (const label of namesIn(to)) add.run(tenant, label, conv)
    for (const hold of holdsOf(conv)) {
      change(removeHold, [tenant, conv], hold, [OF_CONVERSATION, from])
      change(addHold, [tenant, conv], hold, [OF_CONVERSATION, to])
    }
  }

  return {
    relabel,
    replaceHold: (tenant, conv, hold, labels) => {
      const before = openCall.get(conv, hold.callId) as Hold | undefined
      if (before) {
        change(removeHold, [tenant, conv], before, [OF_HOLD, before.labels])
        change(removeHold, [tenant, conv], before, [OF_CONVERSATION, labels])
      }
      if (!hold.open) return
      change(addHold, [tenant, conv], hold, [OF_HOLD, hold.labels])
      change(addHold, [tenant, conv], hold, [OF_CONVERSATION, labels])
    },
    clear: (tenant, conv, labels) => {
      for (const hold of holdsOf(conv)) change(removeHold, [tenant, conv], hold, [OF_HOLD, hold.labels])
      relabel(tenant, conv, { from: labels, to: null })
    },
  }
}

function namesIn(labels: string | null): readonly string[] {
  return labels === null ? [] : (JSON.parse(labels) as string[])
}
