/** Changes in a tenant, for clients that show a list of conversations or holds. */
import { ok } from '../http/route-answer.ts'
import { route, wantsStream, type Route } from '../http/route.ts'
import type { GatewayServices } from '../gateway-services.ts'
import { listOf, seconds, z } from '../schemas.ts'
import { readsWholeTenant } from './access-rules.ts'

const MAX_WAIT_SECONDS = 30
const change = z.object({ conversationId: z.string().optional() }).openapi('Change')

export const changeRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/changes',
    name: 'changes',
    tag: 'conversations',
    summary: 'Which conversations changed; with `Accept: text/event-stream` as they change. A hint to read them again',
    scopes: ['agent', 'reader', 'resolver'],
    query: z.strictObject({ wait: seconds(MAX_WAIT_SECONDS) }),
    responses: {
      200: {
        description: 'The first conversation that changed within `wait` seconds, or the stream.',
        schema: listOf(change),
        stream: true,
      },
    },
    problems: ['too-many-streams'],
    handle: async (routeRequest) => {
      const { query, caller, request, services } = routeRequest
      // A person may not see every conversation, so a token gets no ids, only that something changed.
      const named = readsWholeTenant(caller)
      if (wantsStream(request)) return services.streams.openChanges(routeRequest, named)
      const conversationId = await firstChange(services, caller.tenant, (query.wait ?? 0) * 1000)
      return ok({ items: conversationId === undefined ? [] : [named ? { conversationId } : {}] })
    },
  }),
]

function firstChange({ store, closing }: GatewayServices, tenant: string, ms: number): Promise<string | undefined> {
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
