/** The keys of the caller's tenant, and information about the caller's credential. */
import { SCOPES } from '../auth/principal.ts'
import type { CallerRow } from '@holdpoint/protocol'
import { refuse, ok, page } from '../http/route-answer.ts'
import { route, type Route } from '../http/route.ts'
import { after, id, limit, listOf, scope, z } from '../schemas.ts'

const keyRow = z.object({
  id: z.string(),
  name: z.string(),
  scopes: z.array(scope),
  createdAt: z.number(),
  expiresAt: z.number().optional(),
})

const caller = z
  .object({
    tenant: z.string(),
    by: z.string(),
    kind: z.enum(['key', 'user']),
    scopes: z.array(scope),
    expiresAt: z.number().optional(),
  })
  .openapi('Caller')

export const keyRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/me',
    name: 'whoAmI',
    tag: 'keys',
    summary: 'Get the credential of this request: its tenant, name and scopes',
    scopes: SCOPES,
    query: z.strictObject({}),
    responses: { 200: { description: 'The caller.', schema: caller } },
    handle: async ({ caller: { tenant, by, kind, scopes, expiresAt } }) =>
      ok({ tenant, by, kind, scopes, ...(expiresAt !== undefined && { expiresAt }) } satisfies CallerRow),
  }),
  route({
    method: 'post',
    path: '/api/keys',
    name: 'createKey',
    tag: 'keys',
    summary: 'Create a key. It is shown only once',
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
    responses: {
      201: {
        description: 'The key. A repeated request gets everything but the key itself.',
        schema: keyRow.extend({ key: z.string().optional() }),
      },
    },
    problems: ['limit-reached'],
    handle: async ({
      body: { name, scopes, ttlMs },
      caller,
      services: {
        keys,
        limits: { keysPerTenant },
      },
    }) => {
      const wanted = { name, scopes, ...(ttlMs !== undefined && { ttlMs }) }
      const created = await keys.createUpTo(keysPerTenant, caller.tenant, wanted)
      if (!created)
        return refuse('limit-reached', `A tenant may have at most ${keysPerTenant} keys. Revoke one that is not used.`)
      const { key, ...row } = created
      return { status: 201, body: row, secret: { key } }
    },
  }),
  route({
    method: 'get',
    path: '/api/keys',
    name: 'listKeys',
    tag: 'keys',
    summary: 'List keys, without the keys themselves',
    scopes: ['admin'],
    query: z.strictObject({ after, limit }),
    responses: { 200: { description: 'A page of keys.', schema: listOf(keyRow) } },
    handle: async ({ query, caller, services: { keys } }) =>
      page(await keys.list(caller.tenant, query.after, query.limit ?? 50)),
  }),
  route({
    method: 'delete',
    path: '/api/keys/{id}',
    name: 'revokeKey',
    tag: 'keys',
    summary: 'Revoke a key: at once on this node, within seconds on others',
    scopes: ['admin'],
    params: z.object({ id }),
    responses: { 204: { description: 'The key was revoked.' } },
    problems: ['not-found'],
    handle: async ({ params, caller, services: { keys } }) =>
      (await keys.revoke(caller.tenant, params.id))
        ? { status: 204 }
        : refuse('not-found', `There is no key "${params.id}".`),
  }),
]
