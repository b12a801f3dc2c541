/**
 * Exports conversations, logs of autonomous agents and spaces as lines. Events are read page by page while the caller takes
 * the lines. Only the ids of a tenant are in memory, because the lines are in the order of the ids.
 */
import { toBase64 } from '@holdpoint/core/internal/base64'
import { SUMMARY } from '@holdpoint/core/internal/context/summary'
import { HoldpointError } from '@holdpoint/core/internal/failure'
import {
  EXPORT_FORMAT,
  EXPORT_VERSION,
  inOrder,
  type ConversationLine,
} from '@holdpoint/core/internal/log/conversation-line'
import { joined } from '@holdpoint/core/internal/log/memory-files'
import type { LogEvent } from '@holdpoint/core/internal/log/log-event'
import type { Address, Note, Store } from '@holdpoint/core/internal/log/store'
import { isTombstone } from '@holdpoint/core/internal/turn/erased'
import type { Files } from '../files/files.ts'
import type { Engine } from '../node/engine.ts'

const PAGE = 100
/** So many bytes are in one line. */
const PIECE = 768 * 1024

/** One conversation, or all of the tenant. Erased ones are left out. */
export async function* exportConversations(
  { store, files }: Pick<Engine, 'store' | 'files'>,
  tenant: string,
  only: string | undefined,
): AsyncGenerator<ConversationLine, void, undefined> {
  yield { type: 'export', format: EXPORT_FORMAT, version: EXPORT_VERSION }
  let [conversations, events] = [0, 0]
  for (const id of only === undefined ? await logIds(store, tenant) : [only]) {
    const address = { tenant, id }
    const [first] = await store.read(address, 0, 1)
    if (!first || isTombstone(first)) {
      if (only === undefined) continue
      throw new HoldpointError('config-invalid', `There is no conversation "${id}" to export.`)
    }
    yield { type: 'conversation', data: { id } }
    conversations++
    // An event is written after its files, so the events up to this one name no file that is missing from the list.
    const [head = 0] = await store.heads([address])
    yield* filesOf(files, address)
    for await (const event of eventsOf(store, address, head)) {
      yield { type: 'event', conversationId: id, event: inOrder(event) }
      events++
    }
    for (const note of await summariesOf(store, address)) yield { type: 'note', conversationId: id, note }
  }
  yield { type: 'end', conversations, events }
}

/** In the order of the lines of an export. */
export async function logIds(store: Store, tenant: string): Promise<readonly string[]> {
  const ids: string[] = []
  for (let after: string | undefined; ;) {
    const { items, next } = await store.list({ tenant, limit: PAGE, ...(after !== undefined && { after }) })
    ids.push(...items.map(({ id }) => id))
    if (next === undefined) return ids.toSorted((a, b) => (a < b ? -1 : 1))
    after = next
  }
}

async function* filesOf(files: Files, address: Address): AsyncGenerator<ConversationLine, void, undefined> {
  const { tenant, id: conversationId } = address
  for (const { id, mediaType, name, bytes, sha256, by, at } of await files.ofConversation(address)) {
    const file = {
      id,
      mediaType,
      ...(name !== undefined && { name }),
      bytes,
      sha256,
      ...(by !== undefined && { by }),
      at,
    }
    yield { type: 'file', conversationId, file }
    for await (const piece of inPieces(files.read(tenant, { id, sha256 })))
      yield { type: 'bytes', conversationId, base64: toBase64(piece) }
  }
}

/** In pieces of the same size, whatever the store reads at once. */
async function* inPieces(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let waiting: Uint8Array[] = []
  let size = 0
  for await (const part of bytes) {
    waiting.push(part)
    size += part.length
    if (size < PIECE) continue
    const all = joined(waiting)
    let from = 0
    for (; size - from >= PIECE; from += PIECE) yield all.subarray(from, from + PIECE)
    waiting = [all.subarray(from)]
    size -= from
  }
  if (size > 0) yield joined(waiting)
}

async function* eventsOf(store: Store, address: Address, head: number): AsyncGenerator<LogEvent, void, undefined> {
  for (let after = 0; after < head;) {
    const events = await store.read(address, after, PAGE)
    const last = events.at(-1)
    if (!last) return
    if (events.some(isTombstone))
      throw new HoldpointError('config-invalid', `"${address.id}" was erased while it was exported. Export again.`)
    for (const event of events) if (event.seq <= head) yield event
    after = last.seq
  }
}

/** Oldest first. */
async function summariesOf(store: Store, address: Address): Promise<readonly Note[]> {
  const found: Note[] = []
  for (let before: number | undefined; ;) {
    const page = await store.notes(address, { kind: SUMMARY, limit: PAGE, ...(before !== undefined && { before }) })
    found.push(...page.map(({ kind, seq, at, data }) => ({ kind, seq, at, data })))
    before = page.at(-1)?.seq
    if (page.length < PAGE) return found.toReversed()
  }
}
