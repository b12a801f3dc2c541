/** The rows of the inbox: what is waiting, in which view, and which hold is open. */
import { useState } from 'react'
import type { HoldRow, PendingHold } from '@holdpoint/client'
import { useKept, type Kept } from '@holdpoint/ui'
import { matches, type Wanted } from '../holds-filter.tsx'
import type { Count } from './count.ts'
import { isAt, keyOf, type At } from './hold-key.ts'
import type { View } from './notices.tsx'
import { PAGE } from './read-holds.ts'
import { useHoldList, type HoldsOfView, type Size } from './use-hold-list.ts'
import { useSingleHolds } from './use-single-holds.ts'

export interface Inbox extends Pick<HoldsOfView, 'error' | 'loading' | 'refresh'> {
  /** All holds that were read, of every view. A hold may be in it twice. */
  readonly waiting: readonly HoldRow[]
  /** In the chosen view, and matched by the filters. */
  readonly shown: readonly HoldRow[]
  /** Like `shown`, with holds that were answered elsewhere a moment ago. */
  readonly rows: readonly Kept<HoldRow>[]
  readonly opened: Kept<HoldRow> | undefined
  readonly counts: Readonly<Record<View, Count>>
  /** The list has more holds. */
  readonly more: boolean
  readonly showMore: () => void
  /** Until the list is updated, holds that were answered here are left out. */
  readonly leaveOut: (holds: readonly PendingHold[]) => void
}

interface Asked {
  readonly at: At | undefined
  readonly view: View
  readonly wanted: Wanted
}

export function useInbox({ at, view, wanted }: Asked): Inbox {
  const [size, setSize] = useState<Size>({ name: '', count: PAGE })
  const lists = useLists(wanted, size)
  const { name, found, refresh, error, loading } = lists[view]
  const [answered, setAnswered] = useState<ReadonlyMap<string, PendingHold>>(new Map())
  const isAnswered = (hold: PendingHold): boolean => answered.get(keyOf(hold)) === hold
  const isShown = (hold: PendingHold): boolean => !isAnswered(hold) && matches(hold, wanted)
  const kept = useKept(
    found.holds.filter((hold) => !isAnswered(hold)),
    keyOf,
    name,
  )
  const rows = kept.filter(({ item, gone }) => matches(item, wanted) && !(gone && isBeyond(item, lists[view])))
  const alone = useSingleHolds(at && !kept.some(({ item }) => isAt(item, at)) ? [at] : [])
  const keptAlone = useKept(alone.holds, keyOf, JSON.stringify(at))
  // A hold that was answered elsewhere keeps its place for a while. One that was answered here is replaced by the notice.
  const candidates = (at ? [...kept, ...keptAlone].filter(({ item }) => isAt(item, at)).reverse() : rows).filter(
    ({ item }) => !isAnswered(item),
  )
  const opened = useSticky(candidates)
  const read = [lists[view], lists.all, lists.asked, lists.mine].flatMap((list) => list.found.holds)
  const countOf = ({ found: { holds, more } }: HoldsOfView): Count => ({ count: holds.filter(isShown).length, more })
  return {
    error,
    loading: loading || (at !== undefined && alone.loading),
    refresh,
    waiting: read.filter((hold) => !isAnswered(hold)),
    shown: found.holds.filter(isShown),
    rows,
    opened,
    counts: { mine: countOf(lists.mine), asked: countOf(lists.asked), all: countOf(lists.all) },
    more: found.more,
    showMore: () => setSize({ name, count: (size.name === name ? size.count : PAGE) + PAGE }),
    leaveOut: (all) =>
      setAnswered((before) => new Map([...before, ...all.map((hold) => [keyOf(hold), hold] as const)])),
  }
}

/** Each view is read, for its number. More pages are read of one list only. */
function useLists(wanted: Wanted, size: Size): Readonly<Record<View, HoldsOfView>> {
  const mine = useHoldList('mine', wanted, size)
  const asked = useHoldList('asked', wanted, size)
  const all = useHoldList('all', wanted, size)
  return { mine, asked, all }
}

/** It was pushed out of the pages that were read, by a hold that is older. So it may still be waiting. */
function isBeyond({ heldAt }: PendingHold, { found: { holds, more } }: HoldsOfView): boolean {
  return more && heldAt >= (holds.at(-1)?.heldAt ?? -Infinity)
}

/** The first one, and the same one for as long as it is there: another hold that appears before it must not take its place. */
function useSticky(candidates: readonly Kept<HoldRow>[]): Kept<HoldRow> | undefined {
  const [key, setKey] = useState<string>()
  const shown = candidates.find((each) => each.key === key) ?? candidates[0]
  if (shown?.key !== key) setKey(shown?.key)
  return shown
}
