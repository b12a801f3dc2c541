/** A caller with several tenants names the one that a request is about. Without a name it is the caller's own. */
import { callerIn, type Caller } from '../auth/caller.ts'
import { refuse, type RouteAnswer } from './route-answer.ts'

/** The name is URL-encoded. */
const HEADER = 'holdpoint-tenant'
const QUERY = 'tenant'

export function inChosenTenant(
  caller: Caller,
  request: Request,
): { readonly caller: Caller } | { readonly answer: RouteAnswer } {
  const inHeader = decoded(request.headers.get(HEADER))
  const inQuery = new URL(request.url).searchParams.get(QUERY)
  if (inHeader !== null && inQuery !== null && inHeader !== inQuery)
    return { answer: refuse('bad-request', 'The header Holdpoint-Tenant and the query name different tenants.') }
  const name = inQuery ?? inHeader
  if (name === null) return { caller }
  const there = callerIn(caller, name)
  // The same answer for a tenant that exists and one that does not.
  return there ? { caller: there } : { answer: refuse('scope-missing', 'This credential has no such tenant.') }
}

/** The query without the name of the tenant, which every route accepts once. */
export function withoutTenant(query: URLSearchParams): URLSearchParams {
  const rest = new URLSearchParams(query)
  if (rest.getAll(QUERY).length === 1) rest.delete(QUERY)
  return rest
}

function decoded(name: string | null): string | null {
  try {
    return name && decodeURIComponent(name)
  } catch {
    return name
  }
}
