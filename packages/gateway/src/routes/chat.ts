/**
 * Conversations as `useChat` of the AI SDK speaks: send, resume, history and stop. Not in the OpenAPI document: the protocol is
 * the AI SDK's.
 */
import {
  chatRequest,
  countedStream,
  MAX_CHAT_RUN_ID_LENGTH,
  NO_ANSWER,
  parseChatRunId,
  restartTurn,
  resumedRun,
  resumedStream,
  RUN_ID_HEADER,
  START_OVER,
  tailIndex,
  takeChatRequest,
  UI_STREAM_HEADERS,
  uiMessagesOf,
  UiWire,
  type ChatPorts,
  type ChatRun,
  type ChatTaken,
  type TurnStream,
} from '@holdpoint/ai-sdk'
import type { Principal } from '@holdpoint/core'
import { callerKey } from '../http/idempotency.ts'
import { ok, refuse, type RouteAnswer } from '../http/route-answer.ts'
import { route, type Route, type RouteRequest } from '../http/route.ts'
import { traceOf } from '../http/trace-of.ts'
import { id, json, limit, z } from '../schemas.ts'
import { hasEvents, refuseConversation, refuseRight } from './access-rules.ts'
import { resolveAs } from './resolve-as.ts'
import { streamIn } from './stream-in.ts'
import { writerOf } from './writer-of.ts'
import { authorOf } from './request-author.ts'

const query = z.strictObject({
  agent: id.optional().openapi({ description: 'The agent of a new conversation.' }),
  whileBusy: z
    .enum(['refuse', 'queue', 'supersede'])
    .optional()
    .openapi({ description: 'What happens to a message while a turn is in progress or held. Default: `queue`.' }),
})
const params = z.object({ id })
const resumeParams = z.object({
  id: z.string().min(1).max(MAX_CHAT_RUN_ID_LENGTH).openapi({ description: 'The conversation, or an answer.' }),
})
const startIndex = z.coerce
  .number()
  .int()
  .optional()
  .openapi({ description: 'For `WorkflowChatTransport`: how many chunks the page has.' })
const STREAM = { 200: { description: 'The UI message stream.', stream: true } } as const

export const chatRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/api/chat',
    name: 'chat',
    tag: 'chat',
    summary:
      'For `useChat`: takes the new message, and approvals and outputs of client tools as requests to resolve. Nothing else of the history is believed',
    scopes: ['agent'],
    query,
    body: chatRequest,
    responses: STREAM,
    problems: [
      'turn-in-progress',
      'nothing-to-continue',
      'key-reused',
      'is-a-space',
      'too-many-streams',
      'quota-exceeded',
    ],
    idempotency: 'by-runtime',
    handle: async (asked) => {
      const { body, services, caller } = asked
      const from = await writerOf(asked, 'id', body.id)
      if ('answer' in from) return from.answer
      await services.hubs.warm(caller.tenant, body.id)
      const taken = await takeChatRequest(body, portsOf(asked, body.id, from.by))
      if (!taken.ok) return refusedAnswer(taken)
      const { stream, after, runId } = taken
      return runId === undefined
        ? streamAnswer(asked, body.id, { stream, after })
        : countedAnswer(asked, body.id, { stream, after, runId, chunks: 0 })
    },
  }),
  route({
    method: 'get',
    path: '/api/chat/{id}/stream',
    name: 'resumeChat',
    tag: 'chat',
    summary: 'For `useChat` that reconnects: the newest message from its beginning, and then live',
    scopes: ['agent', 'reader'],
    params: resumeParams,
    query: query.extend({ startIndex }),
    responses: { ...STREAM, 204: { description: 'Nothing was said yet.' } },
    problems: ['is-a-space', 'too-many-streams'],
    handle: async (asked) => {
      const { startIndex: chunks } = asked.query
      const run = chunks === undefined ? undefined : parseChatRunId(asked.params.id)
      const which = run?.conversationId ?? asked.params.id
      const refused = await refuseRight(asked, which, 'conversation.read')
      if (refused) return refused
      if (!(await hasEvents(asked.runtime, which))) return nothingSaid(chunks)
      const wrong = await refuseConversation(asked.runtime, which)
      if (wrong) return wrong
      if (run) return restOfAnswer(asked, run, chunks ?? 0)
      const view = await asked.runtime.view(which, { turns: 1 })
      const after = view?.seq ?? 0
      if (chunks !== undefined && chunks > 0) return refuse('bad-request', START_OVER)
      if (chunks !== undefined)
        return streamAnswer(asked, which, { stream: countedStream(view), after }, tailIndex(chunks))
      const stream = resumedStream(view)
      return stream ? streamAnswer(asked, which, { stream, after }) : { status: 204 }
    },
  }),
  route({
    method: 'get',
    path: '/api/chat/{id}',
    name: 'chatHistory',
    tag: 'chat',
    summary: 'The newest messages of a conversation, to start `useChat` with',
    scopes: ['agent', 'reader'],
    params,
    query: query.extend({ turns: limit }),
    responses: { 200: { description: 'The messages, oldest first.', schema: z.object({ messages: z.array(json) }) } },
    problems: ['is-a-space'],
    handle: async (asked) => {
      const which = asked.params.id
      const refused = await refuseRight(asked, which, 'conversation.read')
      if (refused) return refused
      if (!(await hasEvents(asked.runtime, which))) return ok({ messages: [] })
      const wrong = await refuseConversation(asked.runtime, which)
      if (wrong) return wrong
      const { turns } = asked.query
      const view = await asked.runtime.view(which, turns === undefined ? {} : { turns })
      return ok({ messages: view ? uiMessagesOf(view) : [] })
    },
  }),
  route({
    method: 'post',
    path: '/api/chat/{id}/stop',
    name: 'stopChat',
    tag: 'chat',
    summary: 'Stop the turn. When `useChat` stops, it only disconnects, and the turn continues',
    scopes: ['agent'],
    params,
    query,
    responses: { 200: { description: 'The turn was stopped.', schema: z.object({ ok: z.literal(true) }) } },
    problems: ['nothing-to-cancel', 'not-found', 'is-a-space'],
    handle: async (asked) => {
      const which = asked.params.id
      const refused =
        (await refuseRight(asked, which, 'conversation.write')) ?? (await refuseConversation(asked.runtime, which))
      if (refused) return refused
      const from = await authorOf(asked, undefined)
      if ('answer' in from) return from.answer
      const result = await asked.runtime.cancel(which, undefined, { by: from.by })
      return result.ok ? ok({ ok: true }) : refuse(result.refusal, result.message)
    },
  }),
]

type Asked = RouteRequest<unknown, z.infer<typeof query>, unknown>

function portsOf({ query: { agent, whileBusy = 'queue' }, ...asked }: Asked, which: string, by: Principal): ChatPorts {
  const { runtime, caller } = asked
  const options = { whileBusy, by, ...traceOf(asked.request), ...(agent !== undefined && { agent }) }
  return {
    by: by.id,
    view: () => runtime.view(which),
    events: (after) => runtime.events(which, after),
    submit: (content, key) => runtime.submit(which, content, { ...options, key: callerKey(caller, key) }),
    restart: (after) => restartTurn(runtime, which, after, by),
    resolve: (answer) => resolveAs(asked, which, answer),
  }
}

interface Answer {
  readonly stream: TurnStream
  readonly after: number
}

function streamAnswer(
  asked: RouteRequest,
  which: string,
  { stream, after }: Answer,
  more: Readonly<Record<string, string>> = {},
): Promise<RouteAnswer> {
  return streamIn({ wire: new UiWire(stream), after, headers: { ...UI_STREAM_HEADERS, ...more } }, asked, which)
}

/** For a page that counts the chunks, and comes back with their number. */
function countedAnswer(
  asked: RouteRequest,
  which: string,
  { stream, after, runId, chunks }: Answer & { readonly runId: string; readonly chunks: number },
): Promise<RouteAnswer> {
  const { caller, services } = asked
  const paused = (at: { readonly at: number; readonly after: number }): void =>
    services.chatRuns.pause(caller.tenant, runId, at)
  const headers = { ...UI_STREAM_HEADERS, [RUN_ID_HEADER]: runId }
  return streamIn({ wire: new UiWire(stream, { chunks, paused }), after, headers }, asked, which)
}

async function restOfAnswer(
  asked: RouteRequest<{ readonly id: string }>,
  run: ChatRun,
  chunks: number,
): Promise<RouteAnswer> {
  const { runtime, caller, services, params: named } = asked
  if (chunks < 0) return refuse('bad-request', 'startIndex of an answer must be 0 or more.')
  const { conversationId } = run
  await services.hubs.warm(caller.tenant, conversationId)
  const counted = { tenant: caller.tenant, runId: named.id, run, chunks }
  const rest = await resumedRun(counted, services.chatRuns, {
    view: () => runtime.view(conversationId),
    events: (after) => runtime.events(conversationId, after),
  })
  if (!rest) return refuse('not-found', NO_ANSWER)
  return countedAnswer(asked, conversationId, { ...rest, runId: named.id, chunks })
}

/** A page that counts chunks waits for the end of the answer. */
function nothingSaid(chunks: number | undefined): RouteAnswer {
  if (chunks === undefined) return { status: 204 }
  const text = new UiWire(countedStream(undefined)).begin()
  return { response: new Response(text, { headers: { ...UI_STREAM_HEADERS, ...tailIndex(chunks) } }) }
}

function refusedAnswer({ refusal, message }: Extract<ChatTaken, { readonly ok: false }>): RouteAnswer {
  return refuse(refusal, message)
}
