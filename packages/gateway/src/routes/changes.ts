/** What changes in a tenant, for whoever keeps a list of conversations or holds on a screen. */
import { ok } from '../http/answer.ts'
import { route, wantsStream, type Route } from '../http/route.ts'
import type { Services } from '../services.ts'
import { listOf, seconds, z } from '../schemas.ts'
import { seesAll } from './access.ts'

const LONGEST_WAIT = 30
const change = z.object({ conversationId: z.string().optional() }).openapi('Change')

export const changeRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/changes',
    name: 'changes',
    tag: 'conversations',
    summary: 'Which conversations change; with `Accept: text/event-stream` as it happens. A hint to look again',
    scopes: ['agent', 'reader', 'resolver'],
    query: z.strictObject({ wait: seconds(LONGEST_WAIT) }),
    answers: {
      200: {
        says: 'The first that changed within `wait` seconds, or the stream.',
        schema: listOf(change),
        stream: true,
      },
    },
    problems: ['too-many-streams'],
    handle: async (asked) => {
      const { query, who, request, services } = asked
      // A person may not know of every conversation: they are told that something changed, and ask for what is theirs.
      const named = seesAll(who)
      if (wantsStream(request)) return services.streams.openChanges(asked, named)
      const conversationId = await firstChange(services, who.tenant, (query.wait ?? 0) * 1000)
      return ok({ items: conversationId === undefined ? [] : [named ? { conversationId } : {}] })
    },
  }),
]

function firstChange({ store, closing }: Services, tenant: string, ms: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const done = (id?: string): void => {
      clearTimeout(timer)
      unlisten()
      closing.removeEventListener('abort', over)
      resolve(id)
    }
    const over = (): void => done()
    const timer = setTimeout(over, ms)
    const unlisten = store.listen((what) => (what.tenant === tenant ? done(what.id) : undefined))
    closing.addEventListener('abort', over, { once: true })
  })
}
