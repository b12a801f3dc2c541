/** The author of a message or an answer. A token acts only for its person; a key may name another author. */
import type { Principal } from '../auth/principal.ts'
import { isReservedName } from '../auth/reserved-names.ts'
import { refuse, type RouteAnswer } from '../http/route-answer.ts'

/** A reader of the log would take such a name for a key. */
export const reservedName: RouteAnswer = refuse(
  'scope-missing',
  'Names that start with "key:" are reserved for keys. Leave `by` out to act as your own key.',
)

export function authorOf(
  caller: Principal,
  given: string | undefined,
): { readonly by: string } | { readonly answer: RouteAnswer } {
  if (given === undefined || given === caller.by) return { by: caller.by }
  if (isReservedName(given)) return { answer: reservedName }
  if (caller.kind === 'key') return { by: given }
  return { answer: refuse('scope-missing', 'A token acts only for its own `sub`. Leave `by` out.') }
}
