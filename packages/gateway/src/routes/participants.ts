/** The owner and the participants of a conversation. */
import { peopleInView } from '@holdpoint/core/view'
import type { ConversationRights, Participants } from '@holdpoint/protocol'
import type { Right } from '../authorize.ts'
import { hasScope, isAdmin } from '../auth/caller.ts'
import { refuse, ok } from '../http/route-answer.ts'
import { route, type Route, type RouteRequest } from '../http/route.ts'
import { by, id, names, z } from '../schemas.ts'
import { refuseRight, refuseConversation } from './access-rules.ts'
import { authorOf } from './request-author.ts'

const params = z.object({ id })
const may = z
  .object({ write: z.boolean(), share: z.boolean(), leave: z.boolean(), erase: z.boolean() })
  .openapi({ description: 'What the caller may do in the conversation.' })
const people = z
  .object({ owner: z.string().optional(), participants: z.array(z.string()), may, names: names.optional() })
  .openapi('Participants')

export const participantRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/conversations/{id}/participants',
    name: 'listParticipants',
    tag: 'conversations',
    summary: 'Get the owner and the participants of a conversation',
    scopes: ['agent', 'reader', 'resolver'],
    params,
    query: z.strictObject({
      names: z
        .enum(['all'])
        .optional()
        .openapi({ description: '`all`: the names also of the people who wrote or decided in the newest turns.' }),
    }),
    responses: { 200: { description: 'The people.', schema: people } },
    problems: ['not-found', 'is-a-space', 'not-allowed'],
    handle: async ({ params: { id: which }, query, caller, runtime, services }) => {
      const refused = await refuseRight({ caller, runtime, services }, which, 'conversation.read')
      if (refused) return refused
      const actors = query.names === 'all' ? await actorsIn(runtime, which) : []
      const found = await peopleOf({ caller, runtime, services }, which, actors)
      return found ? ok(found) : ((await refuseConversation(runtime, which)) ?? missing(which))
    },
  }),
  route({
    method: 'post',
    path: '/api/conversations/{id}/participants',
    name: 'changeParticipants',
    tag: 'conversations',
    summary: 'Add or remove participants, or name another owner. A participant may remove themselves',
    scopes: ['agent', 'reader'],
    params,
    body: z
      .strictObject({
        add: z.array(id).max(100).optional(),
        remove: z.array(id).max(100).optional(),
        owner: id.optional(),
        by,
      })
      .openapi('ChangeParticipants'),
    responses: { 200: { description: 'The owner and the participants after the change.', schema: people } },
    problems: ['not-found', 'is-a-space', 'not-allowed', 'limit-reached'],
    handle: async ({ params: { id: which }, body: { by: given, ...change }, caller, runtime, services }) => {
      const from = await authorOf({ caller, services }, given)
      if ('answer' in from) return from.answer
      // The runtime checks the default rule itself: the owner may change them, and each participant may leave.
      const refused = services.authorize
        ? await refuseRight({ caller, runtime, services }, which, 'conversation.share')
        : undefined
      const missed = refused ?? (await refuseConversation(runtime, which))
      if (missed) return missed
      const defined = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
      const result = await runtime.changeParticipants(which, { ...defined, by: from.by })
      if (!result.ok) return refuse(result.refusal, result.message)
      const now = await peopleOf({ caller, runtime, services }, which)
      return now ? ok(now) : missing(which)
    },
  }),
]

type Asked = Pick<RouteRequest, 'caller' | 'runtime' | 'services'>

async function peopleOf(asked: Asked, id: string, others: readonly string[] = []): Promise<Participants | undefined> {
  const found = await asked.runtime.participants(id)
  if (!found) return undefined
  const { owner, participants } = found
  const { services, caller } = asked
  const named = await services.names.of(caller.tenant, [owner, ...participants, ...others])
  return {
    ...(owner !== undefined && { owner }),
    participants,
    may: await rightsOf(asked, id, participants),
    ...(named && { names: named }),
  }
}

/** Uses the rules that apply to the requests of this caller, so that a screen offers nothing that would be refused. */
async function rightsOf(asked: Asked, id: string, participants: readonly string[]): Promise<ConversationRights> {
  const { caller, services } = asked
  const isAllowed = async (right: Right): Promise<boolean> => (await refuseRight(asked, id, right)) === undefined
  const [write, share, erase] = await Promise.all([
    hasScope(caller, ['agent']) && isAllowed('conversation.write'),
    hasScope(caller, ['agent', 'reader']) && isAllowed('conversation.share'),
    hasScope(caller, ['agent']) && (caller.kind === 'person' || isAdmin(caller)) && isAllowed('conversation.erase'),
  ])
  const isIn = caller.kind === 'person' && participants.includes(caller.by)
  return {
    write,
    share,
    leave: isIn && (share || (!services.authorize && hasScope(caller, ['agent', 'reader']))),
    erase,
  }
}

const TURNS = 50

/** The people whom a page of the newest turns shows. */
async function actorsIn(runtime: RouteRequest['runtime'], id: string): Promise<readonly string[]> {
  const view = await runtime.view(id, { turns: TURNS })
  return view ? peopleInView(view) : []
}

function missing(which: string): ReturnType<typeof refuse> {
  return refuse('not-found', `There is no conversation "${which}".`)
}
