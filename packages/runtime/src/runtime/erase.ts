/**
 * Erases a conversation and the documents about it. It needs neither the agent nor the owner of the log: the append fences
 * every driver, whose next append meets a conflict, reads the tombstone and drops its work.
 */
import { agentOfLog } from '@holdpoint/core/internal/log/agent-log'
import type { Address, Store } from '@holdpoint/core/internal/log/store'
import { decideErase, type Erase } from '@holdpoint/core/internal/turn/erase'
import { refuse, type Decision } from '@holdpoint/core/internal/turn/decision'
import { foldLoaded } from '@holdpoint/core/internal/log/machine'
import { principalOf } from '@holdpoint/core/internal/principal'
import { conversationMachine } from '@holdpoint/core/internal/turn/conversation-machine'
import type { Erasure } from '@holdpoint/core/internal/turn/erased'
import type { Conversation } from '@holdpoint/core/internal/turn/turn-state'
import { checkPrincipal } from '../conversation/check-principal.ts'
import { beforeErasure } from './before-erasure.ts'
import { checkReason, checkRequestOptions, OPTIONS } from './check-request.ts'
import type { EraseOptions } from './runtime-options.ts'
import type { CancelResult } from '../conversation/active-conversation.ts'
import { ConversationLog } from '../conversation/conversation-log.ts'
import { deliverNotices } from '../drive/deliver-notices.ts'
import { withEvents } from '../log/decision-events.ts'
import { OtherMachine } from '../log/other-machine.ts'
import type { Engine } from '../node/engine.ts'
import { NO_NODE } from '../node/no-node.ts'

/** Documents that contain content of conversations: `{ kind, id }` of each, under the id of its conversation. */
const CONVERSATION_DOCUMENTS = 'conversation.documents'
const PAGE = 100

export function eraseRequest(options: EraseOptions): Erase {
  const { by, reason, cancel = false } = checkRequestOptions(options, OPTIONS.erase)
  if (reason !== undefined) checkReason(reason)
  return { by: principalOf(checkPrincipal(by)), cancel, ...(reason !== undefined && { reason }) }
}

export async function erasureAt(store: Store, address: Address): Promise<Erasure | undefined> {
  const loaded = await store.load(address)
  if (!loaded || !conversationMachine.owns(loaded.agent)) return undefined
  return foldLoaded(conversationMachine, loaded).erased
}

export interface EraseAt extends Erase {
  /** Refuse when the conversation has other events by now. */
  readonly seq?: number
}

export async function erase(engine: Engine, address: Address, { seq, ...given }: EraseAt): Promise<CancelResult> {
  const { id } = address
  const ofAgent = agentOfLog(id) !== undefined
  // If this process dies after it cancelled the turn of an agent, another process goes on.
  const log = new ConversationLog(address, engine.store, engine.ports, ofAgent ? { node: NO_NODE } : {})
  try {
    await log.refresh()
  } catch (error) {
    if (error instanceof OtherMachine)
      return refused('is-a-space', `"${id}" is a space. Erase it as a space: spaces.erase().`)
    throw error
  }
  if (log.state.seq === 0) return refused('nothing-to-erase', `There is no conversation "${id}".`)
  const decide = (state: Conversation): Decision =>
    seq === undefined || state.seq === seq
      ? decideErase(state, given)
      : refuse('turn-in-progress', 'The conversation changed in the meantime.')
  const told = new Set<string>()
  for (;;) {
    const { decision, before } = await log.change((state) => {
      const erasing = decide(state)
      const first = ofAgent && erasing.ok ? beforeErasure(state, told) : undefined
      return { ...withEvents(first?.decision ?? erasing), before: first }
    })
    if (!decision.ok) return decision
    engine.heard(address, log.state.seq, before !== undefined)
    if (!before) break
    await deliverNotices(before.notices, (delivery) => engine.deliver(address, delivery))
    for (const { n } of before.notices) told.add(n)
  }
  // Also when it was erased before: a process may have died in between.
  await removeDocuments(engine.store, address)
  await engine.files.release(address)
  return { ok: true }
}

/** Makes a document go with the conversation. Call it before writing the document. */
export async function listDocument(
  store: Pick<Store, 'put'>,
  { tenant, id }: Address,
  document: { readonly kind: string; readonly id: string },
  ttlMs: number,
): Promise<void> {
  await store.put({
    tenant,
    kind: CONVERSATION_DOCUMENTS,
    id: `${prefixOf(id)}${document.kind}/${document.id}`,
    data: { kind: document.kind, id: document.id },
    ttlMs,
  })
}

export async function removeDocuments(store: Store, { tenant, id }: Address): Promise<void> {
  for (;;) {
    const query = { tenant, kind: CONVERSATION_DOCUMENTS, prefix: prefixOf(id), limit: PAGE }
    const { items } = await store.documents(query)
    for (const { id: listed, data } of items) {
      const { kind, id: document } = data as { readonly kind: string; readonly id: string }
      await store.put({ tenant, kind, id: document, data: undefined })
      await store.put({ tenant, kind: CONVERSATION_DOCUMENTS, id: listed, data: undefined })
    }
    if (items.length < PAGE) return
  }
}

/** Encoded, so that no id contains the separator. */
function prefixOf(id: string): string {
  return `${encodeURIComponent(id)}/`
}

function refused(refusal: Extract<CancelResult, { ok: false }>['refusal'], message: string): CancelResult {
  return { ok: false, refusal, message }
}
