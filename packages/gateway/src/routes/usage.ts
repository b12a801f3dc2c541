/** What a tenant stores and uses, beside its quotas. */
import { ok } from '../http/route-answer.ts'
import { route, type Route } from '../http/route.ts'
import { z } from '../schemas.ts'

const quota = z.object({ used: z.number(), limit: z.number().optional() }).openapi('QuotaUsage')

export const usageRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/usage',
    name: 'usage',
    tag: 'usage',
    summary: 'What the tenant stores and uses, and its quotas. A quota without `limit` is not set',
    scopes: ['admin'],
    responses: {
      200: {
        description: 'Conversations and stored bytes are up to a minute old.',
        schema: z
          .object({
            conversations: quota,
            storedBytes: quota,
            plans: quota.optional().openapi({ description: 'Where there is a quota.' }),
            modelCallsPerMinute: quota,
            modelCallsWaiting: z.number().openapi({ description: 'In this process, for the next minute.' }),
            bytesSentToday: quota.openapi({ description: 'By the tenant, since midnight UTC, to all gateways.' }),
            requests: quota.openapi({ description: 'Of the burst that this gateway allows.' }),
          })
          .openapi('Usage'),
      },
    },
    handle: async ({ caller: { tenant }, runtime, services: { tenantLimits } }) =>
      ok({ ...(await runtime.usage()), ...(await tenantLimits.usage(tenant)) }),
  }),
]
