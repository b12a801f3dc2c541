/** The author of a message or an answer. A person acts for themselves; a key may act for people, if it has that right. */
import type { Principal } from '@holdpoint/core'
import { hasScope, mayActFor, principalOf, type Caller } from '../auth/caller.ts'
import { isReservedName } from '../auth/reserved-names.ts'
import { refuse, type RouteAnswer } from '../http/route-answer.ts'
import type { GatewayServices } from '../gateway-services.ts'

/** A reader of the log would take such a name for a key. */
export const reservedName: RouteAnswer = refuse(
  'scope-missing',
  'Names that start with "key:" are reserved for keys. Leave `by` out to act as your own key.',
)

export function mayNotActFor(person: string): RouteAnswer {
  return refuse(
    'scope-missing',
    `This key may not act for "${person}". Leave the name out, or use a key that was created with "mayActFor".`,
  )
}

type Asked = {
  readonly caller: Caller
  readonly services: Pick<GatewayServices, 'people' | 'delegations' | 'authorize'>
}
type AuthorAnswer = { readonly by: Principal } | { readonly answer: RouteAnswer }

/** The caller, or the person it acts for. The groups of that person are read now. */
export async function authorOf({ caller, services }: Asked, given: string | undefined): Promise<AuthorAnswer> {
  if (given === undefined || given === caller.by)
    return { by: services.authorize ? unlimited(caller) : principalOf(caller) }
  if (isReservedName(given)) return { answer: reservedName }
  if (caller.kind === 'person')
    return { answer: refuse('scope-missing', 'A token acts only for its own `sub`. Leave `by` out.') }
  if (!mayActFor(caller, given)) return { answer: mayNotActFor(given) }
  return { by: { ...(await services.people.principal(caller.tenant, given)), via: caller.by, auth: 'key' } }
}

/** The caller, with access to every conversation: for routes that have checked another right. */
function unlimited(caller: Caller): Principal {
  const { access: _own, ...principal } = principalOf(caller)
  return principal
}

/** The author of a decision, with the people who delegated to them. */
export async function deciderOf(asked: Asked, given: string | undefined): Promise<AuthorAnswer> {
  const found = await authorOf(asked, given)
  if ('answer' in found || found.by.kind !== 'person') return found
  // A resolver may decide in every conversation of the tenant.
  const author =
    hasScope(asked.caller, ['resolver']) && (given ?? asked.caller.by) === asked.caller.by
      ? { by: unlimited(asked.caller) }
      : found
  const { people, delegations: known } = asked.services
  const delegations = await known.to(asked.caller.tenant, author.by.id, people)
  return delegations.length > 0 ? { by: { ...author.by, delegations } } : author
}
