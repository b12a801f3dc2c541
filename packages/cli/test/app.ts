/** The agents of a gateway that the tests start. */
import { agent, tool, type Agent, type Model } from 'holdpoint'
import { z } from 'zod'

const model: Model = {
  id: 'scripted',
  async *stream({ prompt }) {
    const last = prompt.at(-1)
    const text = last?.role === 'user' ? JSON.stringify(last.parts) : ''
    const asks = text.includes('size') ? 'size' : 'pay'
    if (last?.role === 'user') {
      yield { type: 'call', id: 'c1', name: asks, input: JSON.stringify(asks === 'pay' ? { to: 'Eve\u202E' } : {}) }
      yield { type: 'finish', reason: 'calls', usage: { inputTokens: 1, outputTokens: 1 } }
      return
    }
    yield { type: 'text', id: 't', delta: 'Done.' }
    yield { type: 'finish', reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } }
  },
}
const pay = tool({
  name: 'pay',
  description: 'Pay',
  input: z.object({ to: z.string() }),
  approval: { required: true, reason: 'It is money.' },
  run: ({ input }) => `paid ${input.to}`,
})
const size = tool({
  name: 'size',
  description: 'Ask for a size',
  executor: 'human',
  timeout: '1 h',
  input: z.object({}),
  output: z.object({ size: z.number(), gift: z.boolean().optional() }),
})

export const agents: readonly Agent[] = [agent({ name: 'desk', model, tools: [pay, size] })]
