/** Evidence: what is recorded about one held call, and the audit log of administrative actions. */
import { ok, page, refuse } from '../http/route-answer.ts'
import { route, type Route } from '../http/route.ts'
import { after, id, limit, listOf, z } from '../schemas.ts'
import { refuseConversation, refuseRight } from './access-rules.ts'

const signedHead = z.object({ text: z.string(), signature: z.string(), publicKey: z.string() }).openapi('SignedHead')

const adminEntry = z
  .looseObject({
    n: z.number().int(),
    at: z.number(),
    kind: z.enum(['begun', 'ended']),
    previous: z.string(),
    hash: z.string(),
    signed: signedHead.optional(),
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
    path: '/api/conversations/{id}/signed-heads',
    name: 'listSignedHeads',
    tag: 'conversations',
    summary: 'List the signed heads of a conversation, newest first. `openssl` can check each of them',
    scopes: ['agent', 'reader'],
    params: z.object({ id }),
    query: z.strictObject({}),
    responses: { 200: { description: 'The signed heads.', schema: z.object({ items: z.array(signedHead) }) } },
    problems: ['not-found', 'is-a-space', 'erased', 'not-allowed'],
    handle: async (asked) => {
      const { params, runtime } = asked
      const refused =
        (await refuseRight(asked, params.id, 'conversation.read')) ?? (await refuseConversation(runtime, params.id))
      if (refused) return refused
      if (await runtime.erasure(params.id)) return refuse('erased', `Conversation "${params.id}" was erased.`)
      return ok({ items: (await runtime.signedHeads(params.id)).toReversed() })
    },
  }),
  route({
    method: 'get',
    path: '/api/signing-keys',
    name: 'listSigningKeys',
    tag: 'admin-log',
    summary: 'List the public keys with which this installation signed, oldest first',
    scopes: ['agent', 'reader', 'resolver'],
    query: z.strictObject({}),
    responses: {
      200: {
        description: 'The keys. `current`: the fingerprint of the one in use.',
        schema: z.object({
          items: z.array(z.object({ key: z.string(), publicKey: z.string(), since: z.number() })),
          current: z.string().optional(),
        }),
      },
    },
    handle: async ({ runtime }) => ok(await runtime.signingKeys()),
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
