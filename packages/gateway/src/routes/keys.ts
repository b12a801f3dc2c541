/** Keys of the caller's own tenant. */
import { no, page } from '../http/answer.ts'
import { route, type Route } from '../http/route.ts'
import { after, id, limit, listOf, scope, z } from '../schemas.ts'

const keyRow = z.object({
  id: z.string(),
  name: z.string(),
  scopes: z.array(scope),
  createdAt: z.number(),
  expiresAt: z.number().optional(),
})

export const keyRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/api/keys',
    name: 'createKey',
    tag: 'keys',
    summary: 'Make a key. It is shown this once',
    scopes: ['admin'],
    body: z
      .strictObject({
        name: id,
        scopes: z.array(scope).min(1).max(5),
        ttlMs: z
          .number()
          .int()
          .min(1000)
          .max(100 * 365 * 86_400_000)
          .optional(),
      })
      .openapi('CreateKey'),
    answers: {
      201: {
        says: 'The key. When the request is repeated, everything but the key itself.',
        schema: keyRow.extend({ key: z.string().optional() }),
      },
    },
    handle: async ({ body: { name, scopes, ttlMs }, who, services: { keys } }) => {
      const { key, ...row } = await keys.create(who.tenant, { name, scopes, ...(ttlMs !== undefined && { ttlMs }) })
      return { status: 201, body: row, secret: { key } }
    },
  }),
  route({
    method: 'get',
    path: '/api/keys',
    name: 'listKeys',
    tag: 'keys',
    summary: 'The keys there are, without the keys themselves',
    scopes: ['admin'],
    query: z.strictObject({ after, limit }),
    answers: { 200: { says: 'A page of them.', schema: listOf(keyRow) } },
    handle: async ({ query, who, services: { keys } }) =>
      page(await keys.list(who.tenant, query.after, query.limit ?? 50)),
  }),
  route({
    method: 'delete',
    path: '/api/keys/{id}',
    name: 'revokeKey',
    tag: 'keys',
    summary: 'Revoke a key: here at once, on other nodes within seconds',
    scopes: ['admin'],
    params: z.object({ id }),
    answers: { 204: { says: 'It is of no more use.' } },
    problems: ['not-found'],
    handle: async ({ params, who, services: { keys } }) =>
      (await keys.revoke(who.tenant, params.id)) ? { status: 204 } : no('not-found', `There is no key "${params.id}".`),
  }),
]
