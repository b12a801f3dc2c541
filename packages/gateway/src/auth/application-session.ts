/**
 * People whom the application identifies by its own login. The gateway trusts the application to identify them. A session
 * with a wrong shape is an error of the application: the gateway logs it and refuses the request.
 */
import type { Scope } from '@holdpoint/protocol'
import { id, scope, tenantList, tenantName, z } from '../schemas.ts'
import type { Caller } from './caller.ts'
import { isReservedName } from './reserved-names.ts'
import type { RefusedCredential } from './tokens.ts'

/** A person, as the application's own login knows them. */
export interface ApplicationSession {
  /** Unique in the tenant. */
  readonly id: string
  readonly tenant?: string
  /**
   * Instead of `tenant`, for staff of several tenants: the first is their own, and a request may name another. They have
   * the same id, scopes and groups in each, so no other person of these tenants may have their id.
   */
  readonly tenants?: readonly string[]
  /** Default: `['agent', 'reader']`: send messages and read. */
  readonly scopes?: readonly Scope[]
  readonly name?: string
  /** Without the prefix: `finance`, where an approval says `group:finance`. */
  readonly groups?: readonly string[]
  /** When the session ends. Streams end with it. */
  readonly expiresAt?: number
}

export type AuthenticateRequest = (
  request: Request,
) => ApplicationSession | undefined | null | Promise<ApplicationSession | undefined | null>

const DEFAULT_SCOPES: readonly Scope[] = ['agent', 'reader']

const fields = z.strictObject({
  id,
  tenant: tenantName.optional(),
  tenants: tenantList.optional(),
  scopes: z.array(scope).optional(),
  name: z.string().max(200).optional(),
  groups: z.array(id).max(1000).optional(),
  expiresAt: z.number().optional(),
})
const shape = fields.refine(({ tenant, tenants }) => tenant === undefined || (tenants?.[0] ?? tenant) === tenant, {
  error: 'must be the first of `tenants`, or left out',
  path: ['tenant'],
})

export function applicationSession(
  authenticate: AuthenticateRequest | undefined,
  refused: (why: RefusedCredential) => void,
  now: () => number,
): (request: Request) => Promise<Caller | undefined> {
  return async (request) => {
    const session = await authenticate?.(request)
    if (!session) return undefined
    const checked = shape.safeParse(session)
    if (!checked.success || isReservedName(checked.data.id)) {
      const [issue] = checked.error?.issues ?? []
      const why = issue
        ? `${issue.path.join('.')}: ${issue.message}`
        : 'names that start with "key:" are reserved for keys'
      refused({ reason: 'session-invalid', message: `\`authenticate\` returned a session that is invalid: ${why}` })
      return undefined
    }
    const { id: by, tenants, tenant = tenants?.[0] ?? '', scopes = DEFAULT_SCOPES, ...rest } = checked.data
    const { name, groups, expiresAt } = rest
    if ((expiresAt ?? Infinity) <= now()) return undefined
    return {
      kind: 'person',
      application: true,
      tenant,
      ...(tenants && { tenants }),
      id: `user:${by}`,
      by,
      scopes,
      ...(name !== undefined && { name }),
      ...(groups && { groups }),
      ...(expiresAt !== undefined && { expiresAt }),
    }
  }
}
