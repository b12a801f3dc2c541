/** What happened in a conversation: a page of it as JSON, or all of it as it comes. */
import { no, ok } from '../http/answer.ts'
import { route, wantsStream, type Route } from '../http/route.ts'
import { id, limit, listOf, logEvent, z } from '../schemas.ts'

const PAGE = 100

export const eventRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/conversations/{id}/events',
    name: 'events',
    tag: 'conversations',
    summary: 'Its events after a seq; with `Accept: text/event-stream` every one that comes, and live frames',
    scopes: ['agent', 'reader', 'worker'],
    params: z.object({ id }),
    query: z.strictObject({ after: z.coerce.number().int().min(0).optional(), limit }),
    answers: { 200: { says: 'A page of them, or the stream.', schema: listOf(logEvent), stream: true } },
    problems: ['not-found', 'too-many-streams'],
    handle: async (asked) => {
      const { query, runtime, request, services } = asked
      const which = asked.params.id
      if (wantsStream(request)) return services.streams.open(asked, which)
      const most = query.limit ?? PAGE
      const items = await runtime.events(which, query.after ?? 0, most)
      if (items.length === 0 && (await runtime.events(which, 0, 1)).length === 0)
        return no('not-found', `There is no conversation "${which}".`)
      const last = items.at(-1)
      return ok(items.length === most && last ? { items, next: String(last.seq) } : { items })
    },
  }),
]
