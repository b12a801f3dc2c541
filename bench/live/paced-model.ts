/**
 * The vendor of the `live` benchmark, the same for every contestant: 20 ms to the first token. After a user message it asks
 * for one tool call; after the tool's result it streams 30 deltas, 5 ms apart.
 */
import type { LanguageModelV4, LanguageModelV4Prompt, LanguageModelV4StreamPart } from '@ai-sdk/provider'

const FIRST_TOKEN_MS = 20
const DELTAS = 30
const DELTA_MS = 5
/** The time of a turn without any overhead: two model calls and the deltas of the second. */
export const TURN_MS: number = 2 * FIRST_TOKEN_MS + (DELTAS - 1) * DELTA_MS

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: DELTAS, text: DELTAS, reasoning: undefined },
}

export const pacedModel: LanguageModelV4 = {
  specificationVersion: 'v4',
  provider: 'paced',
  modelId: 'paced',
  supportedUrls: {},
  doGenerate: () => Promise.reject(new Error('Only streaming is measured.')),
  doStream: async ({ prompt }) => ({ stream: asksForTool(prompt) ? toolCall() : text() }),
}

function asksForTool(prompt: LanguageModelV4Prompt): boolean {
  return prompt.at(-1)?.role === 'user'
}

let calls = 0

function toolCall(): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream({
    start: async (controller) => {
      await pause(FIRST_TOKEN_MS)
      controller.enqueue({ type: 'stream-start', warnings: [] })
      controller.enqueue({ type: 'tool-call', toolCallId: `call${++calls}`, toolName: 'look', input: '{"order":7}' })
      controller.enqueue({ type: 'finish', usage, finishReason: { unified: 'tool-calls', raw: 'tool_calls' } })
      controller.close()
    },
  })
}

function text(): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream({
    start: async (controller) => {
      await pause(FIRST_TOKEN_MS)
      controller.enqueue({ type: 'stream-start', warnings: [] })
      controller.enqueue({ type: 'text-start', id: 't' })
      for (let nth = 0; nth < DELTAS; nth++) {
        if (nth > 0) await pause(DELTA_MS)
        controller.enqueue({ type: 'text-delta', id: 't', delta: `word${nth} ` })
      }
      controller.enqueue({ type: 'text-end', id: 't' })
      controller.enqueue({ type: 'finish', usage, finishReason: { unified: 'stop', raw: 'stop' } })
      controller.close()
    },
  })
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
