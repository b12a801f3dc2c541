/** Agents as plain JSON, kept per tenant, beside those that are part of the program. */
import type { Document, Json, JsonObject } from '@holdpoint/core'
import type { AgentRow } from '@holdpoint/protocol'
import { agentRow, madeOf } from '../agent-facts.ts'
import { AGENT } from '../agents-made-here.ts'
import { create, find, list, remove } from '../documents.ts'
import { no, ok, page } from '../http/answer.ts'
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

export const agentRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/api/agents',
    name: 'createAgent',
    tag: 'agents',
    summary: 'Make an agent from plain JSON',
    scopes: ['admin'],
    body: config,
    answers: { 201: { says: 'It is there.', schema: row } },
    problems: ['already-exists', 'config-invalid'],
    handle: async ({ body, who, services: { documents, agents, readAgent } }) => {
      const read = readAgent(body)
      if (typeof read === 'string') return no('config-invalid', read)
      if (agents.some((each) => each.name === body.name)) return no('already-exists', partOfProgram(body.name))
      const put = await create(documents, { tenant: who.tenant, kind: AGENT, id: body.name, data: body as Json })
      if (put.result === 'conflict')
        return no('already-exists', `There is an agent "${body.name}" already. Change it with PUT.`)
      return ok(rowOf({ id: body.name, version: put.version, data: body as Json }), 201)
    },
  }),
  route({
    method: 'get',
    path: '/api/agents',
    name: 'listAgents',
    tag: 'agents',
    summary: 'The agents there are',
    scopes: ['agent', 'reader'],
    query: z.strictObject({ after, limit }),
    answers: { 200: { says: 'A page of them, by name; those of the program on the first.', schema: listOf(row) } },
    handle: async ({ query, who, services: { documents, agents } }) => {
      const { items, next } = await list(documents, {
        tenant: who.tenant,
        kind: AGENT,
        limit: query.limit ?? 50,
        ...(query.after !== undefined && { after: query.after }),
      })
      const own: AgentRow[] = query.after === undefined ? agents.map(agentRow) : []
      return page({ items: [...own, ...items.map(rowOf)], next })
    },
  }),
  route({
    method: 'get',
    path: '/api/agents/{name}',
    name: 'getAgent',
    tag: 'agents',
    summary: 'One agent',
    scopes: ['agent', 'reader'],
    params: name,
    answers: { 200: { says: 'The agent.', schema: row } },
    problems: ['not-found'],
    handle: async ({ params, who, services: { documents, agents, readAgent } }) => {
      const own = agents.find((each) => each.name === params.name)
      if (own) return ok(agentRow(own))
      const doc = await find(documents, who.tenant, AGENT, params.name)
      if (!doc) return missing(params.name)
      // What was good when it was made may not be any more, where the program offers less. It is shown as it is then.
      const read = readAgent(doc.data)
      return ok({ ...rowOf(doc), ...(typeof read !== 'string' && madeOf(read)) })
    },
  }),
  route({
    method: 'put',
    path: '/api/agents/{name}',
    name: 'updateAgent',
    tag: 'agents',
    summary: 'Change an agent that was made from JSON',
    scopes: ['admin'],
    params: name,
    query: z.strictObject({ version: z.coerce.number().int().min(1).optional() }),
    body: config,
    answers: { 200: { says: 'It is as you said.', schema: row } },
    problems: ['not-found', 'version-conflict', 'config-invalid'],
    handle: async ({ params, query, body, who, services: { documents, readAgent } }) => {
      const read = body.name === params.name ? readAgent(body) : 'An agent keeps its name.'
      if (typeof read === 'string') return no('config-invalid', read)
      const there = await find(documents, who.tenant, AGENT, params.name)
      if (!there) return missing(params.name)
      const expected = query.version ?? there.version
      const put = await documents.put({
        tenant: who.tenant,
        kind: AGENT,
        id: params.name,
        expected,
        data: body as Json,
      })
      if (put.result === 'conflict')
        return no('version-conflict', `Agent "${params.name}" is at version ${put.version} now. Read it again first.`)
      return ok(rowOf({ id: params.name, version: put.version, data: body as Json }))
    },
  }),
  route({
    method: 'delete',
    path: '/api/agents/{name}',
    name: 'deleteAgent',
    tag: 'agents',
    summary: 'Remove an agent that was made from JSON; its conversations stay',
    scopes: ['admin'],
    params: name,
    answers: { 204: { says: 'It is gone.' } },
    problems: ['not-found'],
    handle: async ({ params, who, services: { documents } }) => {
      if (!(await find(documents, who.tenant, AGENT, params.name))) return missing(params.name)
      await remove(documents, { tenant: who.tenant, kind: AGENT, id: params.name })
      return { status: 204 }
    },
  }),
]

function rowOf({ id: name, version, data }: Pick<Document, 'id' | 'version' | 'data'>): AgentRow {
  return { name, source: 'config', version, config: data as JsonObject }
}

function missing(name: string): ReturnType<typeof no> {
  return no('not-found', `There is no agent "${name}" that was made here.`)
}

function partOfProgram(name: string): string {
  return `Agent "${name}" is part of the program, and is changed there.`
}
