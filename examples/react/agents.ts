/** The agent of the guide: it refunds money after an approval. */
import { agent, tool } from 'holdpoint'
import { scriptedModel } from '@holdpoint/testing'
import { z } from 'zod'

const refund = tool({
  name: 'refund',
  description: 'Give money back',
  input: z.object({ euros: z.number() }),
  approval: ({ input }) => ({ required: true, reason: `${input.euros} euros will be paid out.` }),
  run: ({ input }) => `${input.euros} euros`,
})
const timeZone = tool({
  name: 'browser.time_zone',
  description: 'Where the customer is',
  executor: 'client', // runs on the page
  input: z.object({}),
})

// A scripted model, so that no API key is needed. For a real one: aiSdkModel(openai('gpt-5-mini'))
const wanted = { calls: [{ name: 'browser.time_zone' }, { name: 'refund', input: { euros: 50 } }] }
const model = scriptedModel(({ prompt }) => (prompt.at(-1)?.role === 'tool' ? 'You have your money back.' : wanted))

export const agents = [agent({ name: 'desk', model, tools: [refund, timeZone] })]
