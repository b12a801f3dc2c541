/** The keys of the caller's tenant, and information about the caller's credential. */
import { SCOPES, tenantsOf } from '../auth/caller.ts'
import type { CallerRow } from '@holdpoint/protocol'
import { refuse, ok, page } from '../http/route-answer.ts'
import { route, type Route } from '../http/route.ts'
import { after, id, limit, listOf, scope, tenantList, z } from '../schemas.ts'

const actsFor = z.union([z.literal(true), z.array(id).max(1000)]).openapi({
  description: 'The people that the key may act for: their ids, or `true` for all. Default: none.',
})

const tools = z.array(id).min(1).max(1000).openapi({
  description: 'With the scope worker alone: the tools whose calls the key may see, claim and resolve. Default: all.',
})
const tenants = tenantList.openapi({
  description: 'The tenants that a request may choose from, the tenant of the key first. Default: only that one.',
})

const keyRow = z.object({
  id: z.string(),
  name: z.string(),
  scopes: z.array(scope),
  createdAt: z.number(),
  expiresAt: z.number().optional(),
  mayActFor: actsFor.optional(),
  tools: tools.optional(),
  tenants: tenants.optional(),
})

const caller = z
  .object({
    tenant: z.string(),
    by: z.string(),
    kind: z.enum(['program', 'person']),
    name: z.string().optional(),
    groups: z.array(z.string()).optional(),
    mayActFor: actsFor.optional(),
    scopes: z.array(scope),
    tools: tools.optional(),
    tenants: tenants.optional(),
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
    handle: async ({ caller: { id: _credential, session: _session, ...row } }) => ok(row satisfies CallerRow),
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
        mayActFor: actsFor.optional(),
        tools: tools.optional(),
        tenants: tenants.optional(),
      })
      .openapi('CreateKey'),
    responses: {
      201: {
        description: 'The key. A repeated request gets everything but the key itself.',
        schema: keyRow.extend({ key: z.string().optional() }),
      },
    },
    problems: ['limit-reached', 'config-invalid'],
    handle: async ({
      body: { ttlMs, mayActFor, tools: limitedTo, tenants: chosen, ...named },
      caller,
      services: {
        keys,
        limits: { keysPerTenant },
      },
    }) => {
      const other = chosen?.find((tenant) => !tenantsOf(caller).includes(tenant))
      if (other !== undefined)
        return refuse('scope-missing', `You can create keys only for your own tenants, and "${other}" is not one.`)
      const wanted = {
        ...named,
        ...(ttlMs !== undefined && { ttlMs }),
        ...(mayActFor && { mayActFor }),
        ...(limitedTo && { tools: limitedTo }),
        ...(chosen && { tenants: chosen }),
      }
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
