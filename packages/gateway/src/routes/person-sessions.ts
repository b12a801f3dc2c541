/**
 * The sessions of people who signed in. A person sees and ends their own, an admin those of a person of the tenant. An id
 * that does not exist gets the same answer as the id of another person, so that guessing tells nothing.
 */
import { ownTenantOf, SCOPES } from '../auth/caller.ts'
import { rowOfSession } from '../auth/cookie-sessions.ts'
import { page } from '../http/route-answer.ts'
import { route, type Route } from '../http/route.ts'
import { after, id, limit, listOf, z } from '../schemas.ts'

const row = z
  .object({
    id: z.string(),
    createdAt: z.number(),
    expiresAt: z.number(),
    browser: z.string().optional().openapi({ description: 'The `User-Agent` header of the sign-in.' }),
    current: z.literal(true).optional().openapi({ description: 'The session of this request.' }),
  })
  .openapi('PersonSession')
const PAGE = 50

export const personSessionRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/me/sessions',
    name: 'listMySessions',
    tag: 'people',
    summary: 'List the browsers in which the caller is signed in. A program has none',
    scopes: SCOPES,
    query: z.strictObject({ after, limit }),
    responses: { 200: { description: 'A page of sessions.', schema: listOf(row) } },
    handle: async ({ query, caller, services: { sessions } }) => {
      const { items, next } = await sessions.list(ownTenantOf(caller), caller.by, {
        after: query.after,
        limit: query.limit ?? PAGE,
      })
      return page({ items: items.map((each) => rowOfSession(each, caller.session)), next })
    },
  }),
  route({
    method: 'delete',
    path: '/api/me/sessions/{id}',
    name: 'endMySession',
    tag: 'people',
    summary: 'End a session of the caller, and its streams',
    scopes: SCOPES,
    params: z.object({ id }),
    query: z.strictObject({}),
    responses: { 204: { description: 'The caller has no such session any more.' } },
    handle: async ({ params, caller, services: { sessions } }) => {
      await sessions.endOne(ownTenantOf(caller), caller.by, params.id)
      return { status: 204 }
    },
  }),
  route({
    method: 'delete',
    path: '/api/me/sessions',
    name: 'endMyOtherSessions',
    tag: 'people',
    summary: 'End all sessions of the caller but the one of this request',
    scopes: SCOPES,
    query: z.strictObject({}),
    responses: { 204: { description: 'The caller has no other session any more.' } },
    handle: async ({ caller, services: { sessions } }) => {
      await sessions.endAll(ownTenantOf(caller), caller.by, caller.session)
      return { status: 204 }
    },
  }),
  route({
    method: 'get',
    path: '/api/people/{id}/sessions',
    name: 'listSessions',
    tag: 'people',
    summary: 'List the browsers in which a person of the tenant is signed in',
    scopes: ['admin'],
    params: z.object({ id }),
    query: z.strictObject({ after, limit }),
    responses: { 200: { description: 'A page of sessions.', schema: listOf(row) } },
    handle: async ({ params, query, caller, services: { sessions } }) => {
      const { items, next } = await sessions.list(caller.tenant, params.id, {
        after: query.after,
        limit: query.limit ?? PAGE,
      })
      return page({ items: items.map((each) => rowOfSession(each, caller.session)), next })
    },
  }),
  route({
    method: 'delete',
    path: '/api/people/{id}/sessions',
    name: 'endSessions',
    tag: 'people',
    summary: 'End all sessions of a person of the tenant, and their streams',
    scopes: ['admin'],
    params: z.object({ id }),
    query: z.strictObject({}),
    responses: { 204: { description: 'The person has no session any more.' } },
    handle: async ({ params, caller, services: { sessions } }) => {
      await sessions.endAll(caller.tenant, params.id)
      return { status: 204 }
    },
  }),
]
