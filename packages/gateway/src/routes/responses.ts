/** Conversations in the shape of the OpenAI Responses API. Not in the OpenAPI document: the shape is OpenAI's. */
import {
  conversationOf,
  RESPONSE_HEADERS,
  ResponseWire,
  responseRequest,
  takeResponseRequest,
  type ResponseStream,
} from '@holdpoint/responses'
import type { ProblemCode } from '@holdpoint/protocol'
import { callerKey } from '../http/idempotency.ts'
import { ok, refuse, type RouteAnswer } from '../http/route-answer.ts'
import { route, type Route, type RouteRequest } from '../http/route.ts'
import { traceOf } from '../http/trace-of.ts'
import { resolveAs } from './resolve-as.ts'
import { streamIn } from './stream-in.ts'
import { writerOf } from './writer-of.ts'

export const responseRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/api/openai/responses',
    name: 'createResponse',
    tag: 'openai',
    summary: 'A message to an agent, or answers to calls that wait; the response has what the turn adds',
    scopes: ['agent'],
    body: responseRequest,
    responses: { 200: { description: 'The response, or its events.', stream: true } },
    idempotency: 'by-runtime',
    handle: async (asked) => {
      const { body, runtime, services, caller, idempotencyKey } = asked
      const { conversation, previous_response_id } = body
      const given = typeof conversation === 'string' ? conversation : conversation?.id
      const previous = previous_response_id ?? undefined
      const known = previous === undefined ? undefined : conversationOf(previous)
      if (previous !== undefined && known === undefined)
        return refuse('not-found', `There is no response "${previous}".`)
      const which = given ?? known ?? crypto.randomUUID()
      const from = await writerOf(asked, 'conversation', which)
      if ('answer' in from) return from.answer
      await services.hubs.warm(caller.tenant, which)
      const key = idempotencyKey === undefined ? {} : { key: callerKey(caller, idempotencyKey) }
      const taken = await takeResponseRequest(body, which, {
        now: services.now(),
        view: () => runtime.view(which),
        resolve: (answer) => resolveAs(asked, which, answer),
        submit: (content) =>
          runtime.submit(which, content, {
            agent: body.model,
            by: from.by,
            whileBusy: 'refuse',
            ...traceOf(asked.request),
            ...key,
          }),
      })
      // A verdict or a refusal; each is a code of a problem.
      if (!taken.ok) return refuse(taken.code as ProblemCode, taken.message)
      if (body.stream !== true) return whole(asked, which, taken.stream)
      return streamIn(
        { wire: new ResponseWire(taken.stream), after: taken.stream.after, headers: RESPONSE_HEADERS },
        asked,
        which,
      )
    },
  }),
]

/** Without `stream`, the answer comes when the response is complete. A request that ends before leaves the turn running. */
async function whole(
  { runtime, request, services }: RouteRequest,
  which: string,
  stream: ResponseStream,
): Promise<RouteAnswer> {
  const over = new AbortController()
  const signal = AbortSignal.any([over.signal, services.closing, request.signal])
  stream.begin()
  if (!stream.over)
    await runtime.subscribe(which, { after: stream.after, signal }).forEach((item) => {
      stream.take(item)
      if (stream.over) over.abort()
    })
  return stream.over ? ok(stream.response()) : refuse('closed', 'The gateway is shutting down, and the turn continues.')
}
