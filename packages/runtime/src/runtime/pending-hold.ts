/** An open hold as an inbox shows it, with what its caller may do. */
import { heldAt, type Hold } from '@holdpoint/core/internal/turn/hold'
import { rightsOnHold, type HoldViewer } from '@holdpoint/core/internal/turn/hold-rights'
import type { Call } from '@holdpoint/core/internal/turn/turn-state'
import { heldCall } from '../session/result.ts'
import type { PendingHold } from './runtime-options.ts'

export function pendingHold(
  { conversationId, agent }: Pick<PendingHold, 'conversationId' | 'agent'>,
  { call, hold }: { readonly call: Call; readonly hold: Hold },
  caller?: HoldViewer,
): PendingHold {
  const endorsed = call.endorsed.filter(({ inputHash }) => inputHash === hold.inputHash)
  return {
    conversationId,
    agent,
    heldAt: heldAt(hold),
    ...heldCall(call, hold),
    endorsed,
    missing: Math.max(0, hold.approvers - endorsed.length),
    ...(caller && { may: rightsOnHold(call, hold, caller) }),
  }
}
