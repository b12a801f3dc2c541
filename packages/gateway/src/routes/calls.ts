/** Work for workers: claim calls, say how it goes, bring the result. A claim that nothing is heard of runs out. */
import type { PendingRow, Runtime } from '@holdpoint/core'
import type { ClaimedCall } from '@holdpoint/protocol'
import type { Claim } from '../claims.ts'
import { no, ok, page } from '../http/answer.ts'
import { route, type Route } from '../http/route.ts'
import type { Services } from '../services.ts'
import { after, id, json, limit, listOf, verdict, z } from '../schemas.ts'
import { resolved } from './holds.ts'
import { resolutionOf } from './runs.ts'

const params = z.object({ callId: id })
const ttlMs = z.number().int().min(1000).max(600_000).optional()
const claim = z.string().min(1).max(100)
const TTL_MS = 60_000
/** How often a worker that waits looks again although nothing was heard of. */
const LOOK_MS = 1000

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
        await news(services, Math.min(left, LOOK_MS))
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
      const held = await claims.held(who.tenant, callId, body.claim)
      if (!held.ok) return no('claim-lost', held.why)
      const longer = await claims.extend(who.tenant, held, body.ttlMs ?? TTL_MS)
      if (!longer) return no('claim-lost', `Somebody else changed the claim of call ${callId}.`)
      if (body.value !== undefined)
        hubs.show(who.tenant, longer.conversationId, { type: 'call-progress', callId, value: body.value as never })
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
  const { conversationId, callId, tool } = row
  const { items } = await runtime.pending({ conversationId, tool, limit: 1000 })
  const hold = items.find((each) => each.callId === callId)
  if (!hold) return undefined
  const { name, input, agent, expiresAt } = hold
  const runId = callId.split('.')[0] ?? callId
  return { callId, conversationId, runId, name, input, agent, expiresAt, claim: secret, claimedUntil: until }
}

/** Something was written somewhere, or some time has passed. */
function news({ store, closing }: Services, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer)
      unlisten()
      closing.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    const unlisten = store.listen(() => done())
    closing.addEventListener('abort', done, { once: true })
  })
}
