/** The same scripted vendor for every contestant: a LanguageModelV4 whose reply is `deltas` pieces of text. */
import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider'

export function scriptedLanguageModel(deltas: number): LanguageModelV4 {
  const usage = {
    inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: deltas, text: deltas, reasoning: undefined },
  }
  const parts: LanguageModelV4StreamPart[] = [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id: 't' },
    ...Array.from({ length: deltas }, (_, i) => ({ type: 'text-delta', id: 't', delta: `word${i} ` }) as const),
    { type: 'text-end', id: 't' },
    { type: 'finish', usage, finishReason: { unified: 'stop', raw: 'stop' } },
  ]
  return {
    specificationVersion: 'v4',
    provider: 'scripted',
    modelId: 'scripted',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('only streaming is measured')),
    doStream: async () => {
      let at = 0
      const stream = new ReadableStream<LanguageModelV4StreamPart>({
        pull(controller) {
          const part = parts[at++]
          if (part) controller.enqueue(part)
          else controller.close()
        },
      })
      return { stream }
    },
  }
}
