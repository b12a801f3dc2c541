/**
 * Fails the client calls of a conversation whose grace is over: no client that can run the call has been connected for that
 * long. Connected clients are not in the log, so they are looked up when a grace ends.
 */
import type { ConversationLog } from './conversation-log.ts'
import { openHolds } from '../session/result.ts'
import { decideClientGrace } from '@holdpoint/core/internal/turn/decide-client-grace'
import { findCall } from '@holdpoint/core/internal/turn/find-call'
import { graceEnds, lookAt } from '@holdpoint/core/internal/turn/hold'

/** Returns when to look again, if a client was connected at the end of a grace. */
export async function expireClientGrace(
  log: ConversationLog,
  now: () => number,
  seenAt: (tool: string, space?: string) => Promise<number>,
): Promise<number | undefined> {
  const deadlines: number[] = []
  let attended = false
  for (const hold of openHolds(log.state)) {
    const grace = graceEnds(hold)
    if (grace === undefined || now() < grace) {
      deadlines.push(lookAt(hold))
      continue
    }
    const inSpace = findCall(log.state, hold.callId)?.inSpace
    // A call that is shown in a space may also be run by a client of that space.
    const seenInSpace = inSpace?.shown ? await seenAt(hold.name, inSpace.space) : -Infinity
    const seen = Math.max(seenInSpace, await seenAt(hold.name))
    const decision = await log.change((state) => {
      const decided = decideClientGrace(state, hold.callId, now(), seen)
      return decided.ok ? decided : { ...decided, events: [] }
    })
    if (decision.ok || decision.refusal !== 'not-due') continue
    attended = true
    deadlines.push(Math.min(hold.expiresAt, graceEnds(hold, seen) ?? Infinity))
  }
  return attended ? Math.min(...deadlines) : undefined
}
