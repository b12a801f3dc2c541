/** Which open holds a principal is shown: the labels that a store finds them by (`core/turn/people.ts` writes them). */
import { isGroupId, type Principal } from '@holdpoint/core/internal/principal'
import type { PendingQuery } from '@holdpoint/core/internal/log/store'
import {
  askedLabel,
  decideLabel,
  EACH_RESOLVER,
  personLabel,
  questionLabel,
} from '@holdpoint/core/internal/turn/people'
import type { HoldKind } from '@holdpoint/core/internal/turn/hold'

/** `mine`: the principal may resolve it. `asked`: it asked for the call. `all`: everything that it may see. */
export type HoldView = 'mine' | 'asked' | 'all'

/** Undefined: no restriction. `kinds` are the kinds of hold that the principal may resolve, as for `resolve()`. */
export function visibleHolds(
  view: HoldView,
  by: Principal | undefined,
  kinds: readonly HoldKind[] | undefined,
  now: number,
): PendingQuery['any'] | undefined {
  if (view === 'all' && by?.access !== 'own') return undefined
  if (!by) return NOTHING
  const asked = [askedLabel(by.id)]
  const mine = mineLabels(by, kinds === undefined, now)
  switch (view) {
    case 'mine':
      return { labels: mine, conversationLabels: [] }
    case 'asked':
      return { labels: asked, conversationLabels: [] }
    case 'all':
      return { labels: [...mine, ...asked], conversationLabels: [personLabel(by.id)] }
  }
}

const NOTHING = { labels: [], conversationLabels: [] } as const

function mineLabels(by: Principal, resolver: boolean, now: number): readonly string[] {
  const people = [by, ...(by.delegations ?? []).flatMap(({ from, until }) => (now < until ? [from] : []))]
  const names = people.flatMap(({ id, groups = [] }) => [
    ...(isGroupId(id) ? [] : [id]),
    ...groups.map((group) => `group:${group}`),
  ])
  return [...new Set([...names, ...(resolver ? [EACH_RESOLVER] : [])].map(decideLabel)), questionLabel(by.id)]
}
