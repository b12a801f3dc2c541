/** Who writes, for routes of other protocols: the body names the conversation. */
import type { Principal } from '@holdpoint/core'
import { refuse, type RouteAnswer } from '../http/route-answer.ts'
import type { RouteRequest } from '../http/route.ts'
import { id } from '../schemas.ts'
import { hasEvents, refuseConversation, refuseRight } from './access-rules.ts'
import { authorOf } from './request-author.ts'

/** The author of a message to the conversation that the body names, or why the caller may not write there. */
export async function writerOf(
  asked: Pick<RouteRequest, 'caller' | 'services' | 'runtime'>,
  field: string,
  given: string,
): Promise<{ readonly by: Principal } | { readonly answer: RouteAnswer }> {
  const which = id.safeParse(given)
  if (!which.success)
    return {
      answer: refuse('bad-request', `The request is invalid: body.${field}: ${which.error.issues[0]?.message}.`),
    }
  const refused = await refuseRight(asked, which.data, 'conversation.write')
  if (refused) return { answer: refused }
  const wrong = (await hasEvents(asked.runtime, which.data)) && (await refuseConversation(asked.runtime, which.data))
  if (wrong) return { answer: wrong }
  return authorOf(asked, undefined)
}
