/**
 * Gives up the calls of a conversation whose client stays away. Who is there is no matter of the log, so it is asked for at
 * the moment a call's grace is over; that no client was connected is written like any other end of a hold.
 */
import type { ConversationLog } from './conversation-log.ts'
import { openHolds } from './result.ts'
import { decideAbsent, findCall } from '../turn/decide.ts'
import { graceEnds, lookAt } from '../turn/hold.ts'

/** Tells when to look again, where a client is there although the time that it may be away has come. */
export async function giveUpAbsent(
  log: ConversationLog,
  now: () => number,
  seenAt: (tool: string, place?: string) => Promise<number>,
): Promise<number | undefined> {
  const deadlines: number[] = []
  let attended = false
  for (const hold of openHolds(log.state)) {
    const grace = graceEnds(hold)
    if (grace === undefined || now() < grace) {
      deadlines.push(lookAt(hold))
      continue
    }
    const place = findCall(log.state, hold.callId)?.place
    // A client of the space where a call is shown can carry it out.
    const there = place?.shown ? await seenAt(hold.name, place.space) : -Infinity
    const seen = Math.max(there, await seenAt(hold.name))
    const decision = await log.change((state) => {
      const decided = decideAbsent(state, hold.callId, now(), seen)
      return decided.ok ? decided : { ...decided, events: [] }
    })
    if (decision.ok || decision.refusal !== 'not-due') continue
    attended = true
    deadlines.push(Math.min(hold.expiresAt, graceEnds(hold, seen) ?? Infinity))
  }
  return attended ? Math.min(...deadlines) : undefined
}
