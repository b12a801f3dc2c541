/** Whether the process is there, and whether it is of use. */
import { ok, no } from '../http/answer.ts'
import { route, type Route } from '../http/route.ts'
import { z } from '../schemas.ts'

const status = z.object({ status: z.string() })
const READY_MS = 2000

export const healthRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/health',
    name: 'health',
    tag: 'health',
    summary: 'The process is there',
    scopes: [],
    answers: { 200: { says: 'It is there.', schema: status } },
    handle: async () => ok({ status: 'ok' }),
  }),
  route({
    method: 'get',
    path: '/api/ready',
    name: 'ready',
    tag: 'health',
    summary: 'It takes requests, and its store answers',
    scopes: [],
    answers: { 200: { says: 'It is.', schema: status } },
    problems: ['closed', 'store-unavailable'],
    handle: async ({ services: { store, closing } }) => {
      if (closing.aborted) return no('closed', 'This gateway is shutting down.')
      const answered = store.heads([{ tenant: '', id: 'ready' }]).then(
        () => true,
        () => false,
      )
      const late = new Promise<boolean>((resolve) => setTimeout(resolve, READY_MS, false).unref())
      return (await Promise.race([answered, late]))
        ? ok({ status: 'ok' })
        : no('store-unavailable', 'The store does not answer.')
    },
  }),
]
