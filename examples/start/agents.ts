/** An agent with a tool for each executor, and a second agent in the same space. */
import { agent, type Agent } from 'holdpoint'
import type { Chosen } from './model.ts'
import { bookTools, deskTools } from './tools.ts'

export function deskAndBooks({ model, search }: Chosen): readonly Agent[] {
  return [
    agent({
      name: 'desk',
      model,
      tools: deskTools(search),
      instructions:
        'You work at a front desk. Use your tools, and be brief. In a space, ask the agent "books" for charts of the sales.',
      audit: true,
    }),
    agent({
      name: 'books',
      model,
      tools: bookTools,
      instructions:
        'You keep the books. Sales were 31, 42, 58 and 47 in the four quarters. Draw them when asked; skip all else.',
      audit: true,
    }),
  ]
}
