/**
 * Writes that are sent again are done once: the first answer under a key is kept for a day and given again. The same key
 * with another request is refused. While the first is under way the second is told so; should its process die, the key
 * is free again after a minute, and doing it twice is then up to what it does: every write here can be.
 */
import { createHash } from 'node:crypto'
import { canonical, type Json, type JsonObject } from '@holdpoint/core'
import type { Principal } from '../auth/principal.ts'
import { create, type Documents } from '../documents.ts'
import { no, type Answer } from './answer.ts'

const KIND = 'gateway.once'
const DOING_MS = 60_000
const KEPT_MS = 86_400_000
const KEY = /^[\x20-\x7e]{1,200}$/

/** Undefined when there is none; a problem when it cannot be one. */
export function keyOf(request: Request): { readonly key: string | undefined } | { readonly answer: Answer } {
  const key = request.headers.get('idempotency-key') ?? undefined
  if (key === undefined || KEY.test(key)) return { key }
  return { answer: no('bad-request', 'An Idempotency-Key is 1 to 200 printable ASCII characters.') }
}

export async function once(
  documents: Documents,
  { who, key, what }: { readonly who: Principal; readonly key: string; readonly what: Json },
  work: () => Promise<Answer>,
): Promise<Answer> {
  const { tenant } = who
  const id = ownKey(who, key)
  const request = hash(what)
  const doing = { tenant, kind: KIND, id, data: { request }, ttlMs: DOING_MS }
  const begun = await create(documents, doing)
  if (begun.result === 'conflict') {
    const first = await documents.get(tenant, KIND, id)
    if (!first) return once(documents, { who, key, what }, work)
    return again(first.data as JsonObject, request)
  }
  const answer = await work().catch(async (error: unknown) => {
    await forget(documents, doing, begun.version)
    throw error
  })
  if ('response' in answer || answer.status >= 500) await forget(documents, doing, begun.version)
  else {
    const { status, body } = answer
    const data = { request, status, ...(body !== undefined && { body: JSON.parse(JSON.stringify(body)) as Json }) }
    await documents.put({ tenant, kind: KIND, id, expected: begun.version, data, ttlMs: KEPT_MS })
  }
  return answer
}

/** Two who use the same key do not mean the same by it. */
export function ownKey({ id }: Principal, key: string): string {
  return hash([id, key])
}

function again({ request, status, body }: JsonObject, now: string): Answer {
  if (request !== now) return no('key-reused', 'This Idempotency-Key was used for another request. Use a new one.')
  if (typeof status !== 'number')
    return no('same-key-in-progress', 'The same request is being worked on. Ask again in a moment.', {
      headers: { 'retry-after': '1' },
    })
  return { status, body, headers: { 'idempotency-replayed': 'true' } }
}

/** What went wrong may go well the next time. */
async function forget(
  documents: Documents,
  { tenant, kind, id }: { readonly tenant: string; readonly kind: string; readonly id: string },
  expected: number,
): Promise<void> {
  await documents.put({ tenant, kind, id, expected, data: null, ttlMs: 1000 })
}

function hash(value: Json): string {
  return createHash('sha256').update(canonical(value)).digest('hex')
}
