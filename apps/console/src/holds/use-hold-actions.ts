/** The actions of the user on holds. The answers have the name of the user. */
import type {
  HoldChanged,
  PendingHold,
  Resolution,
  ResolvedOne,
  ResolveOne,
  ResolveOptions,
  ResolveResult,
} from '@holdpoint/client'
import { useClient } from '@holdpoint/react'
import type { HoldDiscussionHandlers } from '@holdpoint/ui'
import { useBy } from '../preferences.ts'
import { useMe } from '../use-me.ts'

export interface HoldActions {
  readonly answer: (hold: PendingHold, resolution: Resolution) => Promise<ResolveResult>
  readonly answerMany: (holds: readonly ResolveOne[]) => Promise<readonly ResolvedOne[]>
  readonly discussionOf: (hold: PendingHold) => HoldDiscussionHandlers
}

/** `refresh` is called after a change. */
export function useHoldActions(refresh: () => void): HoldActions {
  const { holds } = useClient()
  const by = useBy()
  const me = useMe()
  const as = by === undefined ? {} : { by }
  const which = ({ nth }: PendingHold): ResolveOptions => ({ hold: nth, ...as })
  const changed = async (change: Promise<HoldChanged>): Promise<HoldChanged> => {
    const result = await change
    refresh()
    return result
  }
  return {
    answer: (hold, resolution) => holds.resolve(hold.conversationId, hold.callId, resolution, which(hold)),
    answerMany: (all) => holds.resolveMany(all, as),
    discussionOf: (hold) => {
      const { conversationId, callId } = hold
      const take = (): Promise<HoldChanged> => holds.assign(conversationId, callId, which(hold))
      const release = (): Promise<HoldChanged> => holds.release(conversationId, callId, which(hold))
      return {
        me,
        onAssign: (takes) => changed(takes ? take() : release()),
        onComment: (text) => changed(holds.comment(conversationId, callId, text, which(hold))),
      }
    },
  }
}
