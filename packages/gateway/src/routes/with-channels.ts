/** A route that needs channels. A gateway without them answers as if the path did not exist. */
import type { Channels } from '@holdpoint/channels'
import { refuse, type RouteAnswer } from '../http/route-answer.ts'
import type { RouteRequest } from '../http/route.ts'

export function withChannels<P, Q, B>(
  handle: (asked: RouteRequest<P, Q, B>, channels: Channels) => Promise<RouteAnswer>,
): (asked: RouteRequest<P, Q, B>) => Promise<RouteAnswer> {
  return async (asked) => {
    const { channels } = asked.services
    return channels ? handle(asked, channels) : refuse('not-found', 'This gateway has no channels.')
  }
}
