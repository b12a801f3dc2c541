/** What the user does with holds, in the name that they answer under. */
import type { HoldChanged, PendingHold, Resolution, ResolveAnswer, ResolvedOne, ResolveOne } from '@holdpoint/client'
import { useHolds, type HoldsState } from '@holdpoint/react'
import type { HoldTalkHandlers } from '@holdpoint/ui'
import { useBy } from '../preferences.ts'
import { useMe } from '../use-me.ts'

export interface HoldActions {
  readonly state: HoldsState
  readonly answer: (hold: PendingHold, resolution: Resolution) => Promise<ResolveAnswer>
  readonly answerMany: (holds: readonly ResolveOne[]) => Promise<readonly ResolvedOne[]>
  readonly talkAbout: (hold: PendingHold) => HoldTalkHandlers
}

export function useHoldActions(): HoldActions {
  const by = useBy()
  const me = useMe()
  const as = by === undefined ? {} : { by }
  const state = useHolds(as)
  const changed = async (change: Promise<HoldChanged>): Promise<HoldChanged> => {
    const result = await change
    state.refresh()
    return result
  }
  return {
    state,
    answer: (hold, resolution) => state.resolve(hold, resolution, as),
    answerMany: (all) => state.resolveMany(all, as),
    talkAbout: (hold) => ({
      me,
      onAssign: (take) => changed(take ? state.assign(hold, as) : state.release(hold, as)),
      onComment: (text) => changed(state.comment(hold, text, as)),
    }),
  }
}
