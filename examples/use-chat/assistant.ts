/** An agent that writes e-mails after a person approved them, and asks the browser for its time zone. */
import { appendFile } from 'node:fs/promises'
import { agent, tool, type Model } from 'holdpoint'
import { z } from 'zod'

const OUTBOX = `${process.env['STORE'] ?? 'assistant.db'}.outbox`

const sendEmail = tool({
  name: 'sendEmail',
  description: 'Send an e-mail',
  input: z.object({ to: z.string(), body: z.string() }),
  approval: { required: true, reason: 'It leaves the company.' },
  run: async ({ input, call }) => {
    await appendFile(OUTBOX, `${call.id} ${input.to}\n`)
    return { sent: true }
  },
})
const timeZone = tool({
  name: 'timeZone',
  description: 'The time zone of the person',
  executor: 'client',
  // The page is not connected while a call waits, so the call waits for the page to come back.
  grace: '1 day',
  timeout: '1 day',
  input: z.object({}),
  output: z.object({ zone: z.string() }),
})

const STORY = `Once there was a lighthouse whose keeper had to agree to every ship that wanted to pass. ${'The sea waited. '.repeat(20)}The end.`

/** In place of a vendor's model. It answers by keywords, and writes like a person would. */
const model: Model = {
  id: 'demo',
  async *stream({ prompt, signal }) {
    const last = prompt.at(-1)
    const text = JSON.stringify(last)
    const name = last?.role === 'user' ? nameOf(text) : []
    for (const [index, call] of name.entries()) yield { type: 'call', id: `c${index}`, ...call }
    const reply = last?.role === 'tool' ? answerTo(text) : text.includes('story') ? STORY : 'Hello. What can I do?'
    if (name.length === 0)
      for (const delta of reply.match(/\S+\s*/g) ?? []) {
        if (signal.aborted) return
        yield { type: 'text', id: 't', delta }
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    yield { type: 'finish', reason: name.length > 0 ? 'calls' : 'stop', usage: { inputTokens: 1, outputTokens: 1 } }
  },
}

function nameOf(text: string): readonly { readonly name: string; readonly input: string }[] {
  const email = { name: 'sendEmail', input: JSON.stringify({ to: 'bo', body: 'The report is ready.' }) }
  const zone = { name: 'timeZone', input: '{}' }
  if (text.includes('both')) return [email, zone]
  return text.includes('write') ? [email] : text.includes('time') ? [zone] : []
}

function answerTo(result: string): string {
  if (result.includes('Rejected')) return 'Then I will not send it.'
  return result.includes('sent') ? 'The e-mail is out.' : 'I know your time zone now.'
}

export const agents = [agent({ name: 'assistant', model, tools: [sendEmail, timeZone] })]
