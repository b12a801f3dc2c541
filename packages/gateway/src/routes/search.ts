/** Search in conversations. A caller finds only what they may read. */
import { CALL_STATES, type SearchFilter } from '@holdpoint/runtime'
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
      const filter = Object.fromEntries(Object.entries(asked.query).filter(([, value]) => value !== undefined))
      const { next, ...page } = await runtime.search({
        ...(filter as SearchFilter),
        ...listedFor(asked),
        ...(await rightsOf(asked)),
        shown: services.redact,
      })
      return ok({ ...page, ...(next !== undefined && { next }) })
    },
  }),
]

const MOST_HOLDS = 50

/** Each conversation is read by the right that opens it. An approver also finds those that wait for their decision. */
async function rightsOf(asked: Pick<RouteRequest, 'caller' | 'runtime' | 'services'>) {
  const { caller, runtime, services } = asked
  if (!services.authorize && readsWholeTenant(caller)) return {}
  const mayRead = async (which: string): Promise<boolean> =>
    (await refuseRight(asked, which, 'conversation.read')) === undefined
  if (services.authorize) return { mayRead }
  const from = await deciderOf({ caller, services }, undefined)
  if ('answer' in from) return { mayRead }
  const { items } = await runtime.pending({ by: from.by, view: 'mine', limit: MOST_HOLDS })
  const waiting = [...new Set(items.map(({ conversationId }) => conversationId))]
  // Those in which the caller takes part are in the list.
  const takesPart = await Promise.all(
    waiting.map(async (which) => {
      const people = await runtime.participants(which)
      return people !== undefined && (people.owner === caller.by || people.participants.includes(caller.by))
    }),
  )
  return { mayRead, also: waiting.filter((_, index) => !takesPart[index]) }
}
