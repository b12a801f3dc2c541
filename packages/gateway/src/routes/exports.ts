/** Copies of conversations: forks, and export and import as lines of JSON. */
import { refuse, ok } from '../http/route-answer.ts'
import { answerOfLines } from '../http/answer-of-lines.ts'
import { route, type Route } from '../http/route.ts'
import { by, id, logEvent, z } from '../schemas.ts'
import { refuseConversation, refuseRight } from './access-rules.ts'
import { refuseTools } from './events.ts'
import { authorOf } from './request-author.ts'

const line = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('export'), format: z.literal('holdpoint.conversations'), version: z.literal(1) }),
    z.object({ type: z.literal('conversation'), data: z.object({ id: z.string() }) }),
    z.object({ type: z.literal('event'), conversationId: z.string(), event: logEvent }),
    z.object({
      type: z.literal('note'),
      conversationId: z.string(),
      note: z.object({ kind: z.string(), seq: z.number().int(), at: z.number(), data: z.unknown() }),
    }),
    z.object({ type: z.literal('end'), conversations: z.number().int(), events: z.number().int() }),
  ])
  .openapi('ConversationLine')

const lines = {
  description: 'Lines of JSON. The last line has the type `end`; without it, the export is incomplete.',
  lines: line,
}

export const exportRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/api/conversations/{id}/fork',
    name: 'forkConversation',
    tag: 'conversations',
    summary: 'Copy a conversation up to an event. Recorded results stand, and nothing runs again by itself',
    scopes: ['agent'],
    params: z.object({ id }),
    body: z
      .strictObject({
        at: z
          .number()
          .int()
          .min(1)
          .optional()
          .openapi({ description: 'The seq of the last event. Default: the newest.' }),
        to: id.optional().openapi({ description: 'The id of the fork. Default: a new one.' }),
        held: z.enum(['held', 'settled']).optional().openapi({
          description: 'Whether calls that are held there wait in the fork too, or get a result. Default: `settled`.',
        }),
        by,
      })
      .optional()
      .openapi('Fork'),
    responses: {
      201: { description: 'The fork.', schema: z.object({ id: z.string(), seq: z.number().int() }).openapi('Forked') },
    },
    problems: ['not-found', 'is-a-space', 'erased', 'not-allowed', 'id-taken', 'quota-exceeded'],
    handle: async ({ params, body = {}, caller, runtime, services }) => {
      const refused = await refuseRight({ caller, runtime, services }, params.id, 'conversation.write')
      if (refused) return refused
      const from = await authorOf({ caller, services }, body.by)
      if ('answer' in from) return from.answer
      const { at, to, held } = body
      const result = await runtime.fork(params.id, {
        ...(at !== undefined && { at }),
        ...(to !== undefined && { to }),
        ...(held && { held }),
        by: from.by,
      })
      return result.ok ? ok({ id: result.id, seq: result.seq }, 201) : refuse(result.refusal, result.message)
    },
  }),
  route({
    method: 'get',
    path: '/api/conversations/{id}/export',
    name: 'exportConversation',
    tag: 'conversations',
    summary: 'Export a conversation, as lines of JSON that another store can import',
    scopes: ['agent', 'reader'],
    params: z.object({ id }),
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
      return answerOfLines(runtime.export({ id: params.id }), services)
    },
  }),
  route({
    method: 'get',
    path: '/api/export',
    name: 'exportAll',
    tag: 'conversations',
    summary: 'Export all conversations, logs of autonomous agents and spaces of the tenant, as lines of JSON',
    scopes: ['admin'],
    responses: { 200: lines },
    handle: async ({ runtime, services }) => answerOfLines(runtime.export(), services),
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

function* linesIn(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    const end = text.indexOf('\n', from)
    const until = end === -1 ? text.length : end
    yield text.slice(from, until)
    from = until + 1
  }
}
