/**
 * The routes that CopilotKit asks a runtime for: the agents, a run, what there is (after a reload), and stop. The runs are those of
 * AG-UI. Not in the OpenAPI document: the protocol is CopilotKit's.
 */
import { runInput, RunStream } from '@holdpoint/ag-ui'
import { emptyView } from '@holdpoint/core'
import { ok, refuse } from '../http/route-answer.ts'
import { route, type Route } from '../http/route.ts'
import { id, z } from '../schemas.ts'
import { AGENT_DOCUMENT } from '../stored-agents.ts'
import { list } from '../document-store.ts'
import { hasEvents, refuseConversation, refuseRight } from './access-rules.ts'
import { runAnswer, runStream } from './ag-ui.ts'
import { authorOf } from './request-author.ts'

/** CopilotKit's name for the agent of a page that names none. */
const DEFAULT_AGENT = 'default'
const MOST_AGENTS = 100

const params = z.object({ agent: id })

export const copilotKitRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/copilotkit/info',
    name: 'copilotKitInfo',
    tag: 'ag-ui',
    summary: 'For CopilotKit: the agents. `default` is the only one',
    scopes: ['agent'],
    responses: { 200: { description: 'The agents by name.', schema: z.looseObject({}) } },
    handle: async ({ caller, services: { agents, documents } }) => {
      const stored = await list(documents, { tenant: caller.tenant, kind: AGENT_DOCUMENT, limit: MOST_AGENTS })
      const names = [...agents.map(({ name }) => name), ...stored.items.map((each) => each.id)]
      const all = names.length === 1 ? [DEFAULT_AGENT, ...names] : names
      const about = all.map((name) => [name, { name, className: 'HttpAgent', description: '' }] as const)
      return ok({
        version: '1.74.0',
        agents: Object.fromEntries(about),
        audioFileTranscriptionEnabled: false,
        mode: 'sse',
      })
    },
  }),
  route({
    method: 'post',
    path: '/api/copilotkit/agent/{agent}/run',
    name: 'runCopilotKit',
    tag: 'ag-ui',
    summary: 'For CopilotKit: a run of AG-UI',
    scopes: ['agent'],
    params,
    body: runInput,
    responses: { 200: { description: 'The events of the run.', stream: true } },
    idempotency: 'by-runtime',
    handle: (asked) => {
      const { agent } = asked.params
      return runAnswer({ ...asked, query: agent === DEFAULT_AGENT ? {} : { agent } })
    },
  }),
  route({
    method: 'post',
    path: '/api/copilotkit/agent/{agent}/connect',
    name: 'connectCopilotKit',
    tag: 'ag-ui',
    summary:
      'For CopilotKit: the conversation so far and what it waits for, and then live until the turn ends or waits',
    scopes: ['agent', 'reader'],
    params,
    body: runInput,
    responses: { 200: { description: 'The events of the run.', stream: true } },
    idempotency: 'by-runtime',
    handle: async (asked) => {
      const { threadId, runId, protocolVersion } = asked.body
      const which = id.safeParse(threadId)
      if (!which.success) return refuse('bad-request', 'The request is invalid: body.threadId is not an id.')
      const refused = await refuseRight(asked, which.data, 'conversation.read')
      if (refused) return refused
      const wrong =
        (await hasEvents(asked.runtime, which.data)) && (await refuseConversation(asked.runtime, which.data))
      if (wrong) return wrong
      const view = (await asked.runtime.view(which.data, { turns: 200 })) ?? emptyView
      const modern = typeof protocolVersion === 'string'
      return runStream(asked, which.data, new RunStream({ threadId: which.data, runId, modern, view }))
    },
  }),
  route({
    method: 'post',
    path: '/api/copilotkit/agent/{agent}/stop/{id}',
    name: 'stopCopilotKit',
    tag: 'ag-ui',
    summary: 'For CopilotKit: stop the turn',
    scopes: ['agent'],
    params: params.extend({ id }),
    body: z.looseObject({ runId: z.string().optional() }).optional(),
    responses: { 200: { description: 'The turn was stopped.', schema: z.looseObject({}) } },
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
