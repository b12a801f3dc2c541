/** Writes down that the time of holds and plans has come. */
import { dueTimes } from '../plan/due-times.ts'
import type { Ports } from '../ports.ts'
import { decideExpire, decideFire } from '../turn/decide.ts'
import { decided } from './decided.ts'
import type { ConversationLog } from './conversation-log.ts'
import { openHolds } from './result.ts'

export async function settleExpired(log: ConversationLog, { now }: Ports): Promise<void> {
  for (const { callId, expiresAt } of openHolds(log.state))
    if (now() >= expiresAt) await log.change((state) => decided(decideExpire(state, callId, now())))
}

export async function firePlans(log: ConversationLog, ports: Ports): Promise<void> {
  const { now } = ports
  for (const { id, nextAt } of log.state.plans.values())
    if (now() >= nextAt) await log.change((state) => decided(decideFire(state, id, now(), dueTimes(ports))))
}
