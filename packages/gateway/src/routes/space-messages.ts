/** Messages and events of a space, and answers to the calls that are visible in it. */
import { randomUUID } from 'node:crypto'
import { agentLogId, type LogEvent, type Member } from '@holdpoint/core'
import type { Runtime } from '@holdpoint/spaces'
import { hasScope } from '../auth/caller.ts'
import { refuse, ok } from '../http/route-answer.ts'
import { callerKey } from '../http/idempotency.ts'
import { route, wantsStream, type RouteRequest, type Route } from '../http/route.ts'
import type { GatewayServices } from '../gateway-services.ts'
import { id, json, limit, listOf, logEvent, member, tools, verdict, z } from '../schemas.ts'
import { actingMember, refuseSpace, personOf, readsWholeTenant } from './access-rules.ts'
import { refuseTools, pageOfEvents } from './events.ts'
import { verdictAnswer } from './holds.ts'
import { resolutionOf } from './tool-results.ts'

const params = z.object({ id })
const MAX_MESSAGE_CHARS = 100_000

export const spaceMessageRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/api/spaces/{id}/messages',
    name: 'postSpaceMessage',
    tag: 'spaces',
    summary: 'Post a message. It is durable when this responds, and wakes every other agent in the space once',
    scopes: ['agent'],
    params,
    body: z
      .strictObject({
        text: z.string().max(MAX_MESSAGE_CHARS).regex(/\S/, 'must not be blank'),
        from: member.optional(),
        replyTo: z.number().int().min(1).optional(),
      })
      .openapi('PostMessage'),
    responses: {
      201: {
        description:
          'The message was posted, by this request or an earlier one with this key. `quiet`: it woke no agent.',
        schema: z.object({ seq: z.number().int(), quiet: z.boolean(), repeated: z.literal(true).optional() }),
      },
    },
    problems: ['quota-exceeded', 'space-missing', 'erased', 'not-a-member', 'not-allowed', 'not-a-message'],
    idempotency: 'by-runtime',
    handle: async ({
      params: { id: which },
      body: { text, from, replyTo },
      caller,
      idempotencyKey,
      runtime,
      services,
    }) => {
      const actor = actingMember(caller, from)
      if ('answer' in actor) return actor.answer
      await services.hubs.warm(caller.tenant, which)
      const posted = await runtime.spaces.post(which, text, {
        from: actor.member,
        key: idempotencyKey === undefined ? randomUUID() : callerKey(caller, idempotencyKey),
        ...(replyTo !== undefined && { replyTo }),
      })
      if (!posted.ok) return refuse(posted.refusal, posted.message)
      const { ok: _ok, ...body } = posted
      return ok(body, 201)
    },
  }),
  route({
    method: 'get',
    path: '/api/spaces/{id}/events',
    name: 'spaceEvents',
    tag: 'spaces',
    summary: 'Events after a seq; with `Accept: text/event-stream` a live stream of events and messages in progress',
    scopes: ['agent', 'reader', 'worker'],
    params,
    query: z.strictObject({ after: z.coerce.number().int().min(0).optional(), limit, tools }),
    responses: { 200: { description: 'A page of events, or the stream.', schema: listOf(logEvent), stream: true } },
    problems: ['space-missing', 'erased', 'not-a-member', 'too-many-streams'],
    handle: async (routeRequest) => {
      const { query, caller, runtime, request } = routeRequest
      const which = routeRequest.params.id
      const refused = await refuseSpace(caller, runtime, which)
      if (refused) return refused
      const refusedTools = refuseTools(routeRequest)
      if (refusedTools) return refusedTools
      if (wantsStream(request)) return openStream(routeRequest, which, query.tools)
      return pageOfEvents(runtime, which, query)
    },
  }),
  route({
    method: 'post',
    path: '/api/spaces/{id}/tool-results',
    name: 'spaceToolResult',
    tag: 'spaces',
    summary: 'Answer a call that is visible in the space and asks its members',
    scopes: ['agent', 'resolver'],
    params,
    body: z
      .strictObject({
        callId: id,
        result: json.optional(),
        error: z.string().max(100_000).optional(),
        from: member.optional(),
        hold: z.number().int().min(1).optional(),
      })
      .refine((body) => ('result' in body && body.result !== undefined) !== (body.error !== undefined), {
        error: 'give either a "result" or an "error"',
      })
      .openapi('SpaceToolResult'),
    responses: {
      200: { description: 'The answer was accepted; `duplicate` when it was accepted before.', schema: verdict },
    },
    problems: [
      'space-missing',
      'erased',
      'not-a-member',
      'not-allowed',
      'conflict',
      'expired',
      'stale',
      'unknown',
      'invalid',
      'wrong-kind',
    ],
    handle: async ({ params: { id: which }, body, caller, runtime, services }) => {
      const actor = actingMember(caller, body.from)
      if ('answer' in actor) return actor.answer
      const refused = await refuseSpace(caller, runtime, which)
      if (refused) return refused
      const resolver = caller.kind === 'program' && body.from === undefined && hasScope(caller, ['resolver'])
      const role = resolver ? 'member' : await runtime.spaces.roleOf(which, actor.member)
      if (role === undefined)
        return refuse(
          'not-a-member',
          `${actor.member.id} is not a member of this space. A key can name a member with "from".`,
        )
      if (role === 'reader') return refuse('not-allowed', `${actor.member.id} may only read this space.`)
      const { callId, hold } = body
      const log = await agentLogOf(services, runtime, { tenant: caller.tenant, space: which, callId })
      if (log === undefined) return refuse('unknown', `There is no call ${callId} in this space that asks its members.`)
      return verdictAnswer(
        await runtime.resolve(log, callId, resolutionOf(body), {
          by: actor.member.id,
          // Members of the space may not answer calls that wait for a worker or an approval.
          kinds: ['elicitation', 'client'],
          ...(hold !== undefined && { hold }),
        }),
      )
    },
  }),
]

/** Opens the stream. It ends when the person leaves the space. */
function openStream(
  routeRequest: RouteRequest,
  id: string,
  names: readonly string[] | undefined,
): ReturnType<GatewayServices['streams']['open']> {
  const { caller, runtime, services } = routeRequest
  if (readsWholeTenant(caller)) return services.streams.open(routeRequest, id, { tools: names })
  const self = personOf(caller)
  const access = {
    until: (event: LogEvent) => event.type === 'member.left' && same(event.member, self),
    still: async () => (await runtime.spaces.roleOf(id, self)) !== undefined,
  }
  return services.streams.open(routeRequest, id, { tools: names, access })
}

/** The log of the agent that made the call. An agent's log records in which space a call is visible. */
async function agentLogOf(
  { store }: GatewayServices,
  runtime: Runtime,
  { tenant, space, callId }: { readonly tenant: string; readonly space: string; readonly callId: string },
): Promise<string | undefined> {
  const view = await runtime.spaces.view(space, { limit: 1 })
  for (const { member: each } of view?.members ?? []) {
    if (each.kind !== 'agent') continue
    const log = agentLogId(each.id)
    const events = await store.readCall({ tenant, id: log }, callId)
    const shown = events.some(
      (event) =>
        event.type === 'model.replied' &&
        event.spaces?.calls.some((call) => call.callId === callId && call.space === space && call.shown),
    )
    if (shown) return log
  }
  return undefined
}

function same(a: Member, b: Member): boolean {
  return a.kind === b.kind && a.id === b.id
}
