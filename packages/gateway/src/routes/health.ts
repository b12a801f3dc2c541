/** Liveness and readiness checks. */
import type { Store } from '@holdpoint/core'
import { ok, refuse } from '../http/route-answer.ts'
import { route, type Route } from '../http/route.ts'
import { z } from '../schemas.ts'

const status = z.object({ status: z.string() })
const TIMEOUT_MS = 2000
const CACHE_MS = 1000

export const healthRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/health',
    name: 'health',
    tag: 'health',
    summary: 'The process is running',
    scopes: [],
    responses: { 200: { description: 'The process is running.', schema: status } },
    handle: async () => ok({ status: 'ok' }),
  }),
  route({
    method: 'get',
    path: '/api/ready',
    name: 'ready',
    tag: 'health',
    summary: 'The gateway accepts requests and its store responds',
    scopes: [],
    responses: { 200: { description: 'The gateway is ready.', schema: status } },
    problems: ['closed', 'store-unavailable'],
    handle: async ({ services: { store, closing, now } }) => {
      if (closing.aborted) return refuse('closed', 'This gateway is shutting down.')
      return (await responds(store, now()))
        ? ok({ status: 'ok' })
        : refuse('store-unavailable', 'The store does not respond.')
    },
  }),
]

/** The last check of each store. The route needs no authentication, so the result is cached to protect the store. */
const checks = new WeakMap<Store, { readonly at: number; readonly responds: Promise<boolean> }>()

function responds(store: Store, now: number): Promise<boolean> {
  const last = checks.get(store)
  if (last && Math.abs(now - last.at) < CACHE_MS) return last.responds
  const answered = store.heads([{ tenant: '', id: 'ready' }]).then(
    () => true,
    () => false,
  )
  const late = new Promise<boolean>((resolve) => setTimeout(resolve, TIMEOUT_MS, false).unref())
  const either = Promise.race([answered, late])
  checks.set(store, { at: now, responds: either })
  return either
}
