/**
 * Results by the id of the run alone, for workers that know nothing of conversations. A run is a turn, and the id of a
 * call begins with that of its turn. What happens to the result is not this door's business: taken in time it is the
 * call's result; late, it goes where the tool says.
 */
import type { Resolution } from '@holdpoint/core'
import { may } from '../auth/principal.ts'
import { no } from '../http/answer.ts'
import { route, type Route } from '../http/route.ts'
import type { Services } from '../services.ts'
import { by, id, json, verdict, z } from '../schemas.ts'
import { speaker } from './by.ts'
import { resolved } from './holds.ts'
import { kindOf } from './kind-of.ts'

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

export const runRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/api/runs/{runId}/tool-results',
    name: 'toolResult',
    tag: 'calls',
    summary: 'The result of a call, from whoever carried it out',
    scopes: ['worker', 'resolver'],
    params: z.object({ runId: id }),
    body: toolResult,
    answers: { 200: { says: 'The result is taken; `duplicate` when it was taken before.', schema: verdict } },
    problems: ['conflict', 'expired', 'stale', 'unknown', 'invalid', 'wrong-kind'],
    handle: async ({ params: { runId }, body, who, runtime, services }) => {
      const from = speaker(who, body.by)
      if ('answer' in from) return from.answer
      const { callId } = body
      if (!callId.startsWith(`${runId}.`)) return no('unknown', `Run ${runId} made no call ${callId}.`)
      const place = body.conversationId ?? (await placeOf(services, who.tenant, callId))
      if (place === undefined)
        return no(
          'unknown',
          `No call ${callId} waits for a result. If it waited before, say where with "conversationId".`,
        )
      const kind = may(who, ['resolver']) ? 'any' : await kindOf(services, { tenant: who.tenant, id: place }, callId)
      if (kind !== 'any' && kind !== undefined && kind !== 'external')
        return no('scope-missing', `Call ${callId} waits for somebody else than a worker.`)
      return resolved(await runtime.resolve(place, callId, resolutionOf(body), { by: from.by }))
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

/** In which conversation a call waits. */
async function placeOf({ claims, store }: Services, tenant: string, callId: string): Promise<string | undefined> {
  const { items } = await store.pending({ tenant, callId, limit: 1 })
  // One that was answered meanwhile is known by its claim, and whoever answers again is told so.
  return items[0]?.conversationId ?? claims.placeOf(tenant, callId)
}
