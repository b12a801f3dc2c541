import { useMemo } from 'react'
import type {
  Client,
  Connection,
  HoldChanged,
  Holds,
  HoldsFilter,
  PendingHold,
  ResolveResult,
  ResolveOptions,
  Resolution,
} from '@holdpoint/client'
import { useClient } from './provider.ts'
import { useWatched } from './use-watched.ts'

type Which = Pick<PendingHold, 'conversationId' | 'callId'> & Partial<Pick<PendingHold, 'nth'>>
type Verdict = Promise<ResolveResult>

export interface HoldsState extends HoldActions {
  /** Open holds of all conversations, oldest first. */
  readonly holds: readonly PendingHold[]
  /** There are more holds than the limit. */
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
  /** One verdict for each hold. A hold that fails does not stop the others. */
  readonly resolveMany: Holds['resolveMany']
  /** Assigns the hold to the caller, or to another person. */
  readonly assign: (hold: Which, options?: Parameters<Holds['assign']>[2]) => Promise<HoldChanged>
  readonly release: (hold: Which, options?: ResolveOptions) => Promise<HoldChanged>
  readonly comment: (hold: Which, text: string, options?: ResolveOptions) => Promise<HoldChanged>
}

const NONE: readonly never[] = []
const MOST = 200

/** A live list of open holds: all that the caller may see, or with `mine` those that it may resolve or asked for. */
export function useHolds(filter: HoldsFilter = {}): HoldsState {
  const client = useClient()
  const query: HoldsFilter = { limit: MOST, ...filter }
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
    resolveMany: (all, options) => holds.resolveMany(all, options),
    assign: (hold, options) => holds.assign(hold.conversationId, hold.callId, { ...which(hold), ...options }),
    release: (hold, options) => holds.release(hold.conversationId, hold.callId, { ...which(hold), ...options }),
    comment: (hold, text, options) =>
      holds.comment(hold.conversationId, hold.callId, text, { ...which(hold), ...options }),
  }
}
