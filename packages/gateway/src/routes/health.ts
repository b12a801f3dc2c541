/** Whether the process is there, and whether it is of use. */
import type { Store } from '@holdpoint/core'
import { ok, no } from '../http/answer.ts'
import { route, type Route } from '../http/route.ts'
import { z } from '../schemas.ts'

const status = z.object({ status: z.string() })
const READY_MS = 2000
const FRESH_MS = 1000

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
    handle: async ({ services: { store, closing, now } }) => {
      if (closing.aborted) return no('closed', 'This gateway is shutting down.')
      return (await answers(store, now()))
        ? ok({ status: 'ok' })
        : no('store-unavailable', 'The store does not answer.')
    },
  }),
]

/** Whether each store answers, as of a moment ago. Anybody may ask, so a thousand who do cost it one question. */
const asked = new WeakMap<Store, { readonly at: number; readonly answers: Promise<boolean> }>()

function answers(store: Store, now: number): Promise<boolean> {
  const last = asked.get(store)
  if (last && Math.abs(now - last.at) < FRESH_MS) return last.answers
  const answered = store.heads([{ tenant: '', id: 'ready' }]).then(
    () => true,
    () => false,
  )
  const late = new Promise<boolean>((resolve) => setTimeout(resolve, READY_MS, false).unref())
  const either = Promise.race([answered, late])
  asked.set(store, { at: now, answers: either })
  return either
}
