/** Tokens, cost and calls by day, agent, model and tool. */
import type { UsageFilter } from '@holdpoint/runtime'
import { ok } from '../http/route-answer.ts'
import { route, type Route } from '../http/route.ts'
import { priceOf } from '../prices.ts'
import { after, z } from '../schemas.ts'

const time = z.coerce.number().int().min(0).optional()
const count = z.number().int()
const of = { day: z.string().openapi({ description: 'In UTC.' }), agent: z.string() }
const modelUsage = z
  .object({
    ...of,
    model: z.string(),
    calls: count,
    inputTokens: count,
    outputTokens: count,
    cachedTokens: count,
    cost: z.number().optional().openapi({ description: 'Left out for a model without a price.' }),
  })
  .openapi('ModelUsage')
const toolUsage = z
  .object({ ...of, tool: z.string(), calls: count, held: count, failed: count, runMs: z.number() })
  .openapi('ToolUsage')

export const usageReportRoutes: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/usage/report',
    name: 'usageReport',
    tag: 'usage',
    summary:
      'Tokens, cost and calls by day, agent, model and tool. Each page counts a limited number of conversations: add them up',
    scopes: ['admin'],
    query: z.strictObject({ since: time, until: time, after }),
    responses: {
      200: {
        description: 'A page. With a `next`, other conversations were not counted yet.',
        schema: z
          .object({
            models: z.array(modelUsage),
            tools: z.array(toolUsage),
            currency: z.string().optional(),
            conversations: count,
            cut: count.openapi({ description: 'Conversations of which only the newest events were counted.' }),
            unreadable: count,
            next: z.string().optional(),
          })
          .openapi('UsageReport'),
      },
    },
    problems: ['config-invalid'],
    handle: async ({ query, runtime, services: { prices } }) => {
      const filter = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as UsageFilter
      const { next, ...page } = await runtime.usageReport({ ...filter, ...(prices && { price: priceOf(prices) }) })
      return ok({ ...page, ...(prices && { currency: prices.currency }), ...(next !== undefined && { next }) })
    },
  }),
]
