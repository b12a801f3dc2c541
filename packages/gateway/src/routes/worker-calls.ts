/** The API for workers: claim calls, report progress, return results. A claim expires unless the worker renews it. */
import type { Json } from '@holdpoint/core'
import type { Runtime } from '@holdpoint/spaces'
import type { ClaimedCall } from '@holdpoint/protocol'
import { mayWorkOn, type Caller } from '../auth/caller.ts'
import type { ClaimCheck, CallClaims, ClaimedHold } from '../call-claims.ts'
import { refuse, ok, page, type RouteAnswer } from '../http/route-answer.ts'
import { route, type Route } from '../http/route.ts'
import type { GatewayServices } from '../gateway-services.ts'
import { after, id, json, limit, listOf, verdict, z } from '../schemas.ts'
import { openHold, verdictAnswer } from './holds.ts'
import { waitForChange } from './wait-for-change.ts'
import { noCallForWorkers, refuseCall, resolutionOf } from './tool-results.ts'

const params = z.object({ callId: id })
const ttlMs = z.number().int().min(1000).max(600_000).optional()
const claim = z.string().min(1).max(100)
const TTL_MS = 60_000
/** Progress is stored in the claim. */
const MAX_PROGRESS_CHARS = 64_000
/** A waiting request polls this often even without a change notification. */
const POLL_MS = 1000

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

export const workerCallRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/workers',
    name: 'listWorkers',
    tag: 'calls',
    summary: 'List workers that were active in the last hour',
    scopes: ['agent', 'reader'],
    query: z.strictObject({ after, limit }),
    responses: { 200: { description: 'A page of workers.', schema: listOf(workerRow) } },
    handle: async ({ query, caller, services: { workers } }) =>
      page(await workers.list(caller.tenant, query.after, query.limit ?? 50)),
  }),
  route({
    method: 'post',
    path: '/api/calls/claim',
    name: 'claimCalls',
    tag: 'calls',
    summary: 'Claim the oldest calls of these tools that no other worker has claimed',
    scopes: ['worker'],
    body: z
      .strictObject({
        tools: z.array(id).min(1).max(100),
        max: z.number().int().min(1).max(100).optional(),
        ttlMs,
        wait: z.number().min(0).max(30).optional(),
      })
      .openapi('ClaimCalls'),
    responses: {
      200: {
        description: 'The claimed calls; empty when no call waits.',
        schema: z.object({ items: z.array(claimedCall) }),
      },
    },
    handle: async ({ body, caller, runtime, services, peer }) => {
      const other = body.tools.find((tool) => !mayWorkOn(caller, tool))
      if (other !== undefined) return refuse('scope-missing', `This key may not claim calls of "${other}".`)
      await services.workers.seen(caller, body.tools)
      const gone = new AbortController()
      peer?.onDisconnect?.(() => gone.abort())
      const over = AbortSignal.any([gone.signal, services.closing])
      const ends = services.now() + (body.wait ?? 0) * 1000
      for (;;) {
        const claimedHolds = await services.claims.take(caller.tenant, body.tools, {
          max: body.max ?? 1,
          ttlMs: body.ttlMs ?? TTL_MS,
          holdOf: ({ conversationId, callId }) => openHold(runtime, conversationId, callId),
        })
        // Release the calls of a worker that disconnected: they would stay claimed until the claims expire.
        if (gone.signal.aborted) return ok({ items: await releaseAll(services.claims, caller.tenant, claimedHolds) })
        const left = ends - services.now()
        if (claimedHolds.length > 0 || left <= 0 || over.aborted) return ok({ items: claimedHolds.map(claimed) })
        await waitForChange(services.store, caller.tenant, Math.min(left, POLL_MS), over)
      }
    },
  }),
  route({
    method: 'post',
    path: '/api/calls/{callId}/progress',
    name: 'callProgress',
    tag: 'calls',
    summary: 'Renew the claim and report progress; progress is shown only for a streaming tool',
    scopes: ['worker'],
    params,
    body: z.strictObject({ claim, value: json.optional(), ttlMs }),
    responses: {
      200: {
        description:
          'The claim is renewed. With a value, `shown` says whether it is shown: false for a tool that is not streaming.',
        schema: z.object({ claimedUntil: z.number(), shown: z.boolean().optional() }),
      },
    },
    problems: ['claim-lost', 'unknown'],
    handle: async ({ params: { callId }, body, caller, services }) => {
      const { claims, hubs } = services
      const value = body.value as Json | undefined
      if (value !== undefined && JSON.stringify(value).length > MAX_PROGRESS_CHARS)
        return refuse('too-large', `Progress may have at most ${MAX_PROGRESS_CHARS} characters of JSON.`)
      const held = await ownClaim(services, caller, callId, body.claim)
      if (!held.ok) return held.answer
      const shown = held.claim.streaming === true
      const renewed = await claims.extend(caller.tenant, held, body.ttlMs ?? TTL_MS, shown ? value : undefined)
      if (!renewed) return refuse('claim-lost', `Another request changed the claim on call ${callId}.`)
      const { conversationId, until: claimedUntil } = renewed
      if (value === undefined) return ok({ claimedUntil })
      if (shown) hubs.show(caller.tenant, conversationId, { type: 'call-progress', callId, value })
      return ok({ claimedUntil, shown })
    },
  }),
  route({
    method: 'post',
    path: '/api/calls/{callId}/result',
    name: 'callResult',
    tag: 'calls',
    summary: 'Return the result of a claimed call',
    scopes: ['worker'],
    params,
    body: z
      .strictObject({ claim, result: json.optional(), error: z.string().max(100_000).optional() })
      .refine((body) => (body.result !== undefined) !== (body.error !== undefined), {
        error: 'give either a "result" or an "error"',
      }),
    responses: {
      200: { description: 'The result was accepted; `duplicate` when it was accepted before.', schema: verdict },
    },
    problems: ['claim-lost', 'conflict', 'expired', 'stale', 'unknown', 'invalid', 'wrong-kind', 'not-allowed'],
    handle: async ({ params: { callId }, body, caller, runtime, services }) => {
      const { claims } = services
      const hidden = await refuseCall(services, caller, callId)
      if (hidden) return hidden
      const held = await claims.check(caller.tenant, callId, body.claim)
      if (!held.ok) {
        const conversationId = await conversationOfResolved(services, runtime, caller.tenant, callId)
        if (conversationId === undefined) return withoutClaim(services, caller.tenant, callId, held.why)
        // The call is already resolved, so nothing is written. The verdict describes the earlier result.
        const result = await runtime.resolve(conversationId, callId, resolutionOf(body), {
          by: caller.by,
          kinds: ['external'],
        })
        return verdictAnswer(result)
      }
      const { conversationId, hold } = held.claim
      const options = { by: caller.by, kinds: ['external' as const], ...(hold !== undefined && { hold }) }
      const result = await runtime.resolve(conversationId, callId, resolutionOf(body), options)
      // After an invalid answer the worker may try again. After any other verdict the claim is no longer needed.
      if (result.verdict !== 'invalid') await claims.release(caller.tenant, callId, held.version)
      return verdictAnswer(result)
    },
  }),
  route({
    method: 'post',
    path: '/api/calls/{callId}/release',
    name: 'releaseCall',
    tag: 'calls',
    summary: 'Release a claimed call, so that another worker can claim it',
    scopes: ['worker'],
    params,
    body: z.strictObject({ claim }),
    responses: { 204: { description: 'The claim was released.' } },
    problems: ['claim-lost', 'unknown'],
    handle: async ({ params: { callId }, body, caller, services }) => {
      const { claims } = services
      const held = await ownClaim(services, caller, callId, body.claim)
      if (!held.ok) return held.answer
      await claims.release(caller.tenant, callId, held.version)
      return { status: 204 }
    },
  }),
]

/** The worker's claim on a call that it may see, or the problem. */
async function ownClaim(
  services: GatewayServices,
  caller: Caller,
  callId: string,
  secret: string,
): Promise<Extract<ClaimCheck, { ok: true }> | { readonly ok: false; readonly answer: RouteAnswer }> {
  const hidden = await refuseCall(services, caller, callId)
  if (hidden) return { ok: false, answer: hidden }
  const held = await services.claims.check(caller.tenant, callId, secret)
  if (held.ok) return held
  return { ok: false, answer: await withoutClaim(services, caller.tenant, callId, held.why) }
}

/** The problem for a worker without a claim: the claim is lost, or there is no such call. */
async function withoutClaim(
  { store }: GatewayServices,
  tenant: string,
  callId: string,
  why: string,
): Promise<RouteAnswer> {
  const [known] = await store.findCall(tenant, callId)
  return known === undefined ? noCallForWorkers(callId) : refuse('claim-lost', why)
}

/** The conversation of a call that is already resolved. */
async function conversationOfResolved(
  { store }: GatewayServices,
  runtime: Runtime,
  tenant: string,
  callId: string,
): Promise<string | undefined> {
  const [conversationId, other] = await store.findCall(tenant, callId)
  if (conversationId === undefined || other !== undefined) return undefined
  const call = await runtime.call(callId, { conversationId })
  return call?.status === 'resolved' ? conversationId : undefined
}

async function releaseAll(
  claims: CallClaims,
  tenant: string,
  taken: readonly ClaimedHold[],
): Promise<readonly never[]> {
  for (const {
    claim: { callId, secret },
  } of taken) {
    const held = await claims.check(tenant, callId, secret)
    if (held.ok) await claims.release(tenant, callId, held.version)
  }
  return []
}

function claimed({
  hold: { conversationId, callId, name, input, agent, expiresAt },
  claim: { secret, until },
}: ClaimedHold): ClaimedCall {
  const runId = callId.split('.')[0] ?? callId
  return { callId, conversationId, runId, name, input, agent, expiresAt, claim: secret, claimedUntil: until }
}
