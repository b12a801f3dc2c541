/** In the place of a vendor: finds the contact, writes to them, and says so. */
import { MockLanguageModelV4, convertArrayToReadableStream } from 'ai/test'

type Parts =
  Awaited<ReturnType<MockLanguageModelV4['doStream']>>['stream'] extends ReadableStream<infer P> ? P[] : never

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}
const text = (delta: string): Parts => [
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta },
  { type: 'text-end', id: 't' },
  { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage },
]
const call = (toolName: string, input: object): Parts => [
  { type: 'tool-call', toolCallId: `call-${toolName}`, toolName, input: JSON.stringify(input) },
  { type: 'finish', finishReason: { unified: 'tool-calls', raw: 'tool_calls' }, usage },
]

export const model = new MockLanguageModelV4({
  doStream: async ({ prompt }) => {
    const last = JSON.stringify(prompt.at(-1))
    const parts = last.includes('"role":"user"')
      ? call('sendEmail', { to: 'bo@acme.test', body: 'The report is ready.' })
      : text('The e-mail is out.')
    return { stream: convertArrayToReadableStream(parts) }
  },
})
