/** What waits for somebody, and the one door for answers. */
import type { PendingHold, Resolution, Runtime } from '@holdpoint/core'
import { problemOfVerdict } from '@holdpoint/protocol'
import { may, type Principal } from '../auth/principal.ts'
import { no, ok, page, type Answer } from '../http/answer.ts'
import { route, type Route } from '../http/route.ts'
import { after, by, hold, id, json, limit, listOf, verdict, z } from '../schemas.ts'
import { closedLife } from './access.ts'
import { speaker } from './by.ts'
import { kindOf } from './kind-of.ts'

const params = z.object({ conversationId: id, callId: id })

export const holdRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/holds',
    name: 'listHolds',
    tag: 'holds',
    summary: 'What waits for somebody, the oldest first',
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
    answers: { 200: { says: 'A page of them.', schema: listOf(hold) } },
    handle: async ({ query, who, runtime }) => {
      const asked = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined))
      const found = await runtime.pending(asked)
      return page({ ...found, items: found.items.filter((each) => !closedHold(who, each.conversationId)) })
    },
  }),
  route({
    method: 'get',
    path: '/api/holds/{conversationId}/{callId}',
    name: 'getHold',
    tag: 'holds',
    summary: 'One call that waits',
    scopes: ['agent', 'reader', 'resolver', 'worker'],
    params,
    answers: { 200: { says: 'The hold.', schema: hold } },
    problems: ['unknown', 'hold-not-open'],
    handle: async ({ params: { conversationId, callId }, who, runtime, services: { store } }) => {
      const closed = closedHold(who, conversationId)
      if (closed) return closed
      const found = await openHold(runtime, conversationId, callId)
      if (found) return ok(found)
      const known = await store.readCall({ tenant: who.tenant, id: conversationId }, callId)
      return known.length > 0
        ? no('hold-not-open', `Call ${callId} is not waiting any more.`)
        : no('unknown', `No call ${callId} has ever waited in conversation "${conversationId}".`)
    },
  }),
  route({
    method: 'post',
    path: '/api/holds/{conversationId}/{callId}/resolve',
    name: 'resolve',
    tag: 'holds',
    summary: 'Approve, reject or answer. It is durable when this says so; with the scope agent, only for client tools',
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
    answers: { 200: { says: 'The answer is taken; `duplicate` when it was taken before.', schema: verdict } },
    problems: ['conflict', 'expired', 'stale', 'unknown', 'invalid', 'wrong-kind'],
    handle: async ({
      params: { conversationId, callId },
      body: { hold: nth, by: given, ...resolution },
      who,
      runtime,
      services,
    }) => {
      const from = speaker(who, given)
      if ('answer' in from) return from.answer
      const closed = closedHold(who, conversationId)
      if (closed) return closed
      // A page carries out what runs in it, and that is all: nobody approves with the right to talk.
      if (!may(who, ['resolver'])) {
        const kind = await kindOf(services, { tenant: who.tenant, id: conversationId }, callId)
        if (resolution.kind !== 'answer' || (kind !== undefined && kind !== 'client'))
          return no(
            'scope-missing',
            'With the scope agent only calls of client tools are answered; this takes resolver.',
          )
      }
      const options = { by: from.by, ...(nth !== undefined && { hold: nth }) }
      return resolved(await runtime.resolve(conversationId, callId, resolution as Resolution, options))
    },
  }),
]

/** Whoever answers for people sees what waits for them, in the lives of agents too. */
function closedHold(who: Principal, conversationId: string): Answer | undefined {
  return may(who, ['resolver']) ? undefined : closedLife(who, conversationId)
}

/** The verdict, as a success or as a problem with its own word. */
export function resolved(told: Awaited<ReturnType<Runtime['resolve']>>): Answer {
  const bad = problemOfVerdict(told)
  return bad ? { status: bad.status, body: bad } : ok(told)
}

export async function openHold(
  runtime: Runtime,
  conversationId: string,
  callId: string,
): Promise<PendingHold | undefined> {
  const { items } = await runtime.pending({ conversationId, callId, limit: 1 })
  return items[0]
}
