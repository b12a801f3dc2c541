/** Agents as JSON, stored per tenant, and the listing of those in the program's code. */
import type { Document, Json, JsonObject } from '@holdpoint/core'
import type { AgentRow } from '@holdpoint/protocol'
import { agentRow, agentDetails } from '../listed-agent.ts'
import { AGENT_DOCUMENT } from '../stored-agents.ts'
import { isAdmin, type Caller } from '../auth/caller.ts'
import { withoutCredentials } from '../without-credentials.ts'
import { create, find, listUpTo, remove } from '../document-store.ts'
import { refuse, ok, page } from '../http/route-answer.ts'
import { route, type Route } from '../http/route.ts'
import { after, id, json, limit, listOf, z } from '../schemas.ts'

const config = z
  .looseObject({ name: id, description: z.string().optional(), tools: z.array(json).optional() })
  .openapi('AgentConfig')
const row = z
  .object({
    name: z.string(),
    source: z.enum(['code', 'config']),
    version: z.number().int().optional(),
    config: z.looseObject({}).optional(),
    model: z.string().optional(),
    instructions: z.string().optional(),
    tools: z
      .array(z.looseObject({ name: z.string(), executor: z.string(), approval: z.enum(['auto', 'gated']) }))
      .optional(),
    audited: z.literal(true).optional(),
  })
  .openapi('Agent')
const name = z.object({ name: id })
/** A page ends after this many characters of definitions. */
const PAGE_CHARS = 1_000_000

export const agentRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/api/agents',
    name: 'createAgent',
    tag: 'agents',
    summary: 'Create an agent from JSON',
    scopes: ['admin'],
    body: config,
    responses: { 201: { description: 'The agent was created.', schema: row } },
    problems: ['already-exists', 'config-invalid', 'limit-reached'],
    handle: async ({ body, caller, services: { documents, agents, agentIds, storedAgents, limits } }) => {
      const checked = await storedAgents?.check(body, caller.tenant, limits.maxSteps)
      if (typeof checked === 'string') return refuse('config-invalid', checked)
      if (agents.some((each) => each.name === body.name)) return refuse('already-exists', definedInCode(body.name))
      if (!(await agentIds.add(caller.tenant, { id: body.name }, limits.agentsPerTenant)))
        return refuse(
          'limit-reached',
          `A tenant may have at most ${limits.agentsPerTenant} agents. Remove one that is not used.`,
        )
      const put = await create(documents, {
        tenant: caller.tenant,
        kind: AGENT_DOCUMENT,
        id: body.name,
        data: body as Json,
      })
      if (put.result === 'conflict')
        return refuse('already-exists', `Agent "${body.name}" already exists. Change it with PUT.`)
      return ok(rowOf({ id: body.name, version: put.version, data: body as Json }, caller), 201)
    },
  }),
  route({
    method: 'get',
    path: '/api/agents',
    name: 'listAgents',
    tag: 'agents',
    summary: 'List agents',
    scopes: ['agent', 'reader'],
    query: z.strictObject({ after, limit }),
    responses: {
      200: {
        description:
          'A page of agents by name; agents from code are on the first page. A page is shorter when agents are large.',
        schema: listOf(row),
      },
    },
    handle: async ({ query, caller, services: { documents, agents } }) => {
      const filter = { tenant: caller.tenant, kind: AGENT_DOCUMENT, limit: query.limit ?? 50 }
      const from = query.after === undefined ? {} : { after: query.after }
      const { items, next } = await listUpTo(documents, { ...filter, ...from }, PAGE_CHARS)
      const own: AgentRow[] = query.after === undefined ? agents.map(agentRow) : []
      return page({ items: [...own, ...items.map((doc) => rowOf(doc, caller))], next })
    },
  }),
  route({
    method: 'get',
    path: '/api/agents/{name}',
    name: 'getAgent',
    tag: 'agents',
    summary: 'Get an agent',
    scopes: ['agent', 'reader'],
    params: name,
    responses: { 200: { description: 'The agent.', schema: row } },
    problems: ['not-found'],
    handle: async ({ params, caller, services: { documents, agents, storedAgents } }) => {
      const own = agents.find((each) => each.name === params.name)
      if (own) return ok(agentRow(own))
      const doc = await find(documents, caller.tenant, AGENT_DOCUMENT, params.name)
      if (!doc) return missing(params.name)
      // A definition that was valid may be invalid now, if the program offers fewer models. Then only the definition is
      // shown.
      const loaded = storedAgents?.load(doc, caller.tenant)
      return ok({ ...rowOf(doc, caller), ...(typeof loaded === 'object' && agentDetails(loaded)) })
    },
  }),
  route({
    method: 'put',
    path: '/api/agents/{name}',
    name: 'updateAgent',
    tag: 'agents',
    summary: 'Update an agent that was created from JSON',
    scopes: ['admin'],
    params: name,
    query: z.strictObject({ version: z.coerce.number().int().min(1).optional() }),
    body: config,
    responses: { 200: { description: 'The updated agent.', schema: row } },
    problems: ['not-found', 'version-conflict', 'config-invalid'],
    handle: async ({ params, query, body, caller, services: { documents, storedAgents, limits } }) => {
      const own = body.name === params.name
      const checked = own
        ? await storedAgents?.check(body, caller.tenant, limits.maxSteps)
        : 'The name of an agent cannot change.'
      if (typeof checked === 'string') return refuse('config-invalid', checked)
      const existing = await find(documents, caller.tenant, AGENT_DOCUMENT, params.name)
      if (!existing) return missing(params.name)
      const expected = query.version ?? existing.version
      const put = await documents.put({
        tenant: caller.tenant,
        kind: AGENT_DOCUMENT,
        id: params.name,
        expected,
        data: body as Json,
      })
      if (put.result === 'conflict')
        return refuse(
          'version-conflict',
          `Agent "${params.name}" is now at version ${put.version}. Read it again first.`,
        )
      return ok(rowOf({ id: params.name, version: put.version, data: body as Json }, caller))
    },
  }),
  route({
    method: 'delete',
    path: '/api/agents/{name}',
    name: 'deleteAgent',
    tag: 'agents',
    summary: 'Delete an agent that was created from JSON; its conversations stay',
    scopes: ['admin'],
    params: name,
    responses: { 204: { description: 'The agent was deleted.' } },
    problems: ['not-found'],
    handle: async ({ params, caller, services: { documents, agentIds } }) => {
      const existing = await find(documents, caller.tenant, AGENT_DOCUMENT, params.name)
      if (existing) await remove(documents, { tenant: caller.tenant, kind: AGENT_DOCUMENT, id: params.name })
      // Also frees the id when an earlier creation failed half way.
      await agentIds.remove(caller.tenant, params.name)
      return existing ? { status: 204 } : missing(params.name)
    },
  }),
]

function rowOf({ id: name, version, data }: Pick<Document, 'id' | 'version' | 'data'>, caller: Caller): AgentRow {
  const config = data as JsonObject
  return { name, source: 'config', version, config: isAdmin(caller) ? config : withoutCredentials(config) }
}

function missing(name: string): ReturnType<typeof refuse> {
  return refuse('not-found', `There is no agent "${name}" that was created over HTTP.`)
}

function definedInCode(name: string): string {
  return `Agent "${name}" is part of the program's code. Change it there.`
}
