/** Find calls by id or status, including settled ones. */
import type { KnownCall, PendingHold } from '@holdpoint/runtime'
import type { Runtime } from '@holdpoint/spaces'
import { hasScope, seesCall } from '../auth/caller.ts'
import { refuse, ok, page, type RouteAnswer } from '../http/route-answer.ts'
import { route, type Route } from '../http/route.ts'
import { after, id, json, limit, listOf, z } from '../schemas.ts'
import { refuseRight, refuseConversation } from './access-rules.ts'
import { visibleTo } from './holds.ts'

const STATUS = z.enum(['waiting', 'pending', 'resolved'])

const knownCall = z
  .object({
    callId: z.string(),
    conversationId: z.string(),
    runId: z.string(),
    name: z.string(),
    input: json,
    status: STATUS.openapi({
      description:
        '`waiting`: the turn waits for it. `pending`: the turn continued, and an answer still reaches the agent. `resolved`: the call takes no more answers.',
    }),
    kind: z.enum(['approval', 'elicitation', 'client', 'external']),
    heldAt: z.number(),
    expiresAt: z.number(),
    outcome: json.optional(),
  })
  .openapi('Call')

export const callLookupRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/calls',
    name: 'listCalls',
    tag: 'calls',
    summary:
      'List calls by status: calls before their deadline, or with `conversationId` every call of that conversation that was held',
    scopes: ['agent', 'reader', 'resolver'],
    query: z.strictObject({
      status: STATUS.optional(),
      conversationId: id.optional(),
      tool: id.optional(),
      after,
      limit,
    }),
    responses: {
      200: {
        description: 'A page of calls. It may be short; `next` says whether there are more.',
        schema: listOf(knownCall),
      },
    },
    problems: ['not-found', 'is-a-space'],
    handle: async ({
      query: { status, conversationId, tool, after: from, limit: most = 50 },
      caller,
      runtime,
      services,
    }) => {
      if (conversationId === undefined && status === 'resolved')
        return refuse('bad-request', 'Resolved calls are listed by conversation. Set "conversationId".')
      const wanted = (call: KnownCall): boolean =>
        (status ?? call.status) === call.status && (tool ?? call.name) === call.name
      if (conversationId !== undefined) {
        const refused =
          (await refuseRight({ caller, runtime, services }, conversationId, 'conversation.read')) ??
          (await refuseConversation(runtime, conversationId))
        return refused ?? callsOfTurns(runtime, conversationId, { from, most, wanted })
      }
      const options = { limit: most, ...(tool !== undefined && { tool }), ...(from !== undefined && { after: from }) }
      const { items, next } = await visibleTo({ caller, runtime, services }, undefined, options)
      return page({ items: items.map(callOfHold).filter(wanted), next })
    },
  }),
  route({
    method: 'get',
    path: '/api/calls/{callId}',
    name: 'getCall',
    tag: 'calls',
    summary: 'Get a call that is or was held. With the scope worker, only calls for workers',
    scopes: ['agent', 'reader', 'resolver', 'worker'],
    params: z.object({ callId: id }),
    query: z.strictObject({ conversationId: id.optional() }),
    responses: { 200: { description: 'The call.', schema: knownCall } },
    problems: ['unknown'],
    handle: async ({ params: { callId }, query: { conversationId }, caller, runtime, services }) => {
      const call = await runtime.call(callId, conversationId === undefined ? {} : { conversationId })
      const hidden = call && !hasScope(caller, ['agent', 'reader', 'resolver']) && call.kind !== 'external'
      if (!call || hidden || !seesCall(caller, call))
        return refuse('unknown', `There is no call ${callId} that was ever held.`)
      return (await refuseRight({ caller, runtime, services }, call.conversationId, 'conversation.read')) ?? ok(call)
    },
  }),
]

/** Pages by turn, newest first. `next` is the seq of the oldest turn on the page. */
async function callsOfTurns(
  runtime: Runtime,
  conversationId: string,
  {
    from,
    most,
    wanted,
  }: { readonly from: string | undefined; readonly most: number; readonly wanted: (call: KnownCall) => boolean },
): Promise<RouteAnswer> {
  const view = await runtime.view(conversationId, { turns: most, ...(from !== undefined && { before: Number(from) }) })
  const held = (view?.turns ?? [])
    .flatMap(({ steps }) => steps.flatMap(({ calls }) => calls))
    .filter(({ holds }) => holds > 0)
  const calls = await Promise.all(held.toReversed().map(({ callId }) => runtime.call(callId, { conversationId })))
  const next = view && view.from > 1 ? String(view.from) : undefined
  return page({ items: calls.filter((call) => call !== undefined).filter(wanted), next })
}

function callOfHold({ callId, conversationId, name, input, kind, heldAt, expiresAt, async }: PendingHold): KnownCall {
  const runId = callId.split('.')[0] ?? callId
  const status = async ? 'pending' : 'waiting'
  return { callId, conversationId, runId, name, input, status, kind, heldAt, expiresAt }
}
