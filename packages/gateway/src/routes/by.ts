/** Who says it. A person's token speaks for that person alone; a program may say for whom it speaks. */
import type { Principal } from '../auth/principal.ts'
import { no, type Answer } from '../http/answer.ts'

export function speaker(
  who: Principal,
  given: string | undefined,
): { readonly by: string } | { readonly answer: Answer } {
  if (given === undefined || given === who.by) return { by: who.by }
  if (who.kind === 'key') return { by: given }
  return { answer: no('scope-missing', 'A token speaks for its own `sub` alone: leave `by` out.') }
}
