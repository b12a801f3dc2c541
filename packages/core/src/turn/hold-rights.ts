/**
 * What a caller may do with an open hold, for a screen that shows no button that would be refused. The decision itself is
 * asked, and nothing is written, so the two cannot differ.
 */
import { actorOf } from '../principal.ts'
import { mayApprove, mayResolve } from './approvers.ts'
import { sharePerson } from './quorum.ts'
import type { Hold, Resolution } from './hold.ts'
import { decideResolve, type Resolve } from './resolve.ts'
import type { Call } from './turn-state.ts'

export interface HoldRights {
  /** Reject or answer it, whichever it accepts. */
  readonly resolve: boolean
  /** Approve it as it is shown. */
  readonly approve: boolean
  /** Why one of the two is refused, in one sentence to the caller. */
  readonly why?: string
}

export type HoldViewer = Pick<Resolve, 'by' | 'kinds' | 'now' | 'absent'>

export function rightsOnHold(call: Call, hold: Hold, asked: HoldViewer): HoldRights {
  const accepted = (resolution: Resolution): boolean =>
    hold.accepts.includes(resolution.kind) &&
    decideResolve(call, { ...asked, callId: call.callId, hold: call.holds, resolution }).verdict === 'accepted'
  const approve = accepted({ kind: 'approve' })
  const resolve = accepted({ kind: 'reject' }) || accepted({ kind: 'answer', value: null })
  const takesApproval = hold.accepts.includes('approve')
  if (takesApproval ? approve : resolve) return { resolve, approve }
  return { resolve, approve, why: takesApproval ? whyNotApprove(call, hold, asked) : whyNotAnswer(hold, asked) }
}

function whyNotApprove(call: Call, hold: Hold, { by, now }: HoldViewer): string {
  if (now >= hold.expiresAt) return OVERDUE
  const may = mayApprove([hold], { by, now, askedBy: hold.askedBy ?? [] })
  if (!may.ok)
    switch (may.because) {
      case 'no-name':
        return 'Say who you are: the people who approve this are counted.'
      case 'requester':
        return 'You asked for this, so another person must approve it.'
      case 'requester-unknown':
        return 'No person may approve this: the requester is excluded, and the log does not say who that is.'
      case 'no-person':
        return 'Several people must approve this, and a program is no person.'
      case 'not-named':
        return `Only ${namesOf(hold.to)} may approve this.`
    }
  const mine = { ...actorOf(by, may.onBehalfOf), by: by?.id ?? '' }
  const before = call.endorsed.find((each) => each.inputHash === hold.inputHash && sharePerson(each, mine))
  if (before && before.by === by?.id) return 'You approved this already.'
  if (before?.onBehalfOf !== undefined) return `${before.by} approved this already, for ${before.onBehalfOf}.`
  return before ? `${before.by} approved this already.` : NO_RIGHT
}

function whyNotAnswer({ to, expiresAt }: Hold, { by, now }: HoldViewer): string {
  if (now >= expiresAt) return OVERDUE
  return mayResolve([to], { by, now }).ok ? NO_RIGHT : `Only ${namesOf(to)} may answer this.`
}

const OVERDUE = 'The deadline has passed.'
const NO_RIGHT = 'You have no right to answer this: it needs a credential with the scope resolver.'

function namesOf(to: Hold['to'] = []): string {
  return to.map((name) => name.replace(/^group:/, '')).join(' or ')
}
