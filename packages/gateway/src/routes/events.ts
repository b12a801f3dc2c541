/** The events of a conversation: a page as JSON, or a live stream. */
import type { LogEvent } from '@holdpoint/core'
import type { Runtime } from '@holdpoint/spaces'
import { refuse, type RouteAnswer } from '../http/route-answer.ts'
import type { ListOf } from '@holdpoint/protocol'
import { route, wantsStream, type RouteRequest, type Route } from '../http/route.ts'
import { hasScope } from '../auth/caller.ts'
import { id, limit, listOf, logEvent, missing, tools, z } from '../schemas.ts'
import type { StreamAccess } from '../streams/streams.ts'
import { hasEvents, readsForHoldSince, refuseRight, refuseConversation } from './access-rules.ts'

const PAGE = 100

export const eventRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/conversations/{id}/events',
    name: 'events',
    tag: 'conversations',
    summary: 'Events after a seq; with `Accept: text/event-stream` a live stream of events and frames',
    scopes: ['agent', 'reader', 'worker'],
    params: z.object({ id }),
    query: z.strictObject({ after: z.coerce.number().int().min(0).optional(), limit, tools, missing }),
    responses: { 200: { description: 'A page of events, or the stream.', schema: listOf(logEvent), stream: true } },
    problems: ['not-found', 'is-a-space', 'too-many-streams'],
    handle: async (routeRequest) => {
      const { query, runtime, request, services, caller } = routeRequest
      const which = routeRequest.params.id
      const refused = (await refuseRight(routeRequest, which, 'conversation.read')) ?? refuseTools(routeRequest)
      if (refused) return refused
      const notCreated = query.missing === 'ok' && !(await hasEvents(runtime, which))
      const missing = notCreated ? undefined : await refuseConversation(runtime, which)
      if (missing) return missing
      if (wantsStream(request))
        return services.streams.open(routeRequest, which, {
          tools: query.tools,
          notCreated,
          ...(caller.kind === 'person' && { access: await accessTo(routeRequest, which) }),
        })
      return pageOfEvents(runtime, which, query)
    },
  }),
]

/** These events end a hold. */
const HOLD_ENDS: readonly LogEvent['type'][] = ['call.approved', 'call.resumed', 'call.settled', 'answer.arrived']

/**
 * A person who is removed from the conversation gets none of its later events. The stream of an approver, who reads while a
 * hold waits, ends when a hold does: if another one waits, they may open it again.
 */
export async function accessTo(
  asked: Pick<RouteRequest, 'caller' | 'runtime' | 'services'>,
  id: string,
): Promise<StreamAccess> {
  const { by } = asked.caller
  const since = await readsForHoldSince(asked, id)
  return {
    until: (event) =>
      (event.type === 'participants.changed' && event.remove.includes(by)) ||
      (since !== undefined && event.seq > since && HOLD_ENDS.includes(event.type)),
    still: async () => (await refuseRight(asked, id, 'conversation.read')) === undefined,
  }
}

/** The problem when the caller may read no logs, or when the request must not have `tools`. */
export function refuseTools({
  query,
  caller,
  request,
}: Pick<RouteRequest<unknown, { readonly tools?: readonly string[] | undefined }>, 'query' | 'caller' | 'request'>):
  | RouteAnswer
  | undefined {
  if (caller.tools)
    return refuse('scope-missing', 'This key is limited to some tools, but a log contains the calls of every tool.')
  if (!query.tools) return undefined
  if (!hasScope(caller, ['agent', 'resolver']))
    return refuse(
      'scope-missing',
      'A reader that runs client tools answers their calls. This needs the scope agent or resolver.',
    )
  if (wantsStream(request)) return undefined
  return refuse('bad-request', '`tools` is only for streams. Send `Accept: text/event-stream`.')
}

/** The events after a seq. */
export async function pageOfEvents(
  runtime: Runtime,
  id: string,
  { after = 0, limit: most = PAGE }: { readonly after?: number | undefined; readonly limit?: number | undefined },
): Promise<RouteAnswer & { readonly body: ListOf<LogEvent> }> {
  const items = await runtime.events(id, after, most)
  const last = items.at(-1)
  // The store ends a page early when events are large.
  const more = last && (items.length === most || (await runtime.events(id, last.seq, 1)).length > 0)
  return { status: 200, body: more ? { items, next: String(last.seq) } : { items } }
}
