/** The people of a tenant and their groups, and delegations of decisions. */
import type { PersonRow } from '@holdpoint/protocol'
import { principalOf } from '../auth/caller.ts'
import { erasePerson } from '../erase-person.ts'
import { exportPerson } from '../person-export.ts'
import { answerOfLines } from '../http/answer-of-lines.ts'
import { refuse, ok, page } from '../http/route-answer.ts'
import { route, type Route } from '../http/route.ts'
import { after, by, id, limit, listOf, z } from '../schemas.ts'
import { reason } from './erase-conversation.ts'
import { authorOf } from './request-author.ts'

const person = z
  .object({ id: z.string(), name: z.string().optional(), groups: z.array(z.string()).optional() })
  .openapi('Person')
const delegation = z
  .object({ from: z.string(), to: z.string(), until: z.number(), groups: z.array(z.string()).optional() })
  .openapi('Delegation')
const exportLine = z.looseObject({ type: z.string() }).openapi('ExportLine')
const LONGEST_DELEGATION_MS = 366 * 86_400_000

export const peopleRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/people',
    name: 'listPeople',
    tag: 'people',
    summary: 'List people and their groups',
    scopes: ['admin'],
    query: z.strictObject({ after, limit }),
    responses: { 200: { description: 'A page of people.', schema: listOf(person) } },
    handle: async ({ query, caller, services: { people } }) =>
      page(await people.list(caller.tenant, query.after, query.limit ?? 50)),
  }),
  route({
    method: 'put',
    path: '/api/people/{id}',
    name: 'putPerson',
    tag: 'people',
    summary: 'Set the name and the groups that a person has when a key or a delegate acts for them',
    scopes: ['admin'],
    params: z.object({ id }),
    body: z
      .strictObject({ name: z.string().min(1).max(200).optional(), groups: z.array(id).max(1000).optional() })
      .openapi('PutPerson'),
    responses: { 200: { description: 'The person.', schema: person } },
    handle: async ({ params, body: { name, groups }, caller, services: { people, names } }) => {
      const row: PersonRow = { id: params.id, ...(name !== undefined && { name }), ...(groups && { groups }) }
      await people.put(caller.tenant, row)
      names.forget(caller.tenant, params.id)
      return ok(row)
    },
  }),
  route({
    method: 'delete',
    path: '/api/people/{id}',
    name: 'removePerson',
    tag: 'people',
    summary:
      'Remove a person: their delegations end, and keys that act for them have no groups. Open holds lose them as assignee',
    scopes: ['admin'],
    params: z.object({ id }),
    responses: { 204: { description: 'The person was removed.' } },
    problems: ['not-found'],
    handle: async ({ params, caller, runtime, services: { people, delegations, names, channels } }) => {
      if (!(await people.find(caller.tenant, params.id)))
        return refuse('not-found', `There is no person "${params.id}".`)
      // First: a request that is repeated after a crash hands over the rest, as long as the person is listed.
      const handed = await runtime.handOver(params.id, { by: principalOf(caller) })
      if (!handed.ok) return refuse(handed.refusal, handed.message)
      // A delegation has the groups from when it was made, for people who are not listed.
      await delegations.removeFrom(caller.tenant, params.id)
      // Their accounts elsewhere would still decide for them.
      await channels?.people.remove(caller.tenant, params.id)
      await people.remove(caller.tenant, params.id)
      names.forget(caller.tenant, params.id)
      return { status: 204 }
    },
  }),
  route({
    method: 'post',
    path: '/api/people/{id}/hand-over',
    name: 'handOver',
    tag: 'people',
    summary: 'Hand over the open holds that are assigned to a person who left. It reads every open hold of the tenant',
    scopes: ['admin'],
    params: z.object({ id }),
    body: z
      .strictObject({ to: id.optional().openapi({ description: 'The new assignee. Default: no one.' }) })
      .optional()
      .openapi('HandOver'),
    responses: {
      200: { description: 'How many holds were handed over.', schema: z.object({ holds: z.number().int() }) },
    },
    problems: ['not-allowed'],
    handle: async ({ params, body, caller, runtime }) => {
      const options = { by: principalOf(caller), ...(body?.to !== undefined && { to: body.to }) }
      const handed = await runtime.handOver(params.id, options)
      return handed.ok ? ok({ holds: handed.holds }) : refuse(handed.refusal, handed.message)
    },
  }),
  route({
    method: 'get',
    path: '/api/people/{id}/export',
    name: 'exportPerson',
    tag: 'people',
    summary: 'Export everything that is stored about a person, as lines of JSON. It reads every log of the tenant',
    scopes: ['admin'],
    params: z.object({ id }),
    responses: {
      200: {
        description:
          'Lines of JSON, each with a `type`: the person, delegations, keys, sessions, conversations, events. The last line has the type `end`; without it, the export is incomplete.',
        lines: exportLine,
      },
    },
    handle: async ({ params, caller: { tenant }, runtime, services }) => {
      const lines = exportPerson({ services, runtime, tenant, person: params.id })
      return answerOfLines(lines, services)
    },
  }),
  route({
    method: 'post',
    path: '/api/people/{id}/erase',
    name: 'erasePerson',
    tag: 'people',
    summary:
      'Erase what is stored about a person: sessions, delegations, record, channels, and their own conversations, which `to` may get instead. The answer says what stays. It reads every log of the tenant',
    scopes: ['admin'],
    params: z.object({ id }),
    body: z
      .strictObject({
        to: id.optional().openapi({ description: 'The new owner of their conversations and spaces.' }),
        reason,
      })
      .optional()
      .openapi('ErasePerson'),
    responses: {
      200: {
        description: 'What was done, and what still names the person.',
        schema: z
          .object({
            erased: z.number().int(),
            handedOver: z.number().int(),
            left: z.number().int(),
            stays: z.object({
              logs: z.array(z.object({ id: z.string(), events: z.number().int() })),
              events: z.number().int(),
              keys: z.array(z.string()),
            }),
          })
          .openapi('PersonErased'),
      },
    },
    handle: async ({ params, body, caller, runtime, services }) => {
      if (body?.to === params.id) return refuse('bad-request', '"to" is the person who is erased.')
      const { to, reason: why } = body ?? {}
      const options = { ...(to !== undefined && { to }), ...(why !== undefined && { reason: why }) }
      const by = principalOf(caller)
      return ok(await erasePerson({ services, runtime, tenant: caller.tenant, person: params.id, by, ...options }))
    },
  }),
  route({
    method: 'get',
    path: '/api/delegations',
    name: 'listDelegations',
    tag: 'people',
    summary: 'List the people who let the caller decide in their place, or those whom the caller lets decide',
    scopes: ['agent', 'resolver', 'reader'],
    query: z.strictObject({
      view: z.enum(['received', 'given']).optional().openapi({ description: 'Default: `received`.' }),
      by,
    }),
    responses: {
      200: { description: 'The delegations to the caller, or from the caller.', schema: listOf(delegation) },
    },
    handle: async ({ query: { view, by: given }, caller, services }) => {
      const { delegations } = services
      const person = await authorOf({ caller, services }, given)
      if ('answer' in person) return person.answer
      const { id } = person.by
      const rows = view === 'given' ? delegations.rowsFrom(caller.tenant, id) : delegations.rowsTo(caller.tenant, id)
      return page({ items: await rows, next: undefined })
    },
  }),
  route({
    method: 'put',
    path: '/api/delegations/{id}',
    name: 'delegate',
    tag: 'people',
    summary: 'Let this person decide in the place of the caller until a time. The log records both',
    scopes: ['agent', 'resolver'],
    params: z.object({ id }),
    body: z.strictObject({ until: z.number(), by }).openapi('Delegate'),
    responses: { 200: { description: 'The delegation.', schema: delegation } },
    problems: ['not-allowed', 'limit-reached'],
    handle: async ({ params, body: { until, by: given }, caller, services }) => {
      const { delegations, now } = services
      const from = await authorOf({ caller, services }, given)
      if ('answer' in from) return from.answer
      const { id: person, kind, groups } = from.by
      if (kind !== 'person') return refuse('not-allowed', 'Only a person delegates their decisions.')
      if (params.id === person) return refuse('bad-request', 'A person cannot delegate to themselves.')
      if (until <= now() || until > now() + LONGEST_DELEGATION_MS)
        return refuse('bad-request', '"until" must be a time in the future, at most a year from now.')
      const row = { from: person, to: params.id, until, ...(groups && { groups }) }
      if (await delegations.put(caller.tenant, row)) return ok(row)
      return refuse('limit-reached', `"${params.id}" has as many delegations as a person can have.`)
    },
  }),
  route({
    method: 'delete',
    path: '/api/delegations/{id}',
    name: 'endDelegation',
    tag: 'people',
    summary: 'End the delegation from the caller to this person',
    scopes: ['agent', 'resolver'],
    params: z.object({ id }),
    query: z.strictObject({ by }),
    responses: { 204: { description: 'There is no such delegation any more.' } },
    handle: async ({ params, query, caller, services }) => {
      const from = await authorOf({ caller, services }, query.by)
      if ('answer' in from) return from.answer
      await services.delegations.remove(caller.tenant, from.by.id, params.id)
      return { status: 204 }
    },
  }),
]
