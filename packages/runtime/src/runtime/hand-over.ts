/**
 * Hands over the holds of a person who left. The log of each conversation records it. It needs no agent: an agent that is not
 * defined any more must not keep a hold with a person who is gone.
 */
import type { Address } from '@holdpoint/core/internal/log/store'
import { principalOf, type Principal } from '@holdpoint/core/internal/principal'
import { decideHandOver, type HandOver } from '@holdpoint/core/internal/turn/assign-and-comment'
import type { CancelResult } from '../conversation/active-conversation.ts'
import { checkPrincipal } from '../conversation/check-principal.ts'
import { ConversationLog } from '../conversation/conversation-log.ts'
import { withEvents } from '../log/decision-events.ts'
import type { Engine } from '../node/engine.ts'
import { checkId, checkRequestOptions, OPTIONS } from './check-request.ts'
import { pendingHolds } from './pending-holds.ts'

export interface HandOverOptions {
  /** The new assignee. Default: the holds have no assignee then. */
  readonly to?: string
  readonly by?: string | Principal
}

export type HandOverResult =
  /** How many holds were handed over. */
  { readonly ok: true; readonly holds: number } | Extract<CancelResult, { readonly ok: false }>

const PAGE = 100

export async function handOver(
  engine: Engine,
  tenant: string,
  person: string,
  options: HandOverOptions,
): Promise<HandOverResult> {
  const { to, by } = checkRequestOptions(options, OPTIONS.handOver)
  const change = {
    from: checkId('The id of a person', person),
    to: to === undefined ? undefined : checkId('The id of a person', to),
    by: principalOf(checkPrincipal(by)),
  }
  let [holds, after] = [0, undefined as string | undefined]
  do {
    const query = { tenant, limit: PAGE, ...(after !== undefined && { after }) }
    const { items, next } = await pendingHolds(engine, query, undefined)
    for (const { conversationId: id, callId, assignee } of items) {
      if (assignee !== person) continue
      const changed = await handOverOne(engine, { tenant, id }, { ...change, callId })
      if (!changed.ok) return changed
      if (changed.events.length > 0) holds++
    }
    after = next
  } while (after !== undefined)
  return { ok: true, holds }
}

async function handOverOne(engine: Engine, address: Address, change: HandOver) {
  const log = new ConversationLog(address, engine.store, engine.ports)
  await log.refresh()
  const { decision } = await log.change((state) => withEvents(decideHandOver(state, change)))
  engine.heard(address, log.state.seq)
  return decision
}
