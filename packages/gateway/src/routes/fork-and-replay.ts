/** Forks of conversations, and replays of recorded turns. Neither runs a tool. */
import { refuse, ok } from '../http/route-answer.ts'
import { route, type Route } from '../http/route.ts'
import { priceOf } from '../prices.ts'
import { by, id, json, z } from '../schemas.ts'
import { refuseConversation, refuseRight } from './access-rules.ts'
import { authorOf } from './request-author.ts'

const decisions = z
  .object({
    steps: z.array(
      z.object({
        step: z.number().int(),
        text: z.string(),
        calls: z.array(z.object({ name: z.string(), input: json })),
        inputTokens: z.number(),
        outputTokens: z.number(),
        model: z.string().optional(),
      }),
    ),
    text: z.string(),
    inputTokens: z.number(),
    outputTokens: z.number(),
    cost: z.number().optional().openapi({ description: 'By the prices of the gateway, if each model has one.' }),
  })
  .openapi('TurnDecisions')

const replayed = z
  .object({
    conversationId: z.string(),
    turnId: z.string(),
    seq: z.number().int(),
    recorded: decisions,
    replayed: decisions,
    stopped: z.enum(['end', 'no-result', 'failed']),
    message: z.string().optional(),
    sameCalls: z.boolean(),
    sameTools: z.boolean(),
    sameText: z.boolean(),
    differences: z.array(
      z.object({
        step: z.number().int(),
        what: z.enum(['call', 'text']),
        recorded: json.optional(),
        replayed: json.optional(),
      }),
    ),
  })
  .openapi('ReplayedTurn')

export const forkAndReplayRoutes: readonly Route[] = [
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
    method: 'post',
    path: '/api/conversations/{id}/replay',
    name: 'replayTurn',
    tag: 'conversations',
    summary: 'Replay a recorded turn with another agent or other instructions. No tool runs, and nothing is written',
    scopes: ['agent'],
    params: z.object({ id }),
    body: z
      .strictObject({
        turn: id.optional().openapi({ description: 'The id of the turn. Default: the newest.' }),
        agent: id.optional().openapi({ description: 'The agent that answers. Default: the recorded one.' }),
        instructions: z.string().max(100_000).optional().openapi({ description: 'In place of those of the agent.' }),
      })
      .optional()
      .openapi('Replay'),
    responses: { 200: { description: 'Both turns, and what differs.', schema: replayed } },
    problems: ['not-found', 'is-a-space', 'erased', 'not-allowed', 'agent-missing', 'config-invalid'],
    handle: async (asked) => {
      const { params, body = {}, runtime, request, services } = asked
      const refused =
        (await refuseRight(asked, params.id, 'conversation.write')) ?? (await refuseConversation(runtime, params.id))
      if (refused) return refused
      if (await runtime.erasure(params.id)) return refuse('erased', `Conversation "${params.id}" was erased.`)
      const { turn, agent, instructions } = body
      const turns = runtime.replay(params.id, {
        ...(turn !== undefined && { turn }),
        ...(agent !== undefined && { agent }),
        ...(instructions !== undefined && { instructions }),
        ...(services.prices && { price: priceOf(services.prices) }),
        signal: request.signal,
      })
      for await (const each of turns) return ok(each)
      return refuse('not-found', `Conversation "${params.id}" has no turn to replay.`)
    },
  }),
]
