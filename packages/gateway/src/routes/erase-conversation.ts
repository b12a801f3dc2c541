/** Erases a conversation, or the log of an autonomous agent, and what the gateway stores about it. */
import { refuse, type RouteAnswer } from '../http/route-answer.ts'
import type { RouteRequest } from '../http/route.ts'
import { by, z } from '../schemas.ts'
import { authorOf } from './request-author.ts'

export const reason: z.ZodOptional<z.ZodString> = z
  .string()
  .max(1000)
  .optional()
  .openapi({ description: 'Stays in the tombstone.' })

export const eraseQuery: z.ZodObject<
  {
    cancel: z.ZodOptional<z.ZodEnum<{ true: 'true'; false: 'false' }>>
    reason: typeof reason
    by: typeof by
  },
  z.core.$strict
> = z.strictObject({
  cancel: z.enum(['true', 'false']).optional().openapi({
    description: '`true`: erase although a turn is in progress or a call is held.',
  }),
  reason,
  by,
})

type Asked = Pick<RouteRequest, 'caller' | 'runtime' | 'services'>

/** For a caller that may erase it. */
export async function eraseConversation(
  { caller, runtime, services }: Asked,
  id: string,
  { cancel, reason: why, by: given }: z.infer<typeof eraseQuery>,
): Promise<RouteAnswer> {
  const from = await authorOf({ caller, services }, given)
  if ('answer' in from) return from.answer
  const claimed = await claimedCalls(services, caller.tenant, id)
  const options = { by: from.by, ...(why !== undefined && { reason: why }), cancel: cancel === 'true' }
  const result = await runtime.erase(id, options)
  if (!result.ok) return refuse(result.refusal, result.message)
  // A claim may have the progress that its worker reported.
  for (const callId of claimed) await services.claims.forget(caller.tenant, callId)
  return { status: 204 }
}

/**
 * Whether this person erased it before. The tombstone names no owner, and the answer to the first request may be lost: the
 * same request again succeeds.
 */
export async function wasErasedBy(
  { kind, by: id }: RouteRequest['caller'],
  runtime: Asked['runtime'],
  which: string,
): Promise<boolean> {
  return kind === 'person' && (await runtime.erasure(which))?.by === id
}

const MOST_CLAIMED = 1000

async function claimedCalls(
  { store }: Asked['services'],
  tenant: string,
  conversationId: string,
): Promise<readonly string[]> {
  const { items } = await store.pending({ tenant, conversationId, kind: 'external', limit: MOST_CLAIMED })
  return items.map(({ callId }) => callId)
}
