/** The health of the store, the processes, the scheduler, the outbox and the channels. For administrators. */
import { readNews } from '@holdpoint/runtime'
import { ok } from '../http/route-answer.ts'
import type { Caller } from '../auth/caller.ts'
import type { GatewayServices } from '../gateway-services.ts'
import { route, type Route } from '../http/route.ts'
import { z } from '../schemas.ts'

const MOST = 1000
const STORE_TIMEOUT_MS = 5000

const backlog = z
  .object({
    count: z.number().int(),
    more: z.boolean().openapi({ description: 'There are more than were counted.' }),
    oldestAt: z.number().optional(),
  })
  .openapi('Backlog')
const node = z
  .object({
    id: z.string(),
    here: z.boolean().openapi({ description: 'The process that answered.' }),
    startedAt: z.number(),
    seenAt: z.number(),
    drives: z.boolean(),
    leased: z.boolean(),
    active: z.number().int(),
    streams: z.number().int(),
    eventLoopMs: z.number(),
    storeMs: z.number(),
    memoryBytes: z.number(),
  })
  .openapi('NodeReport')

export const systemHealthRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/system',
    name: 'systemHealth',
    tag: 'health',
    summary: 'The store, the processes on it, overdue work, the outbox and the channels, and the newest problems',
    scopes: ['admin'],
    responses: {
      200: {
        description: 'What the process that answers knows. Problems are those of this process.',
        schema: z
          .object({
            at: z.number(),
            store: z.object({
              readMs: z.number().optional().openapi({ description: 'Left out when the store did not answer.' }),
              writeMs: z.number().optional(),
            }),
            nodes: z.array(node),
            overdue: backlog.openapi({ description: 'Conversations with work or a deadline that no process took up.' }),
            nextDeadlineAt: z.number().optional(),
            outbox: backlog.openapi({ description: 'News that no channel, webhook or handler was told yet.' }),
            channels: z.array(z.object({ name: z.string(), waiting: z.number().int(), retrying: z.number().int() })),
            problems: z.array(z.object({ at: z.number(), message: z.string(), code: z.string().optional() })),
          })
          .openapi('SystemHealth'),
      },
    },
    handle: async ({ caller, services }) => ok(await systemHealth(caller, services)),
  }),
]

/** With tenants, an administrator of one sees numbers of the processes, and the work and problems of that tenant only. */
async function systemHealth({ tenant }: Caller, services: GatewayServices) {
  const { store, nodes, channels, problems, problem, now } = services
  const own = (of: string | undefined): boolean => tenant === '' || of === tenant
  const since = performance.now()
  const readMs = await within(
    store.heads([{ tenant, id: 'health' }]).then(() => performance.now() - since),
    problem,
  )
  const base = {
    at: now(),
    problems: problems()
      .filter((each) => own(each.tenant))
      .map(({ tenant: _of, ...rest }) => rest),
  }
  const nothing = { count: 0, more: false }
  if (readMs === undefined) return { ...base, store: {}, nodes: [], overdue: nothing, outbox: nothing, channels: [] }
  const written = await within(
    nodes.report().then(() => true),
    problem,
  )
  const [reports, due, news] = await Promise.all([nodes.list(), store.due({ limit: MOST }), readNews(store, MOST)])
  const overdue = due.conversations.filter((each) => own(each.tenant))
  const unread = news.filter((each) => own(each.tenant))
  const [oldest] = unread
  return {
    ...base,
    store: { readMs, ...(written && { writeMs: nodes.storeMs }) },
    nodes: reports.map((each) => ({ ...each, here: each.id === nodes.id })),
    overdue: { count: overdue.length, more: due.conversations.length === MOST },
    ...(due.next !== undefined && { nextDeadlineAt: due.next }),
    outbox: { count: unread.length, more: news.length === MOST, ...(oldest && { oldestAt: oldest.at }) },
    channels: channels?.waiting(tenant === '' ? undefined : tenant) ?? [],
  }
}

/** Undefined when it failed, or took too long: the page must say so instead of waiting. */
async function within<T>(work: Promise<T>, problem: (error: unknown) => void): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, STORE_TIMEOUT_MS, undefined)
  })
  try {
    return await Promise.race([work, late])
  } catch (error) {
    problem(error)
    return undefined
  } finally {
    clearTimeout(timer)
  }
}
