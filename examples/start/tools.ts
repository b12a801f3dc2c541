/** One tool for each executor, with and without approval. */
import { setTimeout as pause } from 'node:timers/promises'
import { internalTool, tool, type Tool } from 'holdpoint'
import { z } from 'zod'

const sendEmail = tool({
  name: 'email.send',
  description: 'Send an e-mail',
  input: z.object({ to: z.string(), subject: z.string(), body: z.string() }),
  approval: ({ input }) => ({ required: true, reason: `It goes to ${input.to}, and cannot be taken back.` }),
  run: ({ input, call }) => ({ sent: input.to, messageId: `<${call.id}@desk.example>` }),
})

const askBudget = tool({
  name: 'budget.ask',
  description: 'Ask the owner for a budget',
  executor: 'human',
  timeout: '2 days',
  input: z.object({ question: z.string() }),
  output: z.object({
    amount: z.number().min(1).max(100_000).describe('From 1 to 100,000.'),
    currency: z.enum(['EUR', 'USD', 'GBP']).default('EUR'),
    note: z.string().max(500).optional().describe('What else there is to say about it.'),
    urgent: z.boolean().default(false),
  }),
})

const timeZone = tool({
  name: 'browser.time_zone',
  description: 'The time zone of the person who asks',
  executor: 'client',
  timeout: '2 min',
  input: z.object({}),
  output: z.object({ timeZone: z.string(), locale: z.string(), time: z.string() }),
})

const buildReport = tool({
  name: 'report.build',
  description: 'Build a report from the books. Takes a while.',
  streaming: true,
  input: z.object({ quarter: z.string() }),
  run: async ({ input, progress, signal }) => {
    const steps = ['reading the books', 'adding up', 'drawing', 'writing it down']
    for (let done = 0; done <= 20; done++) {
      progress({ percent: done * 5, message: steps[Math.min(3, Math.floor(done / 5))] ?? '' })
      await pause(220, undefined, { signal })
    }
    return { quarter: input.quarter, pages: 12, total: 48_210 }
  },
})

/** A person approves it, and then a worker runs it: it is held twice. */
const shipParcel = tool({
  name: 'parcel.ship',
  description: 'Ship a parcel',
  executor: 'external',
  streaming: true,
  timeout: '1 day',
  approval: ({ input }) => ({ required: true, reason: `A parcel to ${input.to} costs 14 euros.` }),
  input: z.object({ to: z.string(), kilograms: z.number() }),
  output: z.object({ tracking: z.string() }),
})

const showChart = internalTool({
  name: 'chart.show',
  description: 'Show a bar chart',
  visible: true,
  input: z.object({ title: z.string(), bars: z.array(z.object({ label: z.string(), value: z.number() })) }),
})

/** `search` is the vendor's own name of its web search, if it has one. */
export function deskTools(search: string | undefined): readonly Tool[] {
  const own = [sendEmail, askBudget, timeZone, buildReport, shipParcel, showChart]
  return search === undefined ? own : [...own, tool({ executor: 'provider', name: 'web_search', id: search })]
}

export const bookTools: readonly Tool[] = [showChart]
