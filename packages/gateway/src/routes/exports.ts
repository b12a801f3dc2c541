/** Export and import of conversations, as lines of JSON. */
import { refuse, ok, type RouteAnswer } from '../http/route-answer.ts'
import { chainLines } from 'holdpoint'
import type { Runtime } from '@holdpoint/spaces'
import { answerOfLines, answerOfText } from '../http/answer-of-lines.ts'
import type { GatewayServices } from '../gateway-services.ts'
import { route, type Route } from '../http/route.ts'
import { id, logEvent, z } from '../schemas.ts'
import { refuseConversation, refuseRight } from './access-rules.ts'
import { refuseTools } from './events.ts'

const line = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('export'), format: z.literal('holdpoint.conversations'), version: z.literal(1) }),
    z.object({ type: z.literal('conversation'), data: z.object({ id: z.string() }) }),
    z.object({ type: z.literal('file'), conversationId: z.string(), file: z.looseObject({ id: z.string() }) }),
    z.object({ type: z.literal('bytes'), conversationId: z.string(), base64: z.string() }),
    z.object({ type: z.literal('event'), conversationId: z.string(), event: logEvent }),
    z.object({
      type: z.literal('note'),
      conversationId: z.string(),
      note: z.object({ kind: z.string(), seq: z.number().int(), at: z.number(), data: z.unknown() }),
    }),
    z.object({ type: z.literal('end'), conversations: z.number().int(), events: z.number().int() }),
  ])
  .openapi('ConversationLine')

const chainLine = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('export'), format: z.literal('holdpoint.chains'), version: z.literal(1) }),
    z.object({ type: z.literal('log'), tenant: z.string(), id: z.string() }),
    z.object({
      type: z.literal('batch'),
      seq: z.number().int(),
      at: z.number(),
      hash: z.string(),
      events: z.array(z.looseObject({ type: z.string() })).optional(),
    }),
    z.object({ type: z.literal('signed-head'), text: z.string(), signature: z.string(), publicKey: z.string() }),
    z.object({
      type: z.literal('end'),
      logs: z.number().int(),
      events: z.number().int(),
      sha256: z.string(),
    }),
  ])
  .openapi('ChainLine')

const query = z.strictObject({
  hashes: z.enum(['true', 'false']).optional().openapi({
    description: 'With `true`: the lines are batches with their hashes, and signed heads, for `holdpoint verify`.',
  }),
})

const lines = {
  description: 'Lines of JSON. The last line has the type `end`; without it, the export is incomplete.',
  lines: z.union([line, chainLine]),
}

export const exportRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/conversations/{id}/export',
    name: 'exportConversation',
    tag: 'conversations',
    summary: 'Export a conversation, as lines of JSON that another store can import',
    scopes: ['agent', 'reader'],
    params: z.object({ id }),
    query,
    responses: { 200: lines },
    problems: ['not-found', 'is-a-space', 'erased', 'not-allowed'],
    handle: async (asked) => {
      const { params, runtime, services } = asked
      const refused =
        (await refuseRight(asked, params.id, 'conversation.read')) ??
        refuseTools({ ...asked, query: {} }) ??
        (await refuseConversation(runtime, params.id))
      if (refused) return refused
      if (await runtime.erasure(params.id)) return refuse('erased', `Conversation "${params.id}" was erased.`)
      return exported(runtime, { id: params.id }, asked.query, services)
    },
  }),
  route({
    method: 'get',
    path: '/api/export',
    name: 'exportAll',
    tag: 'conversations',
    summary: 'Export all conversations, logs of autonomous agents and spaces of the tenant, as lines of JSON',
    scopes: ['admin'],
    query,
    responses: { 200: lines },
    handle: async ({ runtime, services, query: asked }) => exported(runtime, {}, asked, services),
  }),
  route({
    method: 'post',
    path: '/api/import',
    name: 'import',
    tag: 'conversations',
    summary: 'Import an export. Every line is checked before anything is written',
    scopes: ['admin'],
    query: z.strictObject({
      underWay: z.enum(['refuse', 'continue']).optional().openapi({
        description: 'Conversations with work under way are refused, or continued here. Default: `refuse`.',
      }),
    }),
    lines: line,
    responses: {
      200: {
        description: 'What was imported. `existing`: how many conversations were there already.',
        schema: z
          .object({
            conversations: z.number().int(),
            events: z.number().int(),
            existing: z.number().int(),
          })
          .openapi('Imported'),
      },
    },
    problems: ['quota-exceeded'],
    handle: async ({ body, query, runtime }) => {
      const text = String(body)
      const result = await runtime.import(() => linesIn(text), query.underWay ? { underWay: query.underWay } : {})
      if (!result.ok)
        return refuse('bad-request', result.message, {
          issues: [{ at: `body.line.${result.line}`, message: result.message }],
        })
      const { conversations, events, existing } = result
      return ok({ conversations, events, existing })
    },
  }),
]

function exported(
  runtime: Runtime,
  what: { readonly id?: string },
  { hashes }: z.infer<typeof query>,
  services: GatewayServices,
): RouteAnswer {
  if (hashes !== 'true') return answerOfLines(runtime.export(what), services)
  return answerOfText(chainLines(runtime.exportChain(what), services.redact), services)
}

function* linesIn(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    const end = text.indexOf('\n', from)
    const until = end === -1 ? text.length : end
    yield text.slice(from, until)
    from = until + 1
  }
}
