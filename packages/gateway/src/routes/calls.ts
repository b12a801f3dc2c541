/** Work for workers: claim calls, say how it goes, bring the result. A claim that nothing is heard of runs out. */
import type { Json, PendingRow, Runtime } from '@holdpoint/core'
import type { ClaimedCall } from '@holdpoint/protocol'
import type { Claim } from '../claims.ts'
import { no, ok, page } from '../http/answer.ts'
import { route, type Route } from '../http/route.ts'
import type { Services } from '../services.ts'
import { after, id, json, limit, listOf, verdict, z } from '../schemas.ts'
import { openHold, resolved } from './holds.ts'
import { resolutionOf } from './runs.ts'

const params = z.object({ callId: id })
const ttlMs = z.number().int().min(1000).max(600_000).optional()
const claim = z.string().min(1).max(100)
const TTL_MS = 60_000
/** It is kept with the claim, for whoever comes late. */
const LARGEST_PROGRESS = 64_000
/** How often a worker that waits looks again although nothing was heard of. */
const LOOK_MS = 1000
/** How long it leaves the store alone between two looks. */
const PAUSE_MS = 50

const claimedCall = z
  .object({
    callId: z.string(),
    conversationId: z.string(),
    runId: z.string(),
    name: z.string(),
    input: json,
    agent: z.string(),
    expiresAt: z.number(),
    claim: z.string(),
    claimedUntil: z.number(),
  })
  .openapi('ClaimedCall')

const workerRow = z
  .object({ id: z.string(), by: z.string(), tools: z.array(z.string()), since: z.number(), seenAt: z.number() })
  .openapi('Worker')

export const callRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/workers',
    name: 'listWorkers',
    tag: 'calls',
    summary: 'Workers that were heard of within the last hour',
    scopes: ['agent', 'reader'],
    query: z.strictObject({ after, limit }),
    answers: { 200: { says: 'A page of them.', schema: listOf(workerRow) } },
    handle: async ({ query, who, services: { workers } }) =>
      page(await workers.list(who.tenant, query.after, query.limit ?? 50)),
  }),
  route({
    method: 'post',
    path: '/api/calls/claim',
    name: 'claimCalls',
    tag: 'calls',
    summary: 'Take the oldest calls of some tools that no other worker is at',
    scopes: ['worker'],
    body: z
      .strictObject({
        tools: z.array(id).min(1).max(100),
        max: z.number().int().min(1).max(100).optional(),
        ttlMs,
        wait: z.number().min(0).max(30).optional(),
      })
      .openapi('ClaimCalls'),
    answers: {
      200: {
        says: 'What is yours now; nothing when nothing waits.',
        schema: z.object({ items: z.array(claimedCall) }),
      },
    },
    handle: async ({ body, who, runtime, services }) => {
      await services.workers.seen(who, body.tools)
      const ends = services.now() + (body.wait ?? 0) * 1000
      for (;;) {
        const taken = await services.claims.take(who.tenant, body.tools, {
          max: body.max ?? 1,
          ttlMs: body.ttlMs ?? TTL_MS,
        })
        const items = (await Promise.all(taken.map((each) => claimed(runtime, each)))).filter(
          (each) => each !== undefined,
        )
        const left = ends - services.now()
        if (items.length > 0 || left <= 0 || services.closing.aborted) return ok({ items })
        await news(services, who.tenant, Math.min(left, LOOK_MS))
      }
    },
  }),
  route({
    method: 'post',
    path: '/api/calls/{callId}/progress',
    name: 'callProgress',
    tag: 'calls',
    summary: 'Keep the claim, and say how it goes to whoever is watching',
    scopes: ['worker'],
    params,
    body: z.strictObject({ claim, value: json.optional(), ttlMs }),
    answers: { 200: { says: 'The claim lasts on.', schema: z.object({ claimedUntil: z.number() }) } },
    problems: ['claim-lost'],
    handle: async ({ params: { callId }, body, who, services: { claims, hubs } }) => {
      const value = body.value as Json | undefined
      if (value !== undefined && JSON.stringify(value).length > LARGEST_PROGRESS)
        return no('too-large', `What is said of a call is ${LARGEST_PROGRESS} characters of JSON at most.`)
      const held = await claims.held(who.tenant, callId, body.claim)
      if (!held.ok) return no('claim-lost', held.why)
      const longer = await claims.extend(who.tenant, held, body.ttlMs ?? TTL_MS, value)
      if (!longer) return no('claim-lost', `Somebody else changed the claim of call ${callId}.`)
      if (value !== undefined) hubs.show(who.tenant, longer.conversationId, { type: 'call-progress', callId, value })
      return ok({ claimedUntil: longer.until })
    },
  }),
  route({
    method: 'post',
    path: '/api/calls/{callId}/result',
    name: 'callResult',
    tag: 'calls',
    summary: 'The result of a claimed call',
    scopes: ['worker'],
    params,
    body: z
      .strictObject({ claim, result: json.optional(), error: z.string().max(100_000).optional() })
      .refine((body) => (body.result !== undefined) !== (body.error !== undefined), {
        error: 'give either a "result" or an "error"',
      }),
    answers: { 200: { says: 'The result is taken; `duplicate` when it was taken before.', schema: verdict } },
    problems: ['claim-lost', 'conflict', 'expired', 'stale', 'unknown', 'invalid', 'wrong-kind'],
    handle: async ({ params: { callId }, body, who, runtime, services: { claims } }) => {
      const held = await claims.held(who.tenant, callId, body.claim)
      if (!held.ok) return no('claim-lost', held.why)
      const told = await runtime.resolve(held.claim.conversationId, callId, resolutionOf(body), { by: who.by })
      // An answer that does not fit may be given again; after any other, nothing is left to do.
      if (told.verdict !== 'invalid') await claims.release(who.tenant, callId, held.version)
      return resolved(told)
    },
  }),
  route({
    method: 'post',
    path: '/api/calls/{callId}/release',
    name: 'releaseCall',
    tag: 'calls',
    summary: 'Give a claimed call back, for another worker',
    scopes: ['worker'],
    params,
    body: z.strictObject({ claim }),
    answers: { 204: { says: 'It is free.' } },
    problems: ['claim-lost'],
    handle: async ({ params: { callId }, body, who, services: { claims } }) => {
      const held = await claims.held(who.tenant, callId, body.claim)
      if (!held.ok) return no('claim-lost', held.why)
      await claims.release(who.tenant, callId, held.version)
      return { status: 204 }
    },
  }),
]

/** Undefined when it was answered between the two looks. */
async function claimed(
  runtime: Runtime,
  { row, claim: { secret, until } }: { readonly row: PendingRow; readonly claim: Claim },
): Promise<ClaimedCall | undefined> {
  const { conversationId, callId } = row
  const hold = await openHold(runtime, conversationId, callId)
  if (!hold) return undefined
  const { name, input, agent, expiresAt } = hold
  const runId = callId.split('.')[0] ?? callId
  return { callId, conversationId, runId, name, input, agent, expiresAt, claim: secret, claimedUntil: until }
}

/** Something was written in this tenant, or some time has passed. Not at once: a thousand writes are worth one look. */
function news({ store, closing }: Services, tenant: string, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const least = performance.now() + PAUSE_MS
    let soon: ReturnType<typeof setTimeout> | undefined
    const done = (): void => {
      clearTimeout(timer)
      clearTimeout(soon)
      unlisten()
      closing.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    const unlisten = store.listen((what) => {
      if (what.tenant === tenant) soon ??= setTimeout(done, Math.max(0, least - performance.now()))
    })
    closing.addEventListener('abort', done, { once: true })
  })
}
