/** Create, list and view spaces. */
import type { SpaceCommandResult } from '@holdpoint/spaces'
import { agentExists } from '../agent-exists.ts'
import { isAdmin } from '../auth/caller.ts'
import { refuse, ok, page, type RouteAnswer } from '../http/route-answer.ts'
import { callerKey } from '../http/idempotency.ts'
import { route, type Route } from '../http/route.ts'
import { after, by, id, limit, listOf, member, role, spaceRow, spaceView, z } from '../schemas.ts'
import { memberEditorOf, personOf, readsWholeTenant, spaceErased, spaceMissing, notAMember } from './access-rules.ts'
import { reason } from './erase-conversation.ts'
import { authorOf } from './request-author.ts'

const MAX_NEW_MEMBERS = 100

export const spaceRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/api/spaces',
    name: 'createSpace',
    tag: 'spaces',
    summary: 'Create a space. The person who creates it is its first owner',
    scopes: ['agent'],
    body: z
      .strictObject({
        id: id.optional(),
        name: id,
        agentMessages: z.number().int().min(0).max(1000).optional(),
        members: z
          .array(z.strictObject({ member, role: role.optional() }))
          .max(MAX_NEW_MEMBERS)
          .optional(),
        by,
      })
      .openapi('CreateSpace'),
    responses: {
      201: { description: 'The space was created.', schema: z.object({ id: z.string(), seq: z.number().int() }) },
    },
    problems: ['quota-exceeded', 'id-taken', 'erased', 'agent-missing', 'config-invalid'],
    handle: async ({ body, caller, idempotencyKey, runtime, services }) => {
      const editor = memberEditorOf(caller, body.by)
      if ('answer' in editor) return editor.answer
      const { name, agentMessages, members = [] } = body
      for (const { member: each } of members)
        if (each.kind === 'agent' && !(await agentExists(services, caller.tenant, each.id)))
          return agentMissing(each.id)
      // If the process dies before it responds, a retry with the same key finds the space that was created.
      const own = idempotencyKey === undefined ? undefined : callerKey(caller, idempotencyKey)
      const wanted = body.id ?? own
      // A token creates the space as its person, even with the scope admin.
      const creator = editor.by ?? (caller.kind === 'person' ? personOf(caller) : undefined)
      const created = await runtime.spaces.create({
        name,
        members: members.map(({ member: each, role: as }) => ({ member: each, ...(as && { role: as }) })),
        ...(agentMessages !== undefined && { agentMessages }),
        ...(wanted !== undefined && { id: wanted }),
        ...(own !== undefined && { key: own }),
        ...(creator && { by: creator }),
      })
      return created.ok ? ok({ id: created.id, seq: created.seq }, 201) : refuse(created.refusal, created.message)
    },
  }),
  route({
    method: 'get',
    path: '/api/spaces',
    name: 'listSpaces',
    tag: 'spaces',
    summary: 'List spaces, newest first: for a token those of its person, for a key all of them',
    scopes: ['agent', 'reader', 'resolver'],
    query: z.strictObject({ after, limit }),
    responses: {
      200: {
        description: 'A page of spaces. It may be short; `next` says whether there are more.',
        schema: listOf(spaceRow),
      },
    },
    handle: async ({ query, caller, runtime }) =>
      page(
        await runtime.spaces.list({
          ...(query.after !== undefined && { after: query.after }),
          ...(query.limit !== undefined && { limit: query.limit }),
          ...(!readsWholeTenant(caller) && { member: personOf(caller) }),
        }),
      ),
  }),
  route({
    method: 'get',
    path: '/api/spaces/{id}',
    name: 'viewSpace',
    tag: 'spaces',
    summary: 'View a space: its members, and the newest messages or those before a seq',
    scopes: ['agent', 'reader', 'resolver'],
    params: z.object({ id }),
    query: z.strictObject({ limit, before: z.coerce.number().int().min(0).optional() }),
    responses: { 200: { description: 'The view.', schema: spaceView } },
    problems: ['space-missing', 'not-a-member', 'erased'],
    handle: async ({ params: { id: which }, query: { limit: most, before }, caller, runtime }) => {
      const found = await runtime.spaces.view(which, {
        ...(most !== undefined && { limit: most }),
        ...(before !== undefined && { before }),
      })
      if (!found) return spaceMissing(which)
      if (found.erased) return readsWholeTenant(caller) ? ok(found) : spaceErased(which)
      const self = personOf(caller)
      const isMember = found.members.some((each) => each.member.kind === self.kind && each.member.id === self.id)
      return isMember || readsWholeTenant(caller) ? ok(found) : notAMember(caller)
    },
  }),
  route({
    method: 'delete',
    path: '/api/spaces/{id}',
    name: 'eraseSpace',
    tag: 'spaces',
    summary:
      'Erase a space with its members and messages. A tombstone remains: who erased it, when and why. For owners',
    scopes: ['agent'],
    params: z.object({ id }),
    query: z.strictObject({ reason, by }),
    responses: { 204: { description: 'The space is erased, by this request or an earlier one.' } },
    problems: ['space-missing', 'not-a-member', 'not-allowed', 'erased'],
    handle: async ({ params: { id: which }, query, caller, runtime, services }) => {
      if (caller.kind === 'program' && !isAdmin(caller))
        return refuse('scope-missing', 'Erasing a space needs a key with the scope admin.')
      const from = await authorOf({ caller, services }, query.by)
      if ('answer' in from) return from.answer
      // An erasure removes the members too, so every caller who knows the id gets this answer.
      const before = await runtime.spaces.erasure(which)
      if (before && !isAdmin(caller) && before.by !== from.by.id) return spaceErased(which)
      const result = await runtime.spaces.erase(which, {
        by: { ...from.by, access: isAdmin(caller) ? 'all' : 'own' },
        ...(query.reason !== undefined && { reason: query.reason }),
      })
      return result.ok ? { status: 204 } : refuse(result.refusal, result.message)
    },
  }),
]

/** The result of a change to a space. */
export function spaceAnswer(answer: SpaceCommandResult): RouteAnswer {
  return answer.ok ? ok({ seq: answer.seq }) : refuse(answer.refusal, answer.message)
}

export function agentMissing(name: string): RouteAnswer {
  return refuse('agent-missing', `There is no agent "${name}". Create it first.`)
}
