/** Webhooks out, their deliveries, and webhooks in that wake agents. */
import { EVENT_TYPES } from '@holdpoint/channels'
import { ok, page, refuse } from '../http/route-answer.ts'
import { route, type Route } from '../http/route.ts'
import { after, id, limit, listOf, z } from '../schemas.ts'
import { withChannels } from './with-channels.ts'

const url = z.string().max(2000)
const events = z.array(z.enum(EVENT_TYPES)).min(1)
const webhook = z
  .object({ id: z.string(), url: z.string(), events: events.optional(), createdAt: z.number() })
  .openapi('Webhook')
const delivery = z
  .object({
    id: z.string(),
    endpoint: z.string(),
    type: z.string(),
    at: z.number(),
    status: z.enum(['pending', 'delivered', 'failed']),
    attempts: z.array(z.object({ at: z.number(), status: z.number().optional(), error: z.string().optional() })),
    nextAt: z.number().optional(),
  })
  .openapi('WebhookDelivery')
const scheme = z.enum(['standard', 'github'])
const trigger = z
  .object({ id: z.string(), agent: z.string(), name: z.string(), scheme, createdAt: z.number() })
  .openapi('TriggerHook')
const secret = z.string().optional().openapi({ description: 'Shown only once.' })
const deliveryId = z.string().min(1).max(1000)
const NO_WEBHOOK = 'There is no such webhook.'

export const webhookRoutes: readonly Route[] = [
  route({
    method: 'post',
    path: '/api/webhooks',
    name: 'createWebhook',
    tag: 'webhooks',
    summary: 'Send events to a URL, signed by the Standard Webhooks specification. The secret is shown only once',
    scopes: ['admin'],
    body: z.strictObject({ url, events: events.optional() }).openapi('CreateWebhook'),
    responses: { 201: { description: 'The webhook.', schema: webhook.extend({ secret }) } },
    problems: ['not-found', 'config-invalid'],
    handle: withChannels(async ({ body, caller }, { webhooks }) => {
      const { url: to, events: types } = body
      const { secret: made, ...row } = await webhooks.create(caller.tenant, {
        url: to,
        ...(types && { events: types }),
      })
      return { status: 201, body: row, secret: { secret: made } }
    }),
  }),
  route({
    method: 'get',
    path: '/api/webhooks',
    name: 'listWebhooks',
    tag: 'webhooks',
    summary: 'List webhooks, without their secrets',
    scopes: ['admin'],
    query: z.strictObject({}),
    responses: { 200: { description: 'The webhooks.', schema: listOf(webhook) } },
    problems: ['not-found'],
    handle: withChannels(async ({ caller }, { webhooks }) =>
      page({ items: await webhooks.list(caller.tenant), next: undefined }),
    ),
  }),
  route({
    method: 'delete',
    path: '/api/webhooks/{id}',
    name: 'removeWebhook',
    tag: 'webhooks',
    summary: 'Remove a webhook. What is not delivered yet is not sent any more',
    scopes: ['admin'],
    params: z.object({ id }),
    responses: { 204: { description: 'The webhook was removed.' } },
    problems: ['not-found'],
    handle: withChannels(async ({ params, caller }, { webhooks }) =>
      (await webhooks.remove(caller.tenant, params.id)) ? { status: 204 } : refuse('not-found', NO_WEBHOOK),
    ),
  }),
  route({
    method: 'post',
    path: '/api/webhooks/{id}/secret',
    name: 'rotateWebhookSecret',
    tag: 'webhooks',
    summary: 'Make a new secret. For a day, messages are signed with the old one too',
    scopes: ['admin'],
    params: z.object({ id }),
    responses: { 200: { description: 'The new secret.', schema: z.object({ id: z.string(), secret }) } },
    problems: ['not-found'],
    handle: withChannels(async ({ params, caller }, { webhooks }) => {
      const made = await webhooks.rotate(caller.tenant, params.id)
      if (made === undefined) return refuse('not-found', NO_WEBHOOK)
      return { status: 200, body: { id: params.id }, secret: { secret: made } }
    }),
  }),
  route({
    method: 'get',
    path: '/api/webhooks/{id}/deliveries',
    name: 'listWebhookDeliveries',
    tag: 'webhooks',
    summary: 'List what was sent to a webhook in the last 30 days, newest first, with every attempt',
    scopes: ['admin'],
    params: z.object({ id }),
    query: z.strictObject({ after, limit }),
    responses: { 200: { description: 'A page of deliveries.', schema: listOf(delivery) } },
    problems: ['not-found'],
    handle: withChannels(async ({ params, query, caller }, channels) => {
      const { webhooks } = channels
      const known = (await webhooks.list(caller.tenant)).some((each) => each.id === params.id)
      if (!known) return refuse('not-found', NO_WEBHOOK)
      const { items, next } = await webhooks.deliveries(caller.tenant, params.id, query.after, query.limit ?? 50)
      const shown = items.map(async (item) => {
        const nextAt = item.status === 'pending' ? await channels.nextAttempt(caller.tenant, item.id) : undefined
        return nextAt === undefined ? item : { ...item, nextAt }
      })
      return page({ items: await Promise.all(shown), next })
    }),
  }),
  route({
    method: 'post',
    path: '/api/webhooks/{id}/replay',
    name: 'replayWebhookDelivery',
    tag: 'webhooks',
    summary: 'Send a delivery again, with the same `webhook-id`',
    scopes: ['admin'],
    params: z.object({ id }),
    body: z.strictObject({ delivery: deliveryId }).openapi('ReplayWebhookDelivery'),
    responses: { 202: { description: 'It will be sent.', schema: z.object({ ok: z.literal(true) }) } },
    problems: ['not-found'],
    handle: withChannels(async ({ params, body, caller }, channels) => {
      const own = body.delivery.startsWith(`${params.id}/`)
      const sent = own && (await channels.replay(caller.tenant, body.delivery))
      return sent ? ok({ ok: true }, 202) : refuse('not-found', 'There is no such delivery.')
    }),
  }),
  route({
    method: 'post',
    path: '/api/triggers',
    name: 'createTrigger',
    tag: 'webhooks',
    summary: 'Let a service wake an agent with signed requests to `/triggers/{id}`. The secret is shown only once',
    scopes: ['admin'],
    body: z.strictObject({ agent: id, name: id, scheme: scheme.optional() }).openapi('CreateTrigger'),
    responses: { 201: { description: 'The trigger.', schema: trigger.extend({ secret }) } },
    problems: ['not-found', 'config-invalid'],
    handle: withChannels(async ({ body, caller }, { triggers }) => {
      const { agent, name, scheme: how } = body
      const made = await triggers.create(caller.tenant, { agent, name, ...(how && { scheme: how }) })
      const { secret: shown, ...row } = made
      return { status: 201, body: row, secret: { secret: shown } }
    }),
  }),
  route({
    method: 'get',
    path: '/api/triggers',
    name: 'listTriggers',
    tag: 'webhooks',
    summary: 'List triggers, without their secrets',
    scopes: ['admin'],
    query: z.strictObject({}),
    responses: { 200: { description: 'The triggers.', schema: listOf(trigger) } },
    problems: ['not-found'],
    handle: withChannels(async ({ caller }, { triggers }) =>
      page({ items: await triggers.list(caller.tenant), next: undefined }),
    ),
  }),
  route({
    method: 'delete',
    path: '/api/triggers/{id}',
    name: 'removeTrigger',
    tag: 'webhooks',
    summary: 'Remove a trigger: its requests are refused from now on',
    scopes: ['admin'],
    params: z.object({ id }),
    responses: { 204: { description: 'The trigger was removed.' } },
    problems: ['not-found'],
    handle: withChannels(async ({ params, caller }, { triggers }) =>
      (await triggers.remove(caller.tenant, params.id))
        ? { status: 204 }
        : refuse('not-found', `There is no trigger "${params.id}".`),
    ),
  }),
]
