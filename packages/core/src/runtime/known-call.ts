/** A call that waits or has ever waited, found by its id alone, settled or not. */
import { HoldpointError } from '../failure.ts'
import type { Json } from '../json.ts'
import type { LogEvent } from '../log/log-event.ts'
import type { Store } from '../log/store.ts'
import type { CallOutcome } from '../tool/outcome.ts'
import { callIn } from '../turn/call.ts'
import type { HoldKind } from '../turn/hold.ts'
import { callStatus, type CallStatus } from '../turn/resolve.ts'

export interface KnownCall {
  readonly callId: string
  readonly conversationId: string
  /** The turn that made it. */
  readonly runId: string
  readonly name: string
  /** As it was when it was last held. */
  readonly input: Json
  readonly status: CallStatus
  /** What it waits for, or waited for last. */
  readonly kind: HoldKind
  readonly heldAt: number
  readonly expiresAt: number
  /** What it came to, the answer that came after its turn included. */
  readonly outcome?: CallOutcome
}

/** Undefined when no call of that id ever waited there. */
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
      `Several conversations have a call ${callId}. Say which one is meant with "conversationId".`,
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
