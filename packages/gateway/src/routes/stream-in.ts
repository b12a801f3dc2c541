/** The stream of a conversation in another protocol. */
import type { RouteAnswer } from '../http/route-answer.ts'
import type { RouteRequest } from '../http/route.ts'
import type { SpokenProtocol } from '../streams/streams.ts'
import { accessTo } from './events.ts'

/** Ends for a person who is removed from the conversation, like our own streams. */
export async function streamIn(spoken: SpokenProtocol, asked: RouteRequest, which: string): Promise<RouteAnswer> {
  const isPerson = asked.caller.kind === 'person'
  return asked.services.streams.open(asked, which, {
    spoken,
    ...(isPerson && { access: await accessTo(asked, which) }),
  })
}
