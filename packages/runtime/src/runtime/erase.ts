/**
 * Erases a conversation and the documents about it. It needs neither the agent nor the owner of the log: the append fences
 * every driver, whose next append meets a conflict, reads the tombstone and drops its work.
 */
import { agentOfLog } from '@holdpoint/core/internal/log/agent-log'
import type { Address, Store } from '@holdpoint/core/internal/log/store'
import { decideErase, type Erase } from '@holdpoint/core/internal/turn/erase'
import { refuse } from '@holdpoint/core/internal/turn/decision'
import { foldLoaded } from '@holdpoint/core/internal/log/machine'
import { principalOf } from '@holdpoint/core/internal/principal'
import { conversationMachine } from '@holdpoint/core/internal/turn/conversation-machine'
import type { Erasure } from '@holdpoint/core/internal/turn/erased'
import { checkPrincipal } from '../conversation/check-principal.ts'
import { checkReason, checkRequestOptions, OPTIONS } from './check-request.ts'
import type { EraseOptions } from './runtime-options.ts'
import type { CancelAnswer } from '../conversation/active-conversation.ts'
import { ConversationLog } from '../conversation/conversation-log.ts'
import { withEvents } from '../log/decision-events.ts'
import { OtherMachine } from '../log/log.ts'
import type { Engine } from '../node/engine.ts'

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

export async function erase(engine: Engine, address: Address, { seq, ...given }: EraseAt): Promise<CancelAnswer> {
  const { id } = address
  if (agentOfLog(id) !== undefined)
    return refused('not-allowed', `"${id}" is the log of an autonomous agent, which cannot be erased.`)
  const log = new ConversationLog(address, engine.store, engine.ports)
  try {
    await log.refresh()
  } catch (error) {
    if (error instanceof OtherMachine) return refused('is-a-space', `"${id}" is a space, which cannot be erased.`)
    throw error
  }
  if (log.state.seq === 0) return refused('nothing-to-erase', `There is no conversation "${id}".`)
  const { decision } = await log.change((state) =>
    withEvents(
      seq === undefined || state.seq === seq
        ? decideErase(state, given)
        : refuse('turn-in-progress', 'The conversation changed in the meantime.'),
    ),
  )
  if (!decision.ok) return decision
  engine.heard(address, log.state.seq)
  // Also when it was erased before: a process may have died in between.
  await removeDocuments(engine.store, address)
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

async function removeDocuments(store: Store, { tenant, id }: Address): Promise<void> {
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

function refused(refusal: Extract<CancelAnswer, { ok: false }>['refusal'], message: string): CancelAnswer {
  return { ok: false, refusal, message }
}
