/** Conversations: made, said something to, seen, stopped. */
import { randomUUID } from 'node:crypto'
import { agentOfLife, type Begun, type Content, type TurnResult } from '@holdpoint/core'
import { no, ok, page, type Answer } from '../http/answer.ts'
import { ownKey } from '../http/once.ts'
import { route, type Route } from '../http/route.ts'
import { after, by, conversationRow, id, json, limit, listOf, seconds, turnResult, view, z } from '../schemas.ts'
import { closedLife, noConversation, seesAll } from './access.ts'
import { speaker } from './by.ts'
import { within } from './within.ts'

const params = z.object({ id })
const sent = z
  .object({ turnId: z.string().optional(), repeated: z.literal(true).optional(), result: turnResult.optional() })
  .openapi('Sent')
const LONGEST_WAIT = 60

export const conversationRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/api/conversations',
    name: 'createConversation',
    tag: 'conversations',
    summary: 'Make a place for a conversation; sending to a new id does it too',
    scopes: ['agent'],
    body: z.strictObject({ id: id.optional(), agent: id.optional(), by }),
    answers: { 201: { says: 'It is there, now or since before.', schema: z.object({ id: z.string() }) } },
    problems: ['agent-missing', 'config-invalid'],
    handle: async ({ body, who, runtime }) => {
      const closed = body.id === undefined ? undefined : closedLife(who, body.id)
      if (closed) return closed
      const from = speaker(who, body.by)
      if ('answer' in from) return from.answer
      return ok({ id: await runtime.create(defined({ id: body.id, agent: body.agent, by: from.by })) }, 201)
    },
  }),
  route({
    method: 'get',
    path: '/api/conversations',
    name: 'listConversations',
    tag: 'conversations',
    summary: 'Conversations, the newest first',
    scopes: ['agent', 'reader'],
    query: z.strictObject({
      agent: id.optional(),
      status: z.enum(['running', 'held', 'idle']).optional(),
      after,
      limit,
    }),
    answers: { 200: { says: 'A page of them.', schema: listOf(conversationRow) } },
    handle: async ({ query, who, runtime }) => {
      const found = await runtime.list(defined(query))
      if (seesAll(who)) return page(found)
      return page({ ...found, items: found.items.filter((each) => agentOfLife(each.id) === undefined) })
    },
  }),
  route({
    method: 'get',
    path: '/api/conversations/{id}',
    name: 'viewConversation',
    tag: 'conversations',
    summary: 'What a person sees of it: the newest turns, or those before a seq',
    scopes: ['agent', 'reader', 'resolver'],
    params,
    query: z.strictObject({ turns: limit, before: z.coerce.number().int().min(0).optional() }),
    answers: { 200: { says: 'The view.', schema: view } },
    problems: ['not-found', 'is-a-space'],
    handle: async ({ params: { id: which }, query, who, runtime }) => {
      const closed = closedLife(who, which)
      if (closed) return closed
      const seen = await runtime.view(which, defined(query))
      return seen ? ok(seen) : ((await noConversation(runtime, which)) ?? missing(which))
    },
  }),
  route({
    method: 'post',
    path: '/api/conversations/{id}/messages',
    name: 'sendMessage',
    tag: 'conversations',
    summary: 'Say something. It is durable when this answers, and goes on whether or not anybody waits',
    scopes: ['agent'],
    params,
    query: z.strictObject({ wait: seconds(LONGEST_WAIT) }),
    body: z
      .strictObject({
        content: z.union([z.string().min(1), z.array(z.looseObject({ type: z.string() })).min(1)]),
        agent: id.optional(),
        by,
        whileBusy: z.enum(['refuse', 'queue', 'supersede']).optional(),
        maxSteps: z.number().int().min(1).max(1000).optional(),
      })
      .openapi('SendMessage'),
    answers: {
      200: { says: 'It was waited for, and the turn is over or waits for somebody.', schema: sent },
      202: { says: 'It is durable, and is worked on.', schema: sent },
    },
    problems: ['turn-in-progress', 'key-reused', 'is-a-space', 'agent-missing', 'config-invalid'],
    once: 'by-runtime',
    handle: async ({ params: { id: which }, query: { wait = 0 }, body, who, key, runtime, services }) => {
      const closed = closedLife(who, which)
      if (closed) return closed
      const from = speaker(who, body.by)
      if ('answer' in from) return from.answer
      const { content, agent, whileBusy, maxSteps } = body
      const options = {
        ...defined({ agent, whileBusy, maxSteps }),
        by: from.by,
        key: key === undefined ? randomUUID() : ownKey(who, key),
      }
      await services.hubs.warm(who.tenant, which)
      const begun = await runtime.submit(which, content as Content, options)
      if (!begun.ok) return no(begun.refusal, begun.message)
      // Sent again under its key, it is the same message: that is how one waits for its turn.
      const result =
        wait > 0 ? await within(wait, services.closing, runtime.send(which, content as Content, options)) : undefined
      return sentAnswer(begun, result)
    },
  }),
  route({
    method: 'post',
    path: '/api/conversations/{id}/cancel',
    name: 'cancelConversation',
    tag: 'conversations',
    summary: 'End the turn, with a result behind every call',
    scopes: ['agent'],
    params,
    body: z.strictObject({ message: z.string().max(10_000).optional() }).optional(),
    answers: { 200: { says: 'It has ended.', schema: z.object({ ok: z.literal(true) }) } },
    problems: ['nothing-to-cancel', 'not-found', 'is-a-space'],
    handle: async ({ params: { id: which }, body, who, runtime }) => {
      const closed = closedLife(who, which) ?? (await noConversation(runtime, which))
      if (closed) return closed
      const told = await runtime.cancel(which, body?.message)
      return told.ok ? ok({ ok: true }) : no(told.refusal, told.message)
    },
  }),
  route({
    method: 'post',
    path: '/api/conversations/{id}/continue',
    name: 'continueConversation',
    tag: 'conversations',
    summary: 'Take up a turn that stopped early, or wait for the one that goes on',
    scopes: ['agent'],
    params,
    query: z.strictObject({ wait: seconds(LONGEST_WAIT) }),
    body: z.strictObject({ by }).optional(),
    answers: {
      200: { says: 'The turn is over, or waits for somebody.', schema: sent },
      202: { says: 'It goes on.', schema: sent },
    },
    problems: ['nothing-to-continue', 'not-found', 'is-a-space'],
    handle: async ({ params: { id: which }, query: { wait = 30 }, body, who, runtime, services }) => {
      const closed = closedLife(who, which) ?? (await noConversation(runtime, which))
      if (closed) return closed
      const from = speaker(who, body?.by)
      if ('answer' in from) return from.answer
      const result = await within(wait, services.closing, runtime.continue(which, { by: from.by }))
      if (result?.status === 'refused')
        return no('nothing-to-continue', result.message ?? 'There is nothing to continue.')
      return sentAnswer({ ok: true, turnId: undefined }, result)
    },
  }),
  route({
    method: 'get',
    path: '/api/conversations/{id}/explain',
    name: 'explainConversation',
    tag: 'conversations',
    summary: 'Why the model said what it said: what it was shown, and what was left out',
    scopes: ['agent', 'reader'],
    params,
    query: z.strictObject({ turnId: id.optional() }),
    answers: { 200: { says: 'Step by step.', schema: z.looseObject({ turnId: z.string(), steps: z.array(json) }) } },
    problems: ['not-found', 'is-a-space'],
    handle: async ({ params: { id: which }, query, who, runtime }) => {
      const closed = closedLife(who, which) ?? (await noConversation(runtime, which))
      if (closed) return closed
      const told = await runtime.explain(which, query.turnId)
      return told ? ok(told) : no('not-found', `There is no such turn in a conversation "${which}".`)
    },
  }),
]

function sentAnswer(begun: Extract<Begun, { ok: true }>, result: TurnResult | undefined): Answer {
  const { turnId, repeated } = begun
  return ok({ ...defined({ turnId, repeated, result }) }, result ? 200 : 202)
}

function missing(which: string): Answer {
  return no('not-found', `There is no conversation "${which}".`)
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** Without what is undefined: for those who tell the two apart. */
function defined<T extends object>(values: T): Defined<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>
}
