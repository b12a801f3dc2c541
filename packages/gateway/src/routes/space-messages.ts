/** What is said in a space, what happens there, and answers to the calls that are shown in it. */
import { randomUUID } from 'node:crypto'
import { lifeId, type LogEvent, type Member, type Runtime } from '@holdpoint/core'
import { no, ok } from '../http/answer.ts'
import { ownKey } from '../http/once.ts'
import { route, wantsStream, type Asked, type Route } from '../http/route.ts'
import type { Services } from '../services.ts'
import { id, json, limit, listOf, logEvent, member, tools, verdict, z } from '../schemas.ts'
import { actorOf, closedSpace, personOf, seesAll } from './access.ts'
import { misplacedTools, pageOfEvents } from './events.ts'
import { resolved } from './holds.ts'
import { resolutionOf } from './runs.ts'

const params = z.object({ id })
const LONGEST_MESSAGE = 100_000

export const spaceMessageRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/api/spaces/{id}/messages',
    name: 'postSpaceMessage',
    tag: 'spaces',
    summary: 'Say something. It is durable when this answers, and wakes every other agent in the space once',
    scopes: ['agent'],
    params,
    body: z
      .strictObject({
        text: z.string().max(LONGEST_MESSAGE).regex(/\S/, 'says nothing'),
        from: member.optional(),
        replyTo: z.number().int().min(1).optional(),
      })
      .openapi('PostMessage'),
    answers: {
      201: {
        says: 'It was said, now or before under this key. `quiet`: it woke nobody.',
        schema: z.object({ seq: z.number().int(), quiet: z.boolean(), repeated: z.literal(true).optional() }),
      },
    },
    problems: ['space-missing', 'not-a-member', 'not-allowed', 'not-a-message'],
    once: 'by-runtime',
    handle: async ({ params: { id: which }, body: { text, from, replyTo }, who, key, runtime, services }) => {
      const actor = actorOf(who, from)
      if ('answer' in actor) return actor.answer
      await services.hubs.warm(who.tenant, which)
      const said = await runtime.spaces.post(which, text, {
        from: actor.member,
        key: key === undefined ? randomUUID() : ownKey(who, key),
        ...(replyTo !== undefined && { replyTo }),
      })
      if (!said.ok) return no(said.refusal, said.message)
      const { ok: _ok, ...posted } = said
      return ok(posted, 201)
    },
  }),
  route({
    method: 'get',
    path: '/api/spaces/{id}/events',
    name: 'spaceEvents',
    tag: 'spaces',
    summary:
      'What happened after a seq; with `Accept: text/event-stream` everything that comes, and what is being written',
    scopes: ['agent', 'reader', 'worker'],
    params,
    query: z.strictObject({ after: z.coerce.number().int().min(0).optional(), limit, tools }),
    answers: { 200: { says: 'A page of it, or the stream.', schema: listOf(logEvent), stream: true } },
    problems: ['space-missing', 'not-a-member', 'too-many-streams'],
    handle: async (asked) => {
      const { query, who, runtime, request } = asked
      const which = asked.params.id
      const closed = await closedSpace(who, runtime, which)
      if (closed) return closed
      const misplaced = misplacedTools(asked)
      if (misplaced) return misplaced
      if (wantsStream(request)) return followed(asked, which, query.tools)
      return pageOfEvents(runtime, which, query)
    },
  }),
  route({
    method: 'post',
    path: '/api/spaces/{id}/tool-results',
    name: 'spaceToolResult',
    tag: 'spaces',
    summary: 'Answer a call that is shown in the space and asks the people there',
    scopes: ['agent', 'resolver'],
    params,
    body: z
      .strictObject({
        callId: id,
        result: json.optional(),
        error: z.string().max(100_000).optional(),
        from: member.optional(),
        hold: z.number().int().min(1).optional(),
      })
      .refine((body) => ('result' in body && body.result !== undefined) !== (body.error !== undefined), {
        error: 'give either a "result" or an "error"',
      })
      .openapi('SpaceToolResult'),
    answers: { 200: { says: 'The answer is taken; `duplicate` when it was taken before.', schema: verdict } },
    problems: [
      'space-missing',
      'not-a-member',
      'not-allowed',
      'conflict',
      'expired',
      'stale',
      'unknown',
      'invalid',
      'wrong-kind',
    ],
    handle: async ({ params: { id: which }, body, who, runtime, services }) => {
      const actor = actorOf(who, body.from)
      if ('answer' in actor) return actor.answer
      const closed = await closedSpace(who, runtime, which)
      if (closed) return closed
      const isKey = who.kind === 'key' && body.from === undefined
      const role = isKey ? 'member' : await runtime.spaces.roleOf(which, actor.member)
      if (role === undefined) return no('not-a-member', `${actor.member.id} is not a member of this space.`)
      if (role === 'reader') return no('not-allowed', `${actor.member.id} may read this space, not answer in it.`)
      const { callId, hold } = body
      const life = await shownBy(services, runtime, { tenant: who.tenant, space: which, callId })
      if (life === undefined) return no('unknown', `No call ${callId} in this space asks the people there.`)
      return resolved(
        await runtime.resolve(life, callId, resolutionOf(body), {
          by: actor.member.id,
          ...(hold !== undefined && { hold }),
        }),
      )
    },
  }),
]

/** Whoever is sent away hears no more. */
function followed(
  asked: Asked,
  id: string,
  names: readonly string[] | undefined,
): ReturnType<Services['streams']['open']> {
  const { who, runtime, services } = asked
  if (seesAll(who)) return services.streams.open(asked, id, { tools: names })
  const self = personOf(who)
  const leaves = {
    until: (event: LogEvent) => event.type === 'member.left' && same(event.member, self),
    still: async () => (await runtime.spaces.roleOf(id, self)) !== undefined,
  }
  return services.streams.open(asked, id, { tools: names, leaves })
}

/**
 * The life of the agent whose call it is. The agent's own log says where a call is shown; what waits for a worker or for an
 * approval is not for everybody in the space to answer.
 */
async function shownBy(
  { store }: Services,
  runtime: Runtime,
  { tenant, space, callId }: { readonly tenant: string; readonly space: string; readonly callId: string },
): Promise<string | undefined> {
  const view = await runtime.spaces.view(space, { limit: 1 })
  for (const { member: each } of view?.members ?? []) {
    if (each.kind !== 'agent') continue
    const life = lifeId(each.id)
    const events = await store.readCall({ tenant, id: life }, callId)
    const shown = events.some(
      (event) =>
        event.type === 'model.replied' &&
        event.placed?.calls.some((call) => call.callId === callId && call.space === space && call.shown),
    )
    const kind = events.findLast((event) => event.type === 'call.held')?.hold.kind
    if (shown && (kind === 'elicitation' || kind === 'client')) return life
  }
  return undefined
}

function same(a: Member, b: Member): boolean {
  return a.kind === b.kind && a.id === b.id
}
