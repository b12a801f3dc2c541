/** Open holds, and the route that resolves them. */
import { requestersOf, type HoldKind, type Page, type Resolution } from '@holdpoint/core'
import type { CancelResult, HoldOptions, PendingFilter, PendingHold } from '@holdpoint/runtime'
import type { Runtime } from '@holdpoint/spaces'
import { isProblem, problemOfVerdict, type Scope } from '@holdpoint/protocol'
import { callerIn, hasScope, seesCall, tenantsOf, type Caller } from '../auth/caller.ts'
import { mergedPage } from '../http/merged-page.ts'
import { refuse, ok, page, type RouteAnswer } from '../http/route-answer.ts'
import { route, type Route, type RouteRequest } from '../http/route.ts'
import { by, hold, id, json, limit, listOf, verdict, z } from '../schemas.ts'
import type { GatewayServices } from '../gateway-services.ts'
import type { NamesById } from '../people-names.ts'
import { readableHolds, readsWholeTenant, refuseCustom, refuseRight } from './access-rules.ts'
import { withoutFormerAssignees, type ShownHold } from './former-assignees.ts'
import { deciderOf } from './request-author.ts'

const params = z.object({ conversationId: id, callId: id })
const nth = z.number().int().min(1).optional()
const done = z.object({ ok: z.literal(true) })
const MAY_RESOLVE: readonly Scope[] = ['resolver', 'agent']
const NEEDS_SCOPE = `This needs a credential with the scope ${MAY_RESOLVE.join(' or ')}.`

export const holdRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/holds',
    name: 'listHolds',
    tag: 'holds',
    summary: 'List open holds, oldest first. With `tenants=all`, of all tenants of the caller',
    scopes: ['agent', 'reader', 'resolver', 'worker'],
    query: z.strictObject({
      conversationId: id.optional(),
      callId: id.optional(),
      agent: id.optional(),
      tool: id.optional(),
      kind: z.enum(['approval', 'elicitation', 'client', 'external']).optional(),
      expiresBefore: z.coerce.number().optional(),
      tenants: z.enum(['all']).optional(),
      view: z
        .enum(['mine', 'asked', 'all'])
        .optional()
        .openapi({ description: '`mine`: I may resolve it. `asked`: I asked for it. Default: all that I may see.' }),
      // A cursor over several tenants contains the cursor of each.
      after: z.string().max(12_000).optional(),
      limit,
      by: by.openapi({ description: 'The person that a key acts for: `may` is about them.' }),
    }),
    responses: { 200: { description: 'A page of holds.', schema: listOf(hold) } },
    handle: async ({ query: { by: given, tenants, ...query }, caller, runtime, services }) => {
      const filter = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined))
      if (tenants === undefined) return page(await namedAndVisibleTo({ caller, services, runtime }, given, filter))
      const { after: from, limit: most = 50 } = query
      const found = await mergedPage(tenantsOf(caller), { after: from, limit: most }, (tenant, cursor) => {
        const { after: _after, ...rest } = filter
        const one = { ...rest, limit: 1, ...(cursor !== undefined && { after: cursor }) }
        const there = { caller: callerIn(caller, tenant) ?? caller, services, runtime: services.runtime.tenant(tenant) }
        return namedAndVisibleTo(there, given, one)
      })
      return found ? page(found) : refuse('bad-request', '"after" is not the `next` of a page with `tenants=all`.')
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
    query: z.strictObject({ by }),
    responses: { 200: { description: 'The hold.', schema: hold } },
    problems: ['unknown', 'hold-not-open'],
    handle: async ({ params: { conversationId, callId }, query, caller, runtime, services }) => {
      const request = { caller, services, runtime }
      const [found] = (await namedAndVisibleTo(request, query.by, { conversationId, callId, limit: 1 })).items
      if (found) return ok(found)
      const refused = await refuseRight(request, conversationId, 'conversation.read')
      return refused ?? notOpen(services, caller, conversationId, callId)
    },
  }),
  route({
    method: 'post',
    path: '/api/holds/{conversationId}/{callId}/resolve',
    name: 'resolve',
    tag: 'holds',
    summary:
      'Approve, reject or answer. The resolution is durable when this responds; with the scope agent, only for client tools and for questions and approvals that are for the caller',
    scopes: MAY_RESOLVE,
    params,
    body: z
      .strictObject({
        kind: z.enum(['approve', 'reject', 'answer']),
        input: json.optional(),
        reason: z.string().max(10_000).optional(),
        value: json.optional(),
        error: z.string().max(100_000).optional(),
        hold: nth,
        by,
      })
      .openapi('Resolution'),
    responses: {
      200: { description: 'The answer was accepted; `duplicate` when it was accepted before.', schema: verdict },
    },
    problems: ['conflict', 'expired', 'stale', 'unknown', 'invalid', 'wrong-kind', 'not-allowed'],
    handle: async ({
      params: { conversationId, callId },
      body: { hold: which, by: given, ...resolution },
      caller,
      runtime,
      services,
    }) => {
      const from = await deciderOf({ caller, services }, given)
      if ('answer' in from) return from.answer
      const refused = await refuseCustom({ caller, services, runtime }, conversationId, callId)
      if (refused) return refused
      const options = { by: from.by, ...allowedKinds(caller, ['client']), ...(which !== undefined && { hold: which }) }
      return verdictAnswer(await runtime.resolve(conversationId, callId, resolution as Resolution, options))
    },
  }),
  route({
    method: 'post',
    path: '/api/holds/{conversationId}/{callId}/assign',
    name: 'assignHold',
    tag: 'holds',
    summary: 'Assign a hold to yourself or another person, or remove the assignee. Others may still resolve it',
    scopes: ['resolver', 'agent'],
    params,
    body: z
      .strictObject({
        assignee: id
          .nullable()
          .optional()
          .openapi({ description: 'Default: the caller. `null` removes the assignee.' }),
        hold: nth,
        by,
      })
      .openapi('AssignHold'),
    responses: { 200: { description: 'The hold is assigned, or has no assignee.', schema: done } },
    problems: ['unknown', 'hold-not-open', 'not-allowed'],
    handle: async ({ params: { conversationId, callId }, body: { assignee, ...body }, caller, runtime, services }) => {
      const asked = await holdAsked({ caller, services, runtime }, conversationId, callId, body)
      if ('answer' in asked) return asked.answer
      const options = { ...asked.options, ...allowedKinds(caller, ['client']) }
      const result =
        assignee === null
          ? await runtime.release(conversationId, callId, options)
          : await runtime.assign(conversationId, callId, { ...options, ...(assignee !== undefined && { assignee }) })
      return changedAnswer(result, { services, caller, conversationId, callId })
    },
  }),
  route({
    method: 'post',
    path: '/api/holds/{conversationId}/{callId}/comments',
    name: 'commentOnHold',
    tag: 'holds',
    summary: 'Comment on an open hold, for the people who decide. The model does not read it',
    scopes: ['resolver', 'agent'],
    params,
    body: z.strictObject({ text: z.string().trim().min(1).max(10_000), hold: nth, by }).openapi('CommentOnHold'),
    responses: { 201: { description: 'The comment was added.', schema: done } },
    problems: ['unknown', 'hold-not-open', 'limit-reached'],
    handle: async ({ params: { conversationId, callId }, body: { text, ...body }, caller, runtime, services }) => {
      const asked = await holdAsked({ caller, services, runtime }, conversationId, callId, body)
      if ('answer' in asked) return asked.answer
      const result = await runtime.comment(conversationId, callId, text, asked.options)
      return changedAnswer(result, { services, caller, conversationId, callId }, 201)
    },
  }),
]

/** With the display names of the people in each hold. */
async function namedAndVisibleTo(
  asked: Pick<RouteRequest, 'caller' | 'services' | 'runtime'>,
  given: string | undefined,
  filter: PendingFilter,
): Promise<Page<ShownHold & { readonly names?: NamesById }>> {
  const { items, next } = await visibleTo(asked, given, filter)
  const { caller, services } = asked
  const named = items.map(async (each) => {
    const names = await services.names.of(caller.tenant, peopleIn(each))
    return { ...each, ...(names && { names }) }
  })
  return { items: await Promise.all(named), next }
}

function peopleIn(hold: ShownHold): (string | undefined)[] {
  const { to, askedBy, endorsed, assignee, formerAssignee, comments, escalation } = hold
  const requesters = requestersOf(askedBy ?? [])
  const askers = requesters === 'many' ? [] : requesters
  const actors = [...endorsed, ...(comments ?? [])].flatMap(({ by: actor, onBehalfOf }) => [actor, onBehalfOf])
  return [...askers, ...actors, ...(to ?? []), ...(escalation?.to ?? []), assignee, formerAssignee]
}

/** The page without the holds that the caller may not see. It may be short. */
export async function visibleTo(
  asked: Pick<RouteRequest, 'caller' | 'services' | 'runtime'>,
  given: string | undefined,
  filter: PendingFilter,
): Promise<Page<ShownHold>> {
  const found = await pendingFor(asked, given, filter)
  const { caller } = asked
  const visible = found.items.filter((each) => seesCall(caller, each))
  return { ...found, items: await withoutFormerAssignees(asked, visible) }
}

/** Open holds, with what the caller may do with each: the same principal and kinds as when it resolves one. */
async function pendingFor(
  { caller, services, runtime }: Pick<RouteRequest, 'caller' | 'services' | 'runtime'>,
  given: string | undefined,
  filter: PendingFilter,
): Promise<Awaited<ReturnType<Runtime['pending']>>> {
  const from = await deciderOf({ caller, services }, given)
  const own = 'by' in from ? from : await deciderOf({ caller, services }, undefined)
  const kinds = allowedKinds(caller, ['client'])
  const by = 'by' in own && { by: readsWholeTenant(caller) ? { ...own.by, access: 'all' as const } : own.by }
  const all = await runtime.pending({ ...filter, ...kinds, ...by })
  const found = { ...all, items: await readableHolds({ caller, services, runtime }, all.items) }
  const why = 'answer' in from ? detailOf(from.answer) : hasScope(caller, MAY_RESOLVE) ? undefined : NEEDS_SCOPE
  if (why === undefined) return found
  const may = { resolve: false, approve: false, why }
  return { ...found, items: found.items.map((each) => ({ ...each, may })) }
}

function detailOf(answer: RouteAnswer): string {
  return 'body' in answer && isProblem(answer.body) ? answer.body.detail : 'You may not answer this.'
}

/** Why a hold is not open: it was resolved, or there is no such call. */
async function notOpen(
  { store }: Pick<GatewayServices, 'store'>,
  { tenant, tools }: Caller,
  conversationId: string,
  callId: string,
): Promise<RouteAnswer> {
  const known = tools ? [] : await store.readCall({ tenant, id: conversationId }, callId)
  return known.length > 0
    ? refuse('hold-not-open', `The hold of call ${callId} is no longer open.`)
    : refuse('unknown', `There is no call ${callId} with a hold in conversation "${conversationId}".`)
}

async function changedAnswer(
  result: CancelResult,
  at: Pick<RouteRequest, 'services' | 'caller'> & { readonly conversationId: string; readonly callId: string },
  status = 200,
): Promise<RouteAnswer> {
  if (result.ok) return ok({ ok: true }, status)
  if (result.refusal === 'hold-not-open') return notOpen(at.services, at.caller, at.conversationId, at.callId)
  return refuse(result.refusal, result.message)
}

/** The person who changes a hold without resolving it. */
async function holdAsked(
  { caller, services, runtime }: Pick<RouteRequest, 'caller' | 'services' | 'runtime'>,
  conversationId: string,
  callId: string,
  body: { readonly hold?: number | undefined; readonly by?: string | undefined },
): Promise<{ readonly options: HoldOptions } | { readonly answer: RouteAnswer }> {
  const from = await deciderOf({ caller, services }, body.by)
  if ('answer' in from) return from
  const refused = await refuseCustom({ caller, services, runtime }, conversationId, callId)
  if (refused) return { answer: refused }
  return { options: { by: from.by, ...(body.hold !== undefined && { hold: body.hold }) } }
}

/**
 * A resolver may answer every kind of hold, any other caller only these. The runtime checks it in the same decision.
 */
export function allowedKinds(caller: Caller, otherwise: readonly HoldKind[]): { readonly kinds?: readonly HoldKind[] } {
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
