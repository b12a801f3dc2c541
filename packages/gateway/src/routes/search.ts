/** Search in conversations. A caller finds only what they may read. */
import type { Principal } from '@holdpoint/core'
import { CALL_STATES, type SearchFilter, type SearchOptions } from '@holdpoint/runtime'
import { ok } from '../http/route-answer.ts'
import { route, type Route, type RouteRequest } from '../http/route.ts'
import { after, conversationRow, id, z } from '../schemas.ts'
import { listedFor, readsWholeTenant, refuseRight } from './access-rules.ts'
import { refuseTools } from './events.ts'
import { deciderOf } from './request-author.ts'

const time = z.coerce.number().int().min(0).optional()
const query = z.strictObject({
  text: z.string().min(1).max(500).optional().openapi({ description: 'A part of a message, a reply or a call.' }),
  agent: id.optional(),
  tool: id.optional(),
  person: id.optional().openapi({ description: 'Wrote the message, asked for the call, or decided about it.' }),
  status: z.enum(['running', 'held', 'idle']).optional(),
  in: z.enum(['all', 'messages', 'calls', 'holds']).optional(),
  state: z.enum(CALL_STATES).optional(),
  since: time,
  until: time,
  after,
  limit: z.coerce.number().int().min(1).max(100).optional(),
})
const entry = z
  .object({
    kind: z.enum(['message', 'reply', 'call']),
    seq: z.number().int(),
    at: z.number(),
    text: z.string().openapi({ description: 'The text around what was found.' }),
    people: z.array(z.string()),
    callId: z.string().optional(),
    tool: z.string().optional(),
    states: z.array(z.enum(CALL_STATES)).optional(),
  })
  .openapi('FoundEntry')
const found = z
  .intersection(
    conversationRow,
    z.object({
      found: z.array(entry).openapi({ description: 'The newest five.' }),
      count: z.number().int(),
      cut: z.literal(true).optional().openapi({ description: 'Only its newest events were searched.' }),
    }),
  )
  .openapi('FoundConversation')

export const searchRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/search',
    name: 'search',
    tag: 'conversations',
    summary:
      'Search conversations, messages, calls and holds. Each page searches a limited part of the store and says how much',
    scopes: ['agent', 'reader'],
    query,
    responses: {
      200: {
        description: 'A page. It may be empty and have a `next`: then ask again with it.',
        schema: z
          .object({
            items: z.array(found),
            searched: z.object({ conversations: z.number().int(), events: z.number().int() }),
            unreadable: z.number().int().openapi({ description: 'Conversations with a damaged log.' }),
            next: z.string().optional(),
          })
          .openapi('SearchPage'),
      },
    },
    problems: ['config-invalid'],
    handle: async (asked) => {
      const refused = refuseTools({ ...asked, query: {} })
      if (refused) return refused
      const { runtime, services } = asked
      const { after, ...given } = asked.query
      const filter = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
      const { next, ...rights } = await rightsOf(asked, after)
      const page = await runtime.search({
        ...(filter as SearchFilter),
        ...listedFor(asked),
        ...rights,
        shown: services.redact,
      })
      return ok({ ...page, next: next ?? page.next })
    },
  }),
]

const MOST_HOLDS = 50
/** Before the place in the list of holds, in the `after` of a page that searched only conversations of holds. */
const IN_HOLDS = 'holds:'

type Asked = Pick<RouteRequest, 'caller' | 'runtime' | 'services'>
type Rights = Pick<SearchOptions, 'mayRead' | 'also' | 'only' | 'after'> & { readonly next?: string }

/**
 * Each conversation is read by the right that opens it. An approver also finds those that wait for their decision: they come
 * first, as many pages as they need, and the last of these pages begins with the list.
 */
async function rightsOf(asked: Asked, after: string | undefined): Promise<Rights> {
  const { caller, runtime, services } = asked
  const listed = after === undefined ? {} : { after }
  if (!services.authorize && readsWholeTenant(caller)) return listed
  const mayRead = async (which: string): Promise<boolean> =>
    (await refuseRight(asked, which, 'conversation.read')) === undefined
  if (services.authorize) return { ...listed, mayRead }
  const inHolds = after === undefined || after.startsWith(IN_HOLDS)
  const from = await deciderOf({ caller, services }, undefined)
  if (!inHolds || 'answer' in from) return { ...listed, mayRead }
  const place = after === undefined ? {} : { after: after.slice(IN_HOLDS.length) }
  const { items, next } = await runtime.pending({ by: from.by, view: 'mine', limit: MOST_HOLDS, ...place })
  const found = await Promise.all(
    items.map(async (hold) => ((await isAlso(asked, hold, from.by)) ? [hold.conversationId] : [])),
  )
  const rights = { mayRead, also: [...new Set(found.flat())] }
  return next === undefined ? rights : { ...rights, only: 'also', next: IN_HOLDS + next }
}

/** Conversations in which the caller takes part are in the list. The others are found by their first hold. */
async function isAlso(
  { caller, runtime }: Asked,
  { conversationId, callId }: Waiting,
  by: Principal,
): Promise<boolean> {
  const people = await runtime.participants(conversationId)
  if (people !== undefined && (people.owner === caller.by || people.participants.includes(caller.by))) return false
  const { items } = await runtime.pending({ conversationId, by, view: 'mine', limit: 1 })
  return items[0]?.callId === callId
}

interface Waiting {
  readonly conversationId: string
  readonly callId: string
}
