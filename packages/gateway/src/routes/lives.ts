/** Living agents: what they are up to, what wakes them, and their plans. */
import type { PlanRequest } from '@holdpoint/core'
import { isAgent } from '../agents-known.ts'
import { no, ok, type Answer } from '../http/answer.ts'
import { ownKey } from '../http/once.ts'
import { route, type Asked, type Route } from '../http/route.ts'
import { by, id, json, life, listOf, plan, z } from '../schemas.ts'
import { seesAll } from './access.ts'
import { speaker } from './by.ts'

const params = z.object({ name: id })
/** Of what waits for the next cycle, so many are shown. */
const MOST_SHOWN = 100

export const lifeRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/agents/{name}/life',
    name: 'viewLife',
    tag: 'lives',
    summary: 'What an agent is up to: its inbox, goals, memories and plans',
    scopes: ['agent', 'reader'],
    params,
    answers: { 200: { says: 'Its life; `waiting` says how much is in the inbox.', schema: life } },
    problems: ['not-found'],
    handle: async (asked) => {
      const closed = await closedAgent(asked, asked.params.name)
      if (closed) return closed
      const seen = await asked.runtime.lives.view(asked.params.name)
      return ok({ ...seen, inbox: seen.inbox.slice(0, MOST_SHOWN), waiting: seen.inbox.length })
    },
  }),
  route({
    method: 'post',
    path: '/api/agents/{name}/trigger',
    name: 'trigger',
    tag: 'lives',
    summary: 'Tell an agent that something happened. It wakes, and handles it once',
    scopes: ['agent'],
    params,
    body: z.strictObject({ id: id.optional(), name: id, data: json.optional(), by }).openapi('Trigger'),
    answers: {
      202: {
        says: 'It is in the inbox, or was before.',
        schema: z.object({ id: z.string(), repeated: z.literal(true).optional() }),
      },
    },
    problems: ['not-found', 'config-invalid'],
    handle: async (asked) => {
      const { params: which, body, who, key, runtime, services } = asked
      const from = speaker(who, body.by)
      if ('answer' in from) return from.answer
      if (!(await isAgent(services, who.tenant, which.name))) return missing(which.name)
      const own = body.id ?? (key === undefined ? undefined : ownKey(who, key))
      const { name, data } = body
      const told = await runtime.lives.trigger(which.name, {
        name,
        by: from.by,
        ...(data !== undefined && { data: data as never }),
        ...(own !== undefined && { id: own }),
      })
      return ok(told, 202)
    },
  }),
  route({
    method: 'get',
    path: '/api/agents/{name}/plans',
    name: 'listPlans',
    tag: 'lives',
    summary: 'What an agent will be woken for, the next first. There are never more than a hundred',
    scopes: ['agent', 'reader'],
    params,
    answers: { 200: { says: 'All of them.', schema: listOf(plan) } },
    problems: ['not-found'],
    handle: async (asked) => {
      const closed = await closedAgent(asked, asked.params.name)
      return closed ?? ok({ items: (await asked.runtime.lives.view(asked.params.name)).plans })
    },
  }),
  route({
    method: 'post',
    path: '/api/agents/{name}/plans',
    name: 'setPlan',
    tag: 'lives',
    summary: 'Make a plan for an agent, or change the one with that id: after a while, at a time, or by a cron line',
    scopes: ['agent'],
    params,
    body: z
      .strictObject({
        id: id.optional(),
        what: z.string().min(1).max(4000),
        runAfter: z.union([z.string().max(100), z.number().min(0)]).optional(),
        scheduledAt: z.union([z.string().max(100), z.number()]).optional(),
        cron: z.string().max(200).optional(),
        timeZone: z.string().max(100).optional(),
        missed: z.enum(['once', 'all', 'none']).optional(),
      })
      .openapi('SetPlan'),
    answers: { 200: { says: 'The plan, with the time it is due next.', schema: plan } },
    problems: ['not-found', 'config-invalid'],
    handle: async (asked) => {
      const { params: which, body, who, key, runtime } = asked
      const closed = await closedAgent(asked, which.name)
      if (closed) return closed
      const own = body.id ?? (key === undefined ? undefined : ownKey(who, key))
      const request = { ...body, ...(own !== undefined && { id: own }) } as PlanRequest
      const made = await runtime.lives.setPlan(which.name, request)
      return made.ok ? ok(made.plan) : no('bad-request', `This is no plan: ${made.why}.`)
    },
  }),
  route({
    method: 'delete',
    path: '/api/agents/{name}/plans/{planId}',
    name: 'removePlan',
    tag: 'lives',
    summary: 'Call a plan off',
    scopes: ['agent'],
    params: z.object({ name: id, planId: id }),
    answers: { 204: { says: 'It is gone.' } },
    problems: ['not-found'],
    handle: async (asked) => {
      const { name, planId } = asked.params
      const closed = await closedAgent(asked, name)
      if (closed) return closed
      if (await asked.runtime.lives.removePlan(name, planId)) return { status: 204 }
      return no('not-found', `Agent "${name}" has no plan "${planId}".`)
    },
  }),
]

/** Why this one may not look into the agent's life. */
async function closedAgent({ who, services }: Asked, name: string): Promise<Answer | undefined> {
  if (!seesAll(who)) return no('scope-missing', 'The life of an agent takes a key, or a token with the scope admin.')
  return (await isAgent(services, who.tenant, name)) ? undefined : missing(name)
}

function missing(name: string): Answer {
  return no('not-found', `There is no agent "${name}".`)
}
