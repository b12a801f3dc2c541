/** Conversations for front ends that speak AG-UI. Not in the OpenAPI document: the protocol has schemas of its own. */
import {
  AG_UI_HEADERS,
  AgUiWire,
  runInput,
  takeRun,
  type RunInput,
  type RunPorts,
  type RunStream,
} from '@holdpoint/ag-ui'
import type { Principal } from '@holdpoint/core'
import { callerKey } from '../http/idempotency.ts'
import type { RouteAnswer } from '../http/route-answer.ts'
import { route, type Route, type RouteRequest } from '../http/route.ts'
import { traceOf } from '../http/trace-of.ts'
import { id, z } from '../schemas.ts'
import { resolveAs } from './resolve-as.ts'
import { streamIn } from './stream-in.ts'
import { writerOf } from './writer-of.ts'

const query = z.strictObject({
  agent: id.optional(),
  whileBusy: z.enum(['refuse', 'queue', 'supersede']).optional(),
})

export const agUiRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/api/ag-ui',
    name: 'runAgUi',
    tag: 'ag-ui',
    summary:
      'A run of AG-UI: a message, answers to interrupts and results of client tools; then the events until the run ends',
    scopes: ['agent'],
    query,
    body: runInput,
    responses: { 200: { description: 'The events of the run.', stream: true } },
    idempotency: 'by-runtime',
    handle: (asked) => runAnswer(asked),
  }),
]

interface RunQuery {
  readonly agent?: string | undefined
  readonly whileBusy?: 'refuse' | 'queue' | 'supersede' | undefined
}

type Asked = RouteRequest<unknown, RunQuery, RunInput>

export async function runAnswer(asked: Asked): Promise<RouteAnswer> {
  const { body, services, caller } = asked
  const { threadId } = body
  const from = await writerOf(asked, 'threadId', threadId)
  if ('answer' in from) return from.answer
  await services.hubs.warm(caller.tenant, threadId)
  return runStream(asked, threadId, await takeRun(body, portsOf(asked, threadId, from.by)))
}

export function runStream(asked: RouteRequest, threadId: string, run: RunStream): Promise<RouteAnswer> | RouteAnswer {
  const wire = new AgUiWire(run)
  // A page that opens before the first message: there is no conversation to follow.
  if (run.after === 0) return { response: new Response(wire.begin(), { headers: AG_UI_HEADERS }) }
  return streamIn({ wire, after: run.after, headers: AG_UI_HEADERS }, asked, threadId)
}

function portsOf({ query: { agent, whileBusy = 'refuse' }, ...asked }: Asked, which: string, by: Principal): RunPorts {
  const { runtime, caller } = asked
  const options = { whileBusy, by, ...traceOf(asked.request), ...(agent !== undefined && { agent }) }
  return {
    view: () => runtime.view(which, { turns: 200 }),
    submit: (content, key) => runtime.submit(which, content, { ...options, key: callerKey(caller, key) }),
    resolve: (answer) => resolveAs(asked, which, answer),
  }
}
