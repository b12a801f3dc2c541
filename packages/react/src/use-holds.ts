import { useMemo } from 'react'
import type {
  Client,
  Connection,
  Holds,
  HoldsQuery,
  PendingHold,
  ResolveAnswer,
  ResolveOptions,
  Resolution,
} from '@holdpoint/client'
import { useClient } from './provider.ts'
import { useWatched } from './use-watched.ts'

type Which = Pick<PendingHold, 'conversationId' | 'callId'> & Partial<Pick<PendingHold, 'nth'>>
type Verdict = Promise<ResolveAnswer>

export interface HoldsState extends HoldActions {
  /** Open holds of all conversations, oldest first. */
  readonly holds: readonly PendingHold[]
  /** There are more than are asked for. */
  readonly more: boolean
  readonly loading: boolean
  readonly error: Error | undefined
  readonly connection: Connection
  readonly refresh: () => void
}

interface HoldActions {
  readonly resolve: (hold: Which, resolution: Resolution, options?: ResolveOptions) => Verdict
  readonly approve: (hold: Which, options?: Parameters<Holds['approve']>[2]) => Verdict
  readonly reject: (hold: Which, reason?: string, options?: ResolveOptions) => Verdict
  readonly answer: (hold: Which, value: unknown, options?: ResolveOptions) => Verdict
}

const NONE: readonly never[] = []
const MOST = 200

/** Everything that waits and that I may answer, live. */
export function useHolds(filter: HoldsQuery = {}): HoldsState {
  const client = useClient()
  const query: HoldsQuery = { limit: MOST, ...filter }
  const { value, loading, error, connection, refresh } = useWatched(`holds ${JSON.stringify(query)}`, (from, signal) =>
    from.holds.list(query, { signal }),
  )
  const actions = useMemo(() => actionsOf(client), [client])
  const holds = value?.items ?? NONE
  return { ...actions, holds, more: value?.next !== undefined, loading, error, connection, refresh }
}

/** An answer names the hold that was seen: if the call is held again meanwhile, the answer does not apply to the new hold. */
function actionsOf({ holds }: Client): HoldActions {
  const which = ({ nth }: Which): ResolveOptions => (nth === undefined ? {} : { hold: nth })
  return {
    resolve: (hold, resolution, options) =>
      holds.resolve(hold.conversationId, hold.callId, resolution, { ...which(hold), ...options }),
    approve: (hold, options) => holds.approve(hold.conversationId, hold.callId, { ...which(hold), ...options }),
    reject: (hold, reason, options) =>
      holds.reject(hold.conversationId, hold.callId, reason, { ...which(hold), ...options }),
    answer: (hold, value, options) =>
      holds.answer(hold.conversationId, hold.callId, value, { ...which(hold), ...options }),
  }
}
