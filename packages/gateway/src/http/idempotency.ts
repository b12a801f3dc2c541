/**
 * Idempotency keys: a repeated write runs once. The first answer is stored for a day and replayed. The same key with a
 * different request is refused. A second request during the first gets `same-key-in-progress`. If the process dies
 * during the first, the key is free again after a minute and the write may run twice, so every route must tolerate
 * that.
 */
import { createHash } from 'node:crypto'
import { canonical, type Json, type JsonObject } from '@holdpoint/core'
import { listDocument } from '@holdpoint/runtime'
import type { Caller } from '../auth/caller.ts'
import { create, type DocumentStore } from '../document-store.ts'
import { refuse, type RouteAnswer } from './route-answer.ts'

const KIND = 'gateway.once'
const IN_PROGRESS_MS = 60_000
const REPLAY_MS = 86_400_000
const KEY = /^[\x20-\x7e]{1,200}$/

/** The `Idempotency-Key` header, if there is one; a problem when it is malformed. */
export function idempotencyKeyOf(
  request: Request,
): { readonly key: string | undefined } | { readonly answer: RouteAnswer } {
  const key = request.headers.get('idempotency-key') ?? undefined
  if (key === undefined || KEY.test(key)) return { key }
  return { answer: refuse('bad-request', 'An Idempotency-Key must have 1 to 200 printable ASCII characters.') }
}

export interface IdempotentRequest {
  readonly caller: Caller
  readonly key: string
  readonly what: Json
  /** The conversations whose content the answer contains. Erasing one of them removes the record. */
  readonly about: (body: unknown) => readonly string[]
  readonly isErased: (conversationId: string) => Promise<boolean>
}

export async function runIdempotently(
  documents: DocumentStore,
  { caller, key, what, about, isErased }: IdempotentRequest,
  work: () => Promise<RouteAnswer>,
): Promise<RouteAnswer> {
  const { tenant } = caller
  const id = callerKey(caller, key)
  const request = hash(what)
  const started = { tenant, kind: KIND, id, data: { request }, ttlMs: IN_PROGRESS_MS }
  const claimed = await create(documents, started)
  if (claimed.result === 'conflict') {
    const first = await documents.get(tenant, KIND, id)
    if (!first) return runIdempotently(documents, { caller, key, what, about, isErased }, work)
    return replay(first.data as JsonObject, request)
  }
  const answer = await work().catch(async (error: unknown) => {
    await forget(documents, started, claimed.version)
    throw error
  })
  if (!('status' in answer) || answer.status >= 500) await forget(documents, started, claimed.version)
  else {
    const { status, body } = answer
    const data = { request, status, ...(body !== undefined && { body: JSON.parse(JSON.stringify(body)) as Json }) }
    const conversations = about(body)
    for (const conversation of conversations)
      await listDocument(documents, { tenant, id: conversation }, { kind: KIND, id }, REPLAY_MS)
    await documents.put({ tenant, kind: KIND, id, expected: claimed.version, data, ttlMs: REPLAY_MS })
    // An erasure in the meantime ran before this record was complete, and could not remove it.
    for (const conversation of conversations)
      if (await isErased(conversation)) await documents.put({ tenant, kind: KIND, id, data: undefined })
  }
  return answer
}

/** The key together with the caller: two callers may use the same key for different requests. */
export function callerKey({ id }: Caller, key: string): string {
  return hash([id, key])
}

function replay({ request, status, body }: JsonObject, now: string): RouteAnswer {
  if (request !== now) return refuse('key-reused', 'This Idempotency-Key was used for another request. Use a new one.')
  if (typeof status !== 'number')
    return refuse('same-key-in-progress', 'The same request is in progress. Retry in a moment.', {
      headers: { 'retry-after': '1' },
    })
  return { status, body, headers: { 'idempotency-replayed': 'true' } }
}

/** Forgets a failed request, so that a retry runs it again. */
async function forget(
  documents: DocumentStore,
  { tenant, kind, id }: { readonly tenant: string; readonly kind: string; readonly id: string },
  expected: number,
): Promise<void> {
  await documents.put({ tenant, kind, id, expected, data: null, ttlMs: 1000 })
}

function hash(value: Json): string {
  return createHash('sha256').update(canonical(value)).digest('hex')
}
