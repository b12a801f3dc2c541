/** Open holds, and the route that resolves them. */
import type { HoldKind, PendingHold, Resolution, Runtime } from '@holdpoint/core'
import { problemOfVerdict } from '@holdpoint/protocol'
import { hasScope, type Principal } from '../auth/principal.ts'
import { refuse, ok, page, type RouteAnswer } from '../http/route-answer.ts'
import { route, type Route } from '../http/route.ts'
import { after, by, hold, id, json, limit, listOf, verdict, z } from '../schemas.ts'
import { refuseAgentLog } from './access.ts'
import { authorOf } from './author.ts'

const params = z.object({ conversationId: id, callId: id })

export const holdRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/holds',
    name: 'listHolds',
    tag: 'holds',
    summary: 'List open holds, oldest first',
    scopes: ['agent', 'reader', 'resolver', 'worker'],
    query: z.strictObject({
      conversationId: id.optional(),
      callId: id.optional(),
      agent: id.optional(),
      tool: id.optional(),
      kind: z.enum(['approval', 'elicitation', 'client', 'external']).optional(),
      expiresBefore: z.coerce.number().optional(),
      after,
      limit,
    }),
    responses: { 200: { description: 'A page of holds.', schema: listOf(hold) } },
    handle: async ({ query, caller, runtime }) => {
      const filter = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined))
      const found = await runtime.pending(filter)
      return page({ ...found, items: found.items.filter((each) => !refuseHold(caller, each.conversationId)) })
    },
  }),
  route({
    method: 'get',
    path: '/api/holds/{conversationId}/{callId}',
    name: 'getHold',
    tag: 'holds',
    summary: 'Get an open hold',
    scopes: ['agent', 'reader', 'resolver', 'worker'],
    params,
    responses: { 200: { description: 'The hold.', schema: hold } },
    problems: ['unknown', 'hold-not-open'],
    handle: async ({ params: { conversationId, callId }, caller, runtime, services: { store } }) => {
      const refused = refuseHold(caller, conversationId)
      if (refused) return refused
      const found = await openHold(runtime, conversationId, callId)
      if (found) return ok(found)
      const known = await store.readCall({ tenant: caller.tenant, id: conversationId }, callId)
      return known.length > 0
        ? refuse('hold-not-open', `The hold of call ${callId} is no longer open.`)
        : refuse('unknown', `There is no call ${callId} with a hold in conversation "${conversationId}".`)
    },
  }),
  route({
    method: 'post',
    path: '/api/holds/{conversationId}/{callId}/resolve',
    name: 'resolve',
    tag: 'holds',
    summary:
      'Approve, reject or answer. The resolution is durable when this responds; with the scope agent, only for client tools',
    scopes: ['resolver', 'agent'],
    params,
    body: z
      .strictObject({
        kind: z.enum(['approve', 'reject', 'answer']),
        input: json.optional(),
        reason: z.string().max(10_000).optional(),
        value: json.optional(),
        error: z.string().max(100_000).optional(),
        hold: z.number().int().min(1).optional(),
        by,
      })
      .openapi('Resolution'),
    responses: {
      200: { description: 'The answer was accepted; `duplicate` when it was accepted before.', schema: verdict },
    },
    problems: ['conflict', 'expired', 'stale', 'unknown', 'invalid', 'wrong-kind', 'not-allowed'],
    handle: async ({
      params: { conversationId, callId },
      body: { hold: nth, by: given, ...resolution },
      caller,
      runtime,
    }) => {
      const from = authorOf(caller, given)
      if ('answer' in from) return from.answer
      const refused = refuseHold(caller, conversationId)
      if (refused) return refused
      const options = { by: from.by, ...allowedKinds(caller, ['client']), ...(nth !== undefined && { hold: nth }) }
      return verdictAnswer(await runtime.resolve(conversationId, callId, resolution as Resolution, options))
    },
  }),
]

/** A resolver sees every hold, also those in the logs of autonomous agents. */
export function refuseHold(caller: Principal, conversationId: string): RouteAnswer | undefined {
  return hasScope(caller, ['resolver']) ? undefined : refuseAgentLog(caller, conversationId)
}

/**
 * A resolver may answer every kind of hold, any other caller only these. The runtime checks it in the same decision.
 */
export function allowedKinds(
  caller: Principal,
  otherwise: readonly HoldKind[],
): { readonly kinds?: readonly HoldKind[] } {
  return hasScope(caller, ['resolver']) ? {} : { kinds: otherwise }
}

/** The verdict as a success, or as a problem with the verdict as its code. */
export function verdictAnswer(answer: Awaited<ReturnType<Runtime['resolve']>>): RouteAnswer {
  const bad = problemOfVerdict(answer)
  return bad ? { status: bad.status, body: bad } : ok(answer)
}

export async function openHold(
  runtime: Runtime,
  conversationId: string,
  callId: string,
): Promise<PendingHold | undefined> {
  const { items } = await runtime.pending({ conversationId, callId, limit: 1 })
  return items[0]
}
