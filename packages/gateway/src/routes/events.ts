/** What happened in a conversation: a page of it as JSON, or all of it as it comes. */
import { isSpaceEvent, type LogEvent, type Runtime } from '@holdpoint/core'
import { no, type Answer } from '../http/answer.ts'
import type { ListOf } from '@holdpoint/protocol'
import { route, wantsStream, type Asked, type Route } from '../http/route.ts'
import { may } from '../auth/principal.ts'
import { id, limit, listOf, logEvent, tools, z } from '../schemas.ts'
import { closedLife, isASpace, noConversation } from './access.ts'

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
    query: z.strictObject({ after: z.coerce.number().int().min(0).optional(), limit, tools }),
    answers: { 200: { says: 'A page of them, or the stream.', schema: listOf(logEvent), stream: true } },
    problems: ['not-found', 'is-a-space', 'too-many-streams'],
    handle: async (asked) => {
      const { query, runtime, request, services, who } = asked
      const which = asked.params.id
      const closed = closedLife(who, which) ?? misplacedTools(asked)
      if (closed) return closed
      if (wantsStream(request))
        return (await noConversation(runtime, which)) ?? services.streams.open(asked, which, { tools: query.tools })
      const page = await pageOfEvents(runtime, which, query)
      const { items } = page.body
      if (items.some(isSpaceEvent)) return isASpace(which)
      return (items.length === 0 ? await noConversation(runtime, which) : undefined) ?? page
    },
  }),
]

/** Why nobody can say here that they run client tools. */
export function misplacedTools({
  query,
  who,
  request,
}: Pick<Asked<unknown, { readonly tools?: readonly string[] | undefined }>, 'query' | 'who' | 'request'>):
  | Answer
  | undefined {
  if (!query.tools) return undefined
  if (!may(who, ['agent', 'resolver']))
    return no('scope-missing', 'Whoever runs client tools answers for them: this takes the scope agent or resolver.')
  if (wantsStream(request)) return undefined
  return no('bad-request', '`tools` says who is there, on a stream: ask for text/event-stream.')
}

/** The events after a seq. */
export async function pageOfEvents(
  runtime: Runtime,
  id: string,
  { after = 0, limit: most = PAGE }: { readonly after?: number | undefined; readonly limit?: number | undefined },
): Promise<Answer & { readonly body: ListOf<LogEvent> }> {
  const items = await runtime.events(id, after, most)
  const last = items.at(-1)
  return { status: 200, body: items.length === most && last ? { items, next: String(last.seq) } : { items } }
}
