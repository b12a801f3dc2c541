/** Evidence: what is recorded about one held call, and the audit log of administrative actions. */
import { ok, page, refuse } from '../http/route-answer.ts'
import { route, type Route } from '../http/route.ts'
import { after, id, limit, listOf, z } from '../schemas.ts'
import { refuseRight } from './access-rules.ts'

const adminEntry = z
  .looseObject({
    n: z.number().int(),
    at: z.number(),
    kind: z.enum(['begun', 'ended']),
    previous: z.string(),
    hash: z.string(),
  })
  .openapi('AdminEntry')

export const evidenceRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/holds/{conversationId}/{callId}/evidence',
    name: 'getEvidence',
    tag: 'holds',
    summary:
      'Get what is recorded about a call that is or was held: what was shown, who was asked, who decided and how',
    scopes: ['agent', 'reader', 'resolver'],
    params: z.object({ conversationId: id, callId: id }),
    query: z.strictObject({}),
    responses: {
      200: {
        description: 'The evidence.',
        schema: z.looseObject({ callId: z.string(), holds: z.array(z.looseObject({ verdict: z.string() })) }),
      },
    },
    problems: ['unknown', 'not-allowed', 'erased'],
    handle: async (request) => {
      const { conversationId, callId } = request.params
      const refused = await refuseRight(request, conversationId, 'conversation.read')
      if (refused) return refused
      const found = await request.runtime.evidence(conversationId, callId)
      return found ? ok(found) : refuse('unknown', `No call "${callId}" was ever held in "${conversationId}".`)
    },
  }),
  route({
    method: 'get',
    path: '/api/admin-log',
    name: 'listAdminLog',
    tag: 'admin-log',
    summary: 'List administrative actions, newest first. Each entry has the hash of the one before',
    scopes: ['admin'],
    query: z.strictObject({ after, limit }),
    responses: { 200: { description: 'A page of entries.', schema: listOf(adminEntry) } },
    handle: async ({ query, caller, services: { adminLog } }) =>
      page(await adminLog.list(caller.tenant, query.after, query.limit ?? 50)),
  }),
]
