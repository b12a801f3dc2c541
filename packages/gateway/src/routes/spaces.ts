/** Spaces: made, found, and looked into. */
import type { SpaceAnswer } from '@holdpoint/core'
import { isAgent } from '../agents-known.ts'
import { no, ok, page, type Answer } from '../http/answer.ts'
import { ownKey } from '../http/once.ts'
import { route, type Route } from '../http/route.ts'
import { after, by, id, limit, listOf, member, role, spaceRow, spaceView, z } from '../schemas.ts'
import { managerOf, personOf, seesAll, spaceMissing, stranger } from './access.ts'

const MOST_AT_ONCE = 100

export const spaceRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/api/spaces',
    name: 'createSpace',
    tag: 'spaces',
    summary: 'Make a space. The person who makes it is its first owner',
    scopes: ['agent'],
    body: z
      .strictObject({
        id: id.optional(),
        name: id,
        agentMessages: z.number().int().min(0).max(1000).optional(),
        members: z
          .array(z.strictObject({ member, role: role.optional() }))
          .max(MOST_AT_ONCE)
          .optional(),
        by,
      })
      .openapi('CreateSpace'),
    answers: { 201: { says: 'It is there.', schema: z.object({ id: z.string(), seq: z.number().int() }) } },
    problems: ['id-taken', 'agent-missing', 'config-invalid'],
    handle: async ({ body, who, key, runtime, services }) => {
      const manager = managerOf(who, body.by)
      if ('answer' in manager) return manager.answer
      const { name, agentMessages, members = [] } = body
      for (const { member: each } of members)
        if (each.kind === 'agent' && !(await isAgent(services, who.tenant, each.id))) return agentMissing(each.id)
      // Should the answer be lost with this process, the same request finds the space that it made.
      const own = key === undefined ? undefined : ownKey(who, key)
      const wanted = body.id ?? own
      // Whoever holds a person's token makes it as that person, whatever else it may do.
      const maker = manager.by ?? (who.kind === 'user' ? personOf(who) : undefined)
      const made = await runtime.spaces.create({
        name,
        members: members.map(({ member: each, role: as }) => ({ member: each, ...(as && { role: as }) })),
        ...(agentMessages !== undefined && { agentMessages }),
        ...(wanted !== undefined && { id: wanted }),
        ...(own !== undefined && { key: own }),
        ...(maker && { by: maker }),
      })
      return made.ok ? ok({ id: made.id, seq: made.seq }, 201) : no(made.refusal, made.message)
    },
  }),
  route({
    method: 'get',
    path: '/api/spaces',
    name: 'listSpaces',
    tag: 'spaces',
    summary: 'Spaces, the newest first: those that a person is in, or for a program all of them',
    scopes: ['agent', 'reader', 'resolver'],
    query: z.strictObject({ after, limit }),
    answers: { 200: { says: 'A page of them; it may be short, and not the last.', schema: listOf(spaceRow) } },
    handle: async ({ query, who, runtime }) =>
      page(
        await runtime.spaces.list({
          ...(query.after !== undefined && { after: query.after }),
          ...(query.limit !== undefined && { limit: query.limit }),
          ...(!seesAll(who) && { member: personOf(who) }),
        }),
      ),
  }),
  route({
    method: 'get',
    path: '/api/spaces/{id}',
    name: 'viewSpace',
    tag: 'spaces',
    summary: 'Who is there, and the newest messages, or those before a seq',
    scopes: ['agent', 'reader', 'resolver'],
    params: z.object({ id }),
    query: z.strictObject({ limit, before: z.coerce.number().int().min(0).optional() }),
    answers: { 200: { says: 'The view.', schema: spaceView } },
    problems: ['space-missing', 'not-a-member'],
    handle: async ({ params: { id: which }, query: { limit: most, before }, who, runtime }) => {
      const seen = await runtime.spaces.view(which, {
        ...(most !== undefined && { limit: most }),
        ...(before !== undefined && { before }),
      })
      if (!seen) return spaceMissing(which)
      const self = personOf(who)
      const isIn = seen.members.some((each) => each.member.kind === self.kind && each.member.id === self.id)
      return isIn || seesAll(who) ? ok(seen) : stranger(who)
    },
  }),
]

/** What became of a change, in the space's own words. */
export function changed(answer: SpaceAnswer): Answer {
  return answer.ok ? ok({ seq: answer.seq }) : no(answer.refusal, answer.message)
}

export function agentMissing(name: string): Answer {
  return no('agent-missing', `There is no agent "${name}". Make it first.`)
}
