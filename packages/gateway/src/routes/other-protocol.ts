/** What the routes of other protocols share: the same rights and streams as our own routes. */
import type { Principal, Resolution, ResolveResult } from '@holdpoint/core'
import { refuse, type RouteAnswer } from '../http/route-answer.ts'
import type { RouteRequest } from '../http/route.ts'
import type { SpokenProtocol } from '../streams/streams.ts'
import { id } from '../schemas.ts'
import { hasEvents, refuseConversation, refuseCustom, refuseRight } from './access-rules.ts'
import { accessTo } from './events.ts'
import { allowedKinds } from './holds.ts'
import { authorOf, deciderOf } from './request-author.ts'

type Asked = Pick<RouteRequest, 'caller' | 'services' | 'runtime'>

/** The author of a message to the conversation that the body names, or why the caller may not write there. */
export async function writerOf(
  asked: Asked,
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

/** An answer to one hold, as a page of another protocol showed it. */
interface ShownAnswer {
  readonly callId: string
  readonly nth: number
  readonly resolution: Resolution
}

/** With the rights of the caller, exactly as the route that resolves one hold. */
export async function resolveAs(
  asked: Asked,
  which: string,
  { callId, nth, resolution }: ShownAnswer,
): Promise<ResolveResult> {
  const { caller, runtime } = asked
  const from = await deciderOf(asked, undefined)
  if ('answer' in from || (await refuseCustom(asked, which, callId)))
    return { verdict: 'not-allowed', message: 'You may not answer this.' }
  return runtime.resolve(which, callId, resolution, { by: from.by, hold: nth, ...allowedKinds(caller, ['client']) })
}

/** Ends for a person who is removed from the conversation, like our own streams. */
export async function streamIn(spoken: SpokenProtocol, asked: RouteRequest, which: string): Promise<RouteAnswer> {
  const isPerson = asked.caller.kind === 'person'
  return asked.services.streams.open(asked, which, {
    spoken,
    ...(isPerson && { access: await accessTo(asked, which) }),
  })
}
