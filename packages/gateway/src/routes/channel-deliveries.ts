/** Messages of channels to people: what was shown, waits, is tried again, or was given up. Without content. */
import { ok, page, refuse } from '../http/route-answer.ts'
import { route, type Route } from '../http/route.ts'
import { after, limit, listOf, z } from '../schemas.ts'
import { withChannels } from './with-channels.ts'

const delivery = z
  .object({
    id: z.string(),
    channel: z.string(),
    person: z.string(),
    conversationId: z.string().optional(),
    callId: z.string().optional(),
    state: z.enum(['waiting', 'retrying', 'shown', 'failed']),
    attempts: z.number(),
    nextAt: z.number().optional().openapi({ description: 'When it is tried or looked at again.' }),
    error: z.string().optional().openapi({ description: 'The last error.' }),
  })
  .openapi('ChannelDelivery')

export const channelDeliveryRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/channels/deliveries',
    name: 'listChannelDeliveries',
    tag: 'channels',
    summary:
      'List messages to people: those that were given up in the last 30 days first, then those that are not over',
    scopes: ['admin'],
    query: z.strictObject({ after, limit }),
    responses: { 200: { description: 'A page of deliveries.', schema: listOf(delivery) } },
    problems: ['not-found'],
    handle: withChannels(async ({ query, caller }, { deliveries }) =>
      page(await deliveries.list(caller.tenant, query.after, query.limit ?? 50)),
    ),
  }),
  route({
    method: 'post',
    path: '/api/channels/replay',
    name: 'replayChannelDelivery',
    tag: 'channels',
    summary: 'Try a message to a person now. It has the newest state of its hold',
    scopes: ['admin'],
    body: z.strictObject({ delivery: z.string().min(1).max(2000) }).openapi('ReplayChannelDelivery'),
    responses: { 202: { description: 'It will be tried.', schema: z.object({ ok: z.literal(true) }) } },
    problems: ['not-found'],
    handle: withChannels(async ({ body, caller }, { deliveries }) =>
      (await deliveries.replay(caller.tenant, body.delivery))
        ? ok({ ok: true }, 202)
        : refuse('not-found', 'There is no such delivery.'),
    ),
  }),
]
