/** Create, list, view, continue and cancel conversations, and send messages to them. */
import type { MessageTaken, Content, TurnResult } from '@holdpoint/runtime'
import { refuse, ok, page, type RouteAnswer } from '../http/route-answer.ts'
import { callerKey } from '../http/idempotency.ts'
import { route, type Route } from '../http/route.ts'
import { traceOf } from '../http/trace-of.ts'
import {
  after,
  by,
  conversationRow,
  id,
  json,
  limit,
  listOf,
  missing,
  seconds,
  turnResult,
  view,
  z,
} from '../schemas.ts'
import { allowedOf, hasEvents, listedFor, refuseRight, refuseConversation } from './access-rules.ts'
import { isAdmin } from '../auth/caller.ts'
import { eraseConversation, eraseQuery, wasErasedBy } from './erase-conversation.ts'
import { authorOf } from './request-author.ts'
import { waitForTurn } from './wait-for-turn.ts'
import { waitUpTo } from './wait-up-to.ts'

const params = z.object({ id })
const sent = z
  .object({ turnId: z.string().optional(), repeated: z.literal(true).optional(), result: turnResult.optional() })
  .openapi('Sent')
const MAX_WAIT_SECONDS = 60

export const conversationRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/api/conversations',
    name: 'createConversation',
    tag: 'conversations',
    summary: 'Create a conversation; sending a message to a new id creates it too',
    scopes: ['agent'],
    body: z.strictObject({ id: id.optional(), agent: id.optional(), by }),
    responses: {
      201: {
        description: 'The conversation exists, new or from an earlier request.',
        schema: z.object({ id: z.string() }),
      },
    },
    problems: ['quota-exceeded', 'agent-missing', 'config-invalid'],
    handle: async ({ body, caller, runtime, services }) => {
      const asked = { caller, runtime, services }
      const refused = body.id === undefined ? undefined : await refuseRight(asked, body.id, 'conversation.write')
      if (refused) return refused
      const from = await authorOf({ caller, services }, body.by)
      if ('answer' in from) return from.answer
      return ok({ id: await runtime.create(defined({ id: body.id, agent: body.agent, by: from.by })) }, 201)
    },
  }),
  route({
    method: 'get',
    path: '/api/conversations',
    name: 'listConversations',
    tag: 'conversations',
    summary: 'List conversations, newest first',
    scopes: ['agent', 'reader'],
    query: z.strictObject({
      agent: id.optional(),
      status: z.enum(['running', 'held', 'idle']).optional(),
      after,
      limit,
    }),
    responses: { 200: { description: 'A page of conversations.', schema: listOf(conversationRow) } },
    handle: async (asked) => {
      const found = await asked.runtime.list({ ...defined(asked.query), ...listedFor(asked) })
      const items = await allowedOf(asked, 'conversation.read', found.items, (each) => each.id)
      return page({ ...found, items })
    },
  }),
  route({
    method: 'get',
    path: '/api/conversations/{id}',
    name: 'viewConversation',
    tag: 'conversations',
    summary: 'View a conversation: the newest turns, or those before a seq',
    scopes: ['agent', 'reader', 'resolver'],
    params,
    query: z.strictObject({ turns: limit, before: z.coerce.number().int().min(0).optional(), missing }),
    responses: {
      200: { description: 'The view.', schema: view },
      204: { description: 'With `missing=ok`: the conversation does not exist yet.' },
    },
    problems: ['not-found', 'is-a-space'],
    handle: async ({ params: { id: which }, query: { missing: ifMissing, ...query }, caller, runtime, services }) => {
      const refused = await refuseRight({ caller, runtime, services }, which, 'conversation.read')
      if (refused) return refused
      const found = await runtime.view(which, defined(query))
      if (found) return ok(found)
      if (ifMissing === 'ok' && !(await hasEvents(runtime, which))) return { status: 204 }
      return (await refuseConversation(runtime, which)) ?? missingConversation(which)
    },
  }),
  route({
    method: 'post',
    path: '/api/conversations/{id}/messages',
    name: 'sendMessage',
    tag: 'conversations',
    summary: 'Send a message. It is durable when this responds, and the turn continues without the client',
    scopes: ['agent'],
    params,
    query: z.strictObject({ wait: seconds(MAX_WAIT_SECONDS) }),
    body: z
      .strictObject({
        content: z.union([z.string().min(1), z.array(z.looseObject({ type: z.string() })).min(1)]),
        agent: id.optional(),
        by,
        whileBusy: z.enum(['refuse', 'queue', 'supersede']).optional(),
        maxSteps: z.number().int().min(1).max(1000).optional(),
      })
      .openapi('SendMessage'),
    responses: {
      200: { description: 'With `wait`: the turn ended or waits for a hold.', schema: sent },
      202: { description: 'The message is durable, and the turn continues.', schema: sent },
    },
    problems: ['quota-exceeded', 'turn-in-progress', 'key-reused', 'is-a-space', 'agent-missing', 'config-invalid'],
    idempotency: 'by-runtime',
    handle: async (asked) => {
      const { params, query, body, caller, idempotencyKey, runtime, services, request } = asked
      const [which, wait = 0] = [params.id, query.wait]
      const refused = await refuseRight(asked, which, 'conversation.write')
      if (refused) return refused
      const from = await authorOf({ caller, services }, body.by)
      if ('answer' in from) return from.answer
      const { content, agent, whileBusy, maxSteps } = body
      const most = services.limits.maxSteps
      if (maxSteps !== undefined && maxSteps > most)
        return refuse('bad-request', `"maxSteps" may be at most ${most}, by the operator's limits.`)
      const options = {
        ...defined({ agent, whileBusy, maxSteps }),
        by: from.by,
        ...traceOf(request),
        ...(idempotencyKey !== undefined && { key: callerKey(caller, idempotencyKey) }),
      }
      await services.hubs.warm(caller.tenant, which)
      const begun = await runtime.submit(which, content as Content, options)
      if (!begun.ok) return refuse(begun.refusal, begun.message)
      const settled = (): Promise<TurnResult | undefined> => runtime.settled(which, begun)
      return sentAnswer(begun, wait > 0 ? await waitForTurn(wait, services, caller.tenant, settled) : undefined)
    },
  }),
  route({
    method: 'post',
    path: '/api/conversations/{id}/cancel',
    name: 'cancelConversation',
    tag: 'conversations',
    summary: 'Cancel the turn; every open call gets a result',
    scopes: ['agent'],
    params,
    body: z.strictObject({ message: z.string().max(10_000).optional() }).optional(),
    responses: { 200: { description: 'The turn was cancelled.', schema: z.object({ ok: z.literal(true) }) } },
    problems: ['nothing-to-cancel', 'not-found', 'is-a-space'],
    handle: async ({ params: { id: which }, body, caller, runtime, services }) => {
      const refused =
        (await refuseRight({ caller, runtime, services }, which, 'conversation.write')) ??
        (await refuseConversation(runtime, which))
      if (refused) return refused
      const from = await authorOf({ caller, services }, undefined)
      if ('answer' in from) return from.answer
      const result = await runtime.cancel(which, body?.message, { by: from.by })
      return result.ok ? ok({ ok: true }) : refuse(result.refusal, result.message)
    },
  }),
  route({
    method: 'delete',
    path: '/api/conversations/{id}',
    name: 'eraseConversation',
    tag: 'conversations',
    summary: 'Erase a conversation with its events, holds and notes. A tombstone remains: who erased it, when and why',
    scopes: ['agent'],
    params,
    query: eraseQuery,
    responses: { 204: { description: 'The conversation is erased, by this request or an earlier one.' } },
    problems: ['not-found', 'is-a-space', 'not-allowed', 'turn-in-progress', 'erased'],
    handle: async ({ params: { id: which }, query, caller, runtime, services }) => {
      if (caller.kind === 'program' && !isAdmin(caller))
        return refuse('scope-missing', 'Erasing a conversation needs a key with the scope admin.')
      const missing = await refuseConversation(runtime, which)
      if (missing) return missing
      const again = await wasErasedBy(caller, runtime, which)
      const refused = again ? undefined : await refuseRight({ caller, runtime, services }, which, 'conversation.erase')
      if (refused) return refused
      return eraseConversation({ caller, runtime, services }, which, query)
    },
  }),
  route({
    method: 'post',
    path: '/api/conversations/{id}/continue',
    name: 'continueConversation',
    tag: 'conversations',
    summary: 'Continue a turn that stopped early, or wait for the current one',
    scopes: ['agent'],
    params,
    query: z.strictObject({ wait: seconds(MAX_WAIT_SECONDS) }),
    body: z.strictObject({ by }).optional(),
    responses: {
      200: { description: 'The turn ended or waits for a hold.', schema: sent },
      202: { description: 'The turn continues.', schema: sent },
    },
    problems: ['nothing-to-continue', 'not-found', 'is-a-space', 'config-invalid'],
    handle: async ({ params: { id: which }, query: { wait = 30 }, body, caller, runtime, services }) => {
      const refused =
        (await refuseRight({ caller, runtime, services }, which, 'conversation.write')) ??
        (await refuseConversation(runtime, which))
      if (refused) return refused
      const from = await authorOf({ caller, services }, body?.by)
      if ('answer' in from) return from.answer
      // Call this only once: a second call would restart a turn that was cancelled in the meantime.
      const result = await waitUpTo(wait, services.closing, runtime.continue(which, { by: from.by }))
      if (result?.status === 'refused')
        return refuse(
          result.reason === 'erased' ? 'erased' : 'nothing-to-continue',
          result.message ?? 'There is nothing to continue.',
        )
      return sentAnswer({ ok: true, turnId: undefined }, result)
    },
  }),
  route({
    method: 'get',
    path: '/api/conversations/{id}/explain',
    name: 'explainConversation',
    tag: 'conversations',
    summary: 'Explain a turn: what the model was shown, and what was left out',
    scopes: ['agent', 'reader'],
    params,
    query: z.strictObject({ turnId: id.optional() }),
    responses: {
      200: {
        description: 'The explanation by step.',
        schema: z.looseObject({ turnId: z.string(), steps: z.array(json) }),
      },
    },
    problems: ['not-found', 'is-a-space'],
    handle: async ({ params: { id: which }, query, caller, runtime, services }) => {
      const refused =
        (await refuseRight({ caller, runtime, services }, which, 'conversation.read')) ??
        (await refuseConversation(runtime, which))
      if (refused) return refused
      const result = await runtime.explain(which, query.turnId)
      return result ? ok(result) : refuse('not-found', `There is no such turn in conversation "${which}".`)
    },
  }),
]

function sentAnswer(begun: Extract<MessageTaken, { ok: true }>, result: TurnResult | undefined): RouteAnswer {
  const { turnId, repeated } = begun
  return ok({ ...defined({ turnId, repeated, result }) }, result ? 200 : 202)
}

function missingConversation(which: string): RouteAnswer {
  return refuse('not-found', `There is no conversation "${which}".`)
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** Drops undefined values: the runtime's options do not accept them. */
function defined<T extends object>(values: T): Defined<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>
}
