/**
 * The holds that a person selected to approve together. A selection is bound to what was shown: the number of the hold, its
 * input and its approvals so far. A hold that changed or was answered since is left out, and one that appeared later is
 * never part of it.
 */
import { useState } from 'react'
import type { PendingHold } from '@holdpoint/client'
import { boundTo, mayApprove } from '@holdpoint/ui'
import { keyOf } from './hold-key.ts'
import { useSingleHolds } from './use-single-holds.ts'

export interface Selected {
  readonly key: string
  /** As it is now, or as it was when it was selected if it is no longer waiting. */
  readonly hold: PendingHold
  readonly state: 'ready' | 'changed' | 'refused' | 'gone'
}

export interface Selection {
  /** In the order in which they were selected. */
  readonly items: readonly Selected[]
  readonly has: (hold: PendingHold) => boolean
  readonly toggle: (hold: PendingHold) => void
  /** Selects a hold as it is now. */
  readonly add: (hold: PendingHold) => void
  readonly drop: (items: readonly Selected[]) => void
}

/** `holds` are those that were read. A selected hold that is not among them is read alone. */
export function useSelection(holds: readonly PendingHold[]): Selection {
  const [seen, setSeen] = useState<ReadonlyMap<string, PendingHold>>(new Map())
  const unread = [...seen.values()].filter((hold) => !holds.some((each) => keyOf(each) === keyOf(hold)))
  const alone = useSingleHolds(unread)
  // Until it is known, a hold is shown as it was when it was selected.
  const open = [...holds, ...alone.holds, ...(alone.loading ? unread : [])]
  const add = (hold: PendingHold): void => setSeen((before) => new Map(before).set(keyOf(hold), hold))
  const drop = (keys: readonly string[]): void =>
    setSeen((before) => new Map([...before].filter(([key]) => !keys.includes(key))))
  return {
    items: Array.from(seen, ([key, hold]) => selected(key, hold, open)),
    has: (hold) => seen.has(keyOf(hold)),
    toggle: (hold) => (seen.has(keyOf(hold)) ? drop([keyOf(hold)]) : add(hold)),
    add,
    drop: (items) => drop(items.map(({ key }) => key)),
  }
}

function selected(key: string, seen: PendingHold, holds: readonly PendingHold[]): Selected {
  const hold = holds.find((each) => keyOf(each) === key)
  if (!hold) return { key, hold: seen, state: 'gone' }
  if (!mayApprove(hold)) return { key, hold, state: 'refused' }
  return { key, hold, state: boundTo(hold) === boundTo(seen) ? 'ready' : 'changed' }
}

export function isSelectable(hold: PendingHold): boolean {
  return hold.kind === 'approval' && hold.may?.approve === true
}
