/** The members of a space, and their read markers. */
import { agentExists } from '../agent-exists.ts'
import { route, type Route } from '../http/route.ts'
import { by, id, member, memberKind, role, z } from '../schemas.ts'
import { actingMember, memberEditorOf } from './access-rules.ts'
import { agentMissing, spaceAnswer } from './spaces.ts'

const params = z.object({ id, kind: memberKind, member: id })
const responses = {
  200: { description: 'Done. `seq` is the last event of the space.', schema: z.object({ seq: z.number().int() }) },
}

export const spaceMemberRoutes: readonly Route[] = [
  route({
    method: 'put',
    path: '/api/spaces/{id}/members/{kind}/{member}',
    name: 'putSpaceMember',
    tag: 'spaces',
    summary: 'Add a member or change a role. For owners',
    scopes: ['agent'],
    params,
    body: z.strictObject({ role: role.optional(), by }).optional(),
    responses,
    problems: ['space-missing', 'erased', 'not-a-member', 'not-allowed', 'last-owner', 'agent-missing'],
    handle: async ({ params: { id: which, kind, member: whom }, body, caller, runtime, services }) => {
      const editor = memberEditorOf(caller, body?.by)
      if ('answer' in editor) return editor.answer
      const joined = async () =>
        spaceAnswer(await runtime.spaces.join(which, { kind, id: whom }, { role: body?.role ?? 'member', ...editor }))
      // A caller who may not add members must not learn which agents exist.
      if (kind === 'human' || (await agentExists(services, caller.tenant, whom))) return joined()
      return editor.by && (await runtime.spaces.roleOf(which, editor.by)) !== 'owner' ? joined() : agentMissing(whom)
    },
  }),
  route({
    method: 'delete',
    path: '/api/spaces/{id}/members/{kind}/{member}',
    name: 'removeSpaceMember',
    tag: 'spaces',
    summary: 'Leave, or remove a member. For the member and for owners',
    scopes: ['agent'],
    params,
    query: z.strictObject({ by }),
    responses,
    problems: ['space-missing', 'erased', 'not-a-member', 'not-allowed', 'last-owner'],
    handle: async ({ params: { id: which, kind, member: whom }, query, caller, runtime }) => {
      const editor = memberEditorOf(caller, query.by)
      if ('answer' in editor) return editor.answer
      return spaceAnswer(await runtime.spaces.leave(which, { kind, id: whom }, editor))
    },
  }),
  route({
    method: 'put',
    path: '/api/spaces/{id}/read',
    name: 'readSpace',
    tag: 'spaces',
    summary: 'Move the read marker to a seq. It never moves back',
    scopes: ['agent', 'reader'],
    params: z.object({ id }),
    body: z.strictObject({ upTo: z.number().int().min(0), member: member.optional() }).openapi('SpaceRead'),
    responses,
    problems: ['space-missing', 'erased', 'not-a-member'],
    handle: async ({ params: { id: which }, body, caller, runtime }) => {
      const actor = actingMember(caller, body.member)
      if ('answer' in actor) return actor.answer
      return spaceAnswer(await runtime.spaces.read(which, actor.member, body.upTo))
    },
  }),
]
