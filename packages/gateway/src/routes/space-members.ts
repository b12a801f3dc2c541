/** Who is in a space, and up to where they have read. */
import { isAgent } from '../agents-known.ts'
import { route, type Route } from '../http/route.ts'
import { by, id, member, memberKind, role, z } from '../schemas.ts'
import { actorOf, managerOf } from './access.ts'
import { agentMissing, changed } from './spaces.ts'

const params = z.object({ id, kind: memberKind, member: id })
const done = {
  200: { says: 'It is so; `seq` is where the space stands.', schema: z.object({ seq: z.number().int() }) },
}

export const spaceMemberRoutes: readonly Route[] = [
  route({
    method: 'put',
    path: '/api/spaces/{id}/members/{kind}/{member}',
    name: 'putSpaceMember',
    tag: 'spaces',
    summary: 'Let somebody in, or change their role. For owners',
    scopes: ['agent'],
    params,
    body: z.strictObject({ role: role.optional(), by }).optional(),
    answers: done,
    problems: ['space-missing', 'not-a-member', 'not-allowed', 'last-owner', 'agent-missing'],
    handle: async ({ params: { id: which, kind, member: whom }, body, who, runtime, services }) => {
      const manager = managerOf(who, body?.by)
      if ('answer' in manager) return manager.answer
      const joined = async () =>
        changed(await runtime.spaces.join(which, { kind, id: whom }, { role: body?.role ?? 'member', ...manager }))
      // Who may not let anybody in learns nothing of agents.
      if (kind === 'human' || (await isAgent(services, who.tenant, whom))) return joined()
      return manager.by && (await runtime.spaces.roleOf(which, manager.by)) !== 'owner' ? joined() : agentMissing(whom)
    },
  }),
  route({
    method: 'delete',
    path: '/api/spaces/{id}/members/{kind}/{member}',
    name: 'removeSpaceMember',
    tag: 'spaces',
    summary: 'Leave, or make somebody leave. For themselves and for owners',
    scopes: ['agent'],
    params,
    query: z.strictObject({ by }),
    answers: done,
    problems: ['space-missing', 'not-a-member', 'not-allowed', 'last-owner'],
    handle: async ({ params: { id: which, kind, member: whom }, query, who, runtime }) => {
      const manager = managerOf(who, query.by)
      if ('answer' in manager) return manager.answer
      return changed(await runtime.spaces.leave(which, { kind, id: whom }, manager))
    },
  }),
  route({
    method: 'put',
    path: '/api/spaces/{id}/read',
    name: 'readSpace',
    tag: 'spaces',
    summary: 'Everything up to a seq was read. It never goes back',
    scopes: ['agent', 'reader'],
    params: z.object({ id }),
    body: z.strictObject({ upTo: z.number().int().min(0), member: member.optional() }).openapi('SpaceRead'),
    answers: done,
    problems: ['space-missing', 'not-a-member'],
    handle: async ({ params: { id: which }, body, who, runtime }) => {
      const actor = actorOf(who, body.member)
      if ('answer' in actor) return actor.answer
      return changed(await runtime.spaces.read(which, actor.member, body.upTo))
    },
  }),
]
