/** Autonomous agents: their state, triggers and plans. */
import { agentLogId, type PlanRequest } from '@holdpoint/core'
import { agentExists } from '../agent-exists.ts'
import { refuse, ok, type RouteAnswer } from '../http/route-answer.ts'
import { callerKey } from '../http/idempotency.ts'
import { route, type RouteRequest, type Route } from '../http/route.ts'
import { by, id, json, autonomousAgent, listOf, plan, z } from '../schemas.ts'
import { refuseRight, seesWholeTenant } from './access-rules.ts'
import { eraseConversation, eraseQuery } from './erase-conversation.ts'
import { authorOf } from './request-author.ts'

const params = z.object({ name: id })
/** How much of the inbox a view contains. */
const MAX_INBOX = 100

export const autonomousAgentRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/agents/{name}/life',
    name: 'viewAutonomousAgent',
    tag: 'autonomous agents',
    summary: 'View an autonomous agent: its inbox, goals, memories and plans',
    scopes: ['agent', 'reader'],
    params,
    responses: {
      200: {
        description: 'The state of the agent; `waiting` is the number of events in the inbox.',
        schema: autonomousAgent,
      },
    },
    problems: ['not-found'],
    handle: async (routeRequest) => {
      const refused = await refuseAgent(routeRequest, routeRequest.params.name)
      if (refused) return refused
      const view = await routeRequest.runtime.agents.view(routeRequest.params.name)
      return ok({ ...view, inbox: view.inbox.slice(0, MAX_INBOX), waiting: view.inbox.length })
    },
  }),
  route({
    method: 'delete',
    path: '/api/agents/{name}/life',
    name: 'eraseAutonomousAgent',
    tag: 'autonomous agents',
    summary:
      'Erase the log of an autonomous agent, with its goals, memories and plans. A tombstone remains, and the agent wakes no more',
    scopes: ['admin'],
    params,
    query: eraseQuery,
    responses: { 204: { description: 'The log is erased, now or before.' } },
    problems: ['nothing-to-erase', 'not-allowed', 'turn-in-progress'],
    handle: async ({ params: { name }, query, caller, runtime, services }) => {
      const asked = { caller, runtime, services }
      const refused = await refuseRight(asked, agentLogId(name), 'conversation.erase')
      return refused ?? eraseConversation(asked, agentLogId(name), query)
    },
  }),
  route({
    method: 'post',
    path: '/api/agents/{name}/trigger',
    name: 'trigger',
    tag: 'autonomous agents',
    summary: 'Send an event to an agent. The agent wakes and handles it once',
    scopes: ['agent'],
    params,
    body: z.strictObject({ id: id.optional(), name: id, data: json.optional(), by }).openapi('Trigger'),
    responses: {
      202: {
        description: 'The event is in the inbox, or the agent has already handled it.',
        schema: z.object({ id: z.string(), repeated: z.literal(true).optional() }),
      },
    },
    problems: ['quota-exceeded', 'not-found', 'erased', 'config-invalid'],
    handle: async (routeRequest) => {
      const { params: which, body, caller, idempotencyKey, runtime, services } = routeRequest
      const from = await authorOf({ caller, services }, body.by)
      if ('answer' in from) return from.answer
      if (!(await agentExists(services, caller.tenant, which.name))) return missing(which.name)
      const own = body.id ?? (idempotencyKey === undefined ? undefined : callerKey(caller, idempotencyKey))
      const { name, data } = body
      const accepted = await runtime.agents.trigger(which.name, {
        name,
        by: from.by.id,
        ...(data !== undefined && { data: data as never }),
        ...(own !== undefined && { id: own }),
      })
      if (!accepted.ok) return refuse(accepted.refusal, accepted.message)
      const { ok: _ok, ...triggered } = accepted
      return ok(triggered, 202)
    },
  }),
  route({
    method: 'get',
    path: '/api/agents/{name}/plans',
    name: 'listPlans',
    tag: 'autonomous agents',
    summary: 'List the plans of an agent, by due time. An agent has at most 100',
    scopes: ['agent', 'reader'],
    params,
    responses: { 200: { description: 'All plans.', schema: listOf(plan) } },
    problems: ['not-found'],
    handle: async (routeRequest) => {
      const refused = await refuseAgent(routeRequest, routeRequest.params.name)
      return refused ?? ok({ items: (await routeRequest.runtime.agents.view(routeRequest.params.name)).plans })
    },
  }),
  route({
    method: 'post',
    path: '/api/agents/{name}/plans',
    name: 'setPlan',
    tag: 'autonomous agents',
    summary: 'Create or change a plan: after a delay, at a time, or by a cron line',
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
    responses: { 200: { description: 'The plan with its next due time.', schema: plan } },
    problems: ['quota-exceeded', 'not-found', 'erased', 'config-invalid'],
    handle: async (routeRequest) => {
      const { params: which, body, caller, idempotencyKey, runtime } = routeRequest
      const refused = await refuseAgent(routeRequest, which.name)
      if (refused) return refused
      const own = body.id ?? (idempotencyKey === undefined ? undefined : callerKey(caller, idempotencyKey))
      const request = { ...body, ...(own !== undefined && { id: own }) } as PlanRequest
      const result = await runtime.agents.setPlan(which.name, request, { by: caller.by })
      if (result.ok) return ok(result.plan)
      if (await runtime.erasure(agentLogId(which.name))) return refuse('erased', result.why)
      return refuse('bad-request', `The plan is invalid: ${result.why}.`)
    },
  }),
  route({
    method: 'delete',
    path: '/api/agents/{name}/plans/{planId}',
    name: 'removePlan',
    tag: 'autonomous agents',
    summary: 'Delete a plan',
    scopes: ['agent'],
    params: z.object({ name: id, planId: id }),
    responses: { 204: { description: 'The plan was deleted.' } },
    problems: ['not-found'],
    handle: async (routeRequest) => {
      const { name, planId } = routeRequest.params
      const refused = await refuseAgent(routeRequest, name)
      if (refused) return refused
      if (await routeRequest.runtime.agents.removePlan(name, planId)) return { status: 204 }
      return refuse('not-found', `Agent "${name}" has no plan "${planId}".`)
    },
  }),
]

/** The problem when the caller may not see the agent's state, or there is no such agent. */
async function refuseAgent({ caller, services }: RouteRequest, name: string): Promise<RouteAnswer | undefined> {
  if (!seesWholeTenant(caller))
    return refuse('scope-missing', 'The state of an autonomous agent needs a key, or a token with the scope admin.')
  return (await agentExists(services, caller.tenant, name)) ? undefined : missing(name)
}

function missing(name: string): RouteAnswer {
  return refuse('not-found', `There is no agent "${name}".`)
}
