/** The rows of the inbox: what is waiting, in which view, and which hold is open. */
import { useState } from 'react'
import type { PendingHold } from '@holdpoint/client'
import { useKept, type Kept } from '@holdpoint/ui'
import { matches, type Wanted } from '../holds-filter.tsx'
import { useMe } from '../use-me.ts'
import { isAskedBy, isAt, isMine, keyOf, type At } from './hold-key.ts'
import type { View } from './notices.tsx'

export interface Inbox {
  readonly waiting: readonly PendingHold[]
  /** In the chosen view, and matched by the filters. */
  readonly shown: readonly PendingHold[]
  /** Like `shown`, with holds that were answered elsewhere a moment ago. */
  readonly rows: readonly Kept<PendingHold>[]
  readonly opened: Kept<PendingHold> | undefined
  readonly counts: Readonly<Record<View, number>>
  /** Until the list is updated, holds that were answered here are left out. */
  readonly leaveOut: (holds: readonly PendingHold[]) => void
}

export function useInbox(
  holds: readonly PendingHold[],
  { at, view, wanted }: { readonly at: At | undefined; readonly view: View; readonly wanted: Wanted },
): Inbox {
  const me = useMe()
  const [answered, setAnswered] = useState<ReadonlyMap<string, PendingHold>>(new Map())
  const isAnswered = (hold: PendingHold): boolean => answered.get(keyOf(hold)) === hold
  const waiting = holds.filter((hold) => !isAnswered(hold))
  const isIn: Readonly<Record<View, (hold: PendingHold) => boolean>> = {
    mine: isMine,
    asked: (hold) => isAskedBy(hold, me),
    all: () => true,
  }
  const isShown = (hold: PendingHold): boolean => isIn[view](hold) && matches(hold, wanted)
  const kept = useKept(waiting, keyOf)
  const rows = kept.filter(({ item }) => isShown(item))
  // A hold that was answered elsewhere keeps its place for a while. One that was answered here is replaced by the notice.
  const others = (at ? kept.filter(({ item }) => isAt(item, at)).reverse() : rows).filter(
    ({ item }) => !isAnswered(item),
  )
  const matched = waiting.filter((hold) => matches(hold, wanted))
  const countIn = (which: View): number => matched.filter(isIn[which]).length
  return {
    waiting,
    shown: waiting.filter(isShown),
    rows,
    opened: others[0],
    counts: { mine: countIn('mine'), asked: countIn('asked'), all: countIn('all') },
    leaveOut: (all) =>
      setAnswered((before) => new Map([...before, ...all.map((hold) => [keyOf(hold), hold] as const)])),
  }
}
