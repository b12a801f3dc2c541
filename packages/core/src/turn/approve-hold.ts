/** Approves a hold. Approvals of several people are counted until there are enough: see `quorum.ts`. */
import type { EventBody } from '../log/log-event.ts'
import { deciderOf } from '../principal.ts'
import { mayApprove } from './approvers.ts'
import { secondHold, type Hold } from './hold.ts'
import { pendingResult } from './pending-result.ts'
import { countQuorum } from './quorum.ts'
import type { Resolve } from './resolve.ts'
import type { Call } from './turn-state.ts'
import { accepted, notAccepted, type ResolveDecision } from './verdict.ts'

export function approveHold(call: Call, hold: Hold, command: Resolve): ResolveDecision {
  const { resolution, by, now, edited } = command
  const inputHash = edited?.inputHash ?? hold.inputHash
  const { callId } = call
  // An edited input may need more approvers, or others, than the proposed input. It never needs fewer.
  const may = mayApprove(edited ? [hold, edited.rule] : [hold], { by, now, askedBy: hold.askedBy ?? [] })
  if (!may.ok) return notAccepted(by ? 'not-allowed' : 'invalid', `Call ${callId} ${may.why}`)
  const who = deciderOf(by, may.onBehalfOf)
  const approved: EventBody = {
    type: 'call.approved',
    callId,
    resolution,
    ...(edited && { effective: edited.effective }),
    inputHash,
    fingerprint: hold.fingerprint,
    ...who,
  }
  // A client or an external executor gets the input that was approved, with its edits.
  const second = secondHold(edited ? { ...hold, input: edited.effective, inputHash } : hold, now)
  const events: EventBody[] = second ? [approved, { type: 'call.held', callId, hold: second }] : [approved]
  if (second?.async) events.push(pendingResult(callId))
  const approvers = Math.max(hold.approvers, edited?.rule.approvers ?? 1)
  if (approvers <= 1) return accepted(...events)

  const mine = { ...who, by: by?.id ?? '' }
  const { repeated, remaining } = countQuorum(call.endorsed, mine, inputHash, approvers)
  if (repeated) return { ...notAccepted('duplicate', `${mine.by} has approved already.`), remaining }
  const endorsed: EventBody = { type: 'call.endorsed', callId, ...mine, inputHash }
  return { ...(remaining > 0 ? accepted(endorsed) : accepted(endorsed, ...events)), remaining }
}
