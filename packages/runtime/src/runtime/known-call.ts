/** A call that is or was held, found by its id, settled or not. */
import { HoldpointError } from '@holdpoint/core/internal/failure'
import type { Json } from '@holdpoint/core/internal/json'
import type { LogEvent } from '@holdpoint/core/internal/log/log-event'
import type { Store } from '@holdpoint/core/internal/log/store'
import type { CallOutcome } from '@holdpoint/core/internal/tool/outcome'
import { callIn } from '@holdpoint/core/internal/turn/call'
import type { HoldKind } from '@holdpoint/core/internal/turn/hold'
import { callStatus, type CallStatus } from '@holdpoint/core/internal/turn/call-status'

export interface KnownCall {
  readonly callId: string
  readonly conversationId: string
  /** The turn that made it. */
  readonly runId: string
  readonly name: string
  /** The input of its last hold. */
  readonly input: Json
  readonly status: CallStatus
  /** The kind of its last hold. */
  readonly kind: HoldKind
  readonly heldAt: number
  readonly expiresAt: number
  /** Its outcome, which may be an answer that arrived after its turn. */
  readonly outcome?: CallOutcome
}

/** Undefined when no call with this id was ever held. */
export async function knownCall(
  store: Store,
  tenant: string,
  callId: string,
  conversationId: string | undefined,
): Promise<KnownCall | undefined> {
  const places = conversationId === undefined ? await store.findCall(tenant, callId) : [conversationId]
  if (places.length > 1)
    throw new HoldpointError(
      'config-invalid',
      `Several conversations have a call ${callId}. Name one with "conversationId".`,
    )
  const [id] = places
  return id === undefined ? undefined : toKnown(await store.readCall({ tenant, id }, callId), callId, id)
}

function toKnown(events: readonly LogEvent[], callId: string, conversationId: string): KnownCall | undefined {
  const call = callIn(events, callId)
  const made = events.find((event) => event.type === 'model.replied')
  const held = events.findLast((event) => event.type === 'call.held')
  if (!call || !made || !held) return undefined
  const status = callStatus(call)
  const over = events.findLast((event) => event.type === 'answer.arrived' || event.type === 'call.settled')
  const { kind, input, expiresAt } = held.hold
  return {
    callId,
    conversationId,
    runId: made.turnId,
    name: call.name,
    input,
    status,
    kind,
    heldAt: held.at,
    expiresAt,
    ...(status !== 'waiting' && over && { outcome: over.outcome }),
  }
}
