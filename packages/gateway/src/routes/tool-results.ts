/**
 * Accepts a result by run id, for workers that do not know the conversation. A run is a turn, and a call id starts with
 * the id of its turn. A result in time settles the call. The tool's policy says what happens to a late one.
 */
import type { Resolution } from '@holdpoint/core'
import { seesCall, type Caller } from '../auth/caller.ts'
import { refuse, type RouteAnswer } from '../http/route-answer.ts'
import { route, type Route } from '../http/route.ts'
import type { GatewayServices } from '../gateway-services.ts'
import { by, id, json, verdict, z } from '../schemas.ts'
import { refuseCustom } from './access-rules.ts'
import { deciderOf } from './request-author.ts'
import { allowedKinds, verdictAnswer } from './holds.ts'

const toolResult = z
  .strictObject({
    callId: id,
    conversationId: id.optional(),
    result: json.optional(),
    error: z.string().max(100_000).optional(),
    by,
  })
  .refine((body) => ('result' in body && body.result !== undefined) !== (body.error !== undefined), {
    error: 'give either a "result" or an "error"',
  })
  .openapi('ToolResult')

export const toolResultRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/api/runs/{runId}/tool-results',
    name: 'toolResult',
    tag: 'calls',
    summary: 'Return the result of a call that ran elsewhere',
    scopes: ['worker', 'resolver'],
    params: z.object({ runId: id }),
    body: toolResult,
    responses: {
      200: { description: 'The result was accepted; `duplicate` when it was accepted before.', schema: verdict },
    },
    problems: ['conflict', 'expired', 'stale', 'unknown', 'invalid', 'wrong-kind', 'not-allowed'],
    handle: async ({ params: { runId }, body, caller, runtime, services }) => {
      const from = await deciderOf({ caller, services }, body.by)
      if ('answer' in from) return from.answer
      const { callId } = body
      if (!callId.startsWith(`${runId}.`)) return refuse('unknown', `Run ${runId} has no call ${callId}.`)
      const hidden = await refuseCall(services, caller, callId, body.conversationId)
      if (hidden) return hidden
      const conversationId = body.conversationId ?? (await conversationOf(services, caller.tenant, callId))
      if (typeof conversationId === 'object') return conversationId
      const refused = await refuseCustom({ caller, services, runtime }, conversationId, callId)
      if (refused) return refused
      const options = { by: from.by, ...allowedKinds(caller, ['external']) }
      return verdictAnswer(await runtime.resolve(conversationId, callId, resolutionOf(body), options))
    },
  }),
]

export function resolutionOf({
  result,
  error,
}: {
  readonly result?: unknown
  readonly error?: string | undefined
}): Resolution {
  return error === undefined ? { kind: 'answer', value: result as never } : { kind: 'answer', error }
}

/**
 * The problem when the caller's key is limited to other tools: the same as for a call that does not exist. When several
 * conversations have a call with this id, the key must be allowed to see each.
 */
export async function refuseCall(
  { runtime, store }: Pick<GatewayServices, 'runtime' | 'store'>,
  caller: Caller,
  callId: string,
  conversationId?: string,
): Promise<RouteAnswer | undefined> {
  const { tenant, tools } = caller
  if (!tools) return undefined
  const ids = conversationId === undefined ? await store.findCall(tenant, callId) : [conversationId]
  const calls = await Promise.all(ids.map((id) => runtime.tenant(tenant).call(callId, { conversationId: id })))
  const visible = calls.length > 0 && calls.every((call) => call !== undefined && seesCall(caller, call))
  return visible ? undefined : noCallForWorkers(callId)
}

export function noCallForWorkers(callId: string): RouteAnswer {
  return refuse('unknown', `There is no call ${callId} for workers.`)
}

/** The conversation of a call that is or was held. When several have the call, the one where it is open. */
async function conversationOf(
  { store }: GatewayServices,
  tenant: string,
  callId: string,
): Promise<string | RouteAnswer> {
  const [conversationId, other] = await store.findCall(tenant, callId)
  if (conversationId === undefined) return refuse('unknown', `There is no call ${callId} that was ever held.`)
  if (other === undefined) return conversationId
  const { items } = await store.pending({ tenant, callId, limit: 2 })
  const [open, another] = items
  if (open && !another) return open.conversationId
  return refuse('bad-request', `Several conversations have a call ${callId}. Set "conversationId".`)
}
