/**
 * What `npm start` serves: a desk whose model is a few lines of code, since no vendor need be known to try it. Ask it to
 * write to somebody, and the call waits for your approval; ask it for a budget, and it asks you.
 */
import { agent, tool, type Agent, type Model, type ModelPart } from 'holdpoint'
import { z } from 'zod'

const sendEmail = tool({
  name: 'send_email',
  description: 'Send an e-mail',
  input: z.object({ to: z.string(), body: z.string() }),
  approval: ({ input }) => ({ required: true, reason: `It goes to ${input.to}` }),
  run: ({ input }) => `sent to ${input.to}`,
})
const askBudget = tool({
  name: 'ask_budget',
  description: 'Ask the owner for a budget',
  executor: 'human',
  timeout: '2 days',
  input: z.object({ question: z.string() }),
  output: z.object({ amount: z.number() }),
})

/** It reads the last message alone, so any process says the same. */
const pretender: Model = {
  id: 'demo/pretender',
  async *stream({ prompt }) {
    const last = prompt.at(-1)
    const said = JSON.stringify(last ?? '')
    const call = (name: string, input: object): ModelPart => ({
      type: 'call',
      id: `call-${prompt.length}`,
      name,
      input: JSON.stringify(input),
    })
    if (last?.role === 'tool') yield* words(`Done: ${JSON.stringify(last.results.map(({ content }) => content))}`)
    else if (/mail|write|tell/i.test(said)) yield call('send_email', { to: 'ada@example.org', body: 'Hello.' })
    else if (/budget|money/i.test(said)) yield call('ask_budget', { question: 'How much may this cost?' })
    else yield* words('I pretend to be a model. Ask me to write to Ada, or for a budget.')
    yield { type: 'finish', reason: 'stop', usage: { inputTokens: 0, outputTokens: 0 } }
  },
}

function* words(text: string): Iterable<ModelPart> {
  for (const delta of text.split(/(?<= )/)) yield { type: 'text', id: 't', delta }
}

export const agents: readonly Agent[] = [
  agent({ name: 'desk', model: pretender, tools: [sendEmail, askBudget], instructions: 'Be brief.' }),
]
/** For agents that are made over HTTP. */
export const models = { pretender }
