/** A gateway whose model makes the calls that a message asks for: `[{ "name": …, "input": … }]`. */
import { agent, tool, type Agent, type Model } from 'holdpoint'
import { z } from 'zod'
import { vendorName } from '@holdpoint/core'

const send = tool({
  name: 'mail.send',
  description: 'Send a mail to a customer',
  approval: 'required',
  input: z.looseObject({ to: z.string() }),
  run: ({ input }) => `sent to ${input.to}`,
})

const pay = tool({
  name: 'money.pay',
  description: 'Pay an invoice',
  approval: { required: true, approvers: 2 },
  input: z.object({ amount: z.number() }),
  run: ({ input }) => `paid ${input.amount}`,
})

/** Returns a result of the size in its input. */
const report = tool({
  name: 'report.make',
  description: 'Make a report',
  input: z.object({ megabytes: z.number() }),
  run: ({ input }) => ({ text: 'x'.repeat(input.megabytes * 1_000_000) }),
})

const scan = tool({
  name: 'scan.ask',
  description: 'Ask for a scan',
  executor: 'human',
  timeout: '1 h',
  input: z.object({}),
  output: z.object({ scan: z.string().meta({ format: 'file' }) }),
})

const Calls = z.array(z.object({ name: z.string(), input: z.looseObject({}) }))

const model: Model = {
  id: 'demo/clerk',
  async *stream({ prompt }) {
    const last = prompt.at(-1)
    const text = last?.role === 'user' && last.parts[0]?.type === 'text' ? last.parts[0].text : ''
    if (text.startsWith('['))
      for (const [nth, { name, input }] of Calls.parse(JSON.parse(text)).entries())
        yield { type: 'call', id: `c${nth}`, name: vendorName(name), input: JSON.stringify(input) }
    else yield { type: 'text', id: 't', delta: 'Done.' }
    yield { type: 'finish', reason: 'stop', usage: { inputTokens: 1, outputTokens: 1 } }
  },
}

/** `desk` is also the name of a demo agent. */
export const agents: readonly Agent[] = [
  agent({ name: 'clerk', tools: [send, pay, report, scan], model }),
  agent({ name: 'archive', tools: [report], model, maxResultBytes: 30_000_000 }),
  agent({ name: 'desk', tools: [send], model }),
]
export const models = { clerk: model }
