/** Fake AI SDK models that stream given parts and record their requests. */
import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3StreamPart,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'

export const noUsage: LanguageModelV4Usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
}

function streamOf<Part>(parts: readonly Part[]): ReadableStream<Part> {
  return ReadableStream.from(parts)
}

export function v4(
  doStream: LanguageModelV4['doStream'] | readonly LanguageModelV4StreamPart[],
): LanguageModelV4 & { asked: LanguageModelV4CallOptions[] } {
  const asked: LanguageModelV4CallOptions[] = []
  return {
    specificationVersion: 'v4',
    provider: 'hand.made',
    modelId: 'four',
    supportedUrls: {},
    asked,
    doGenerate: () => Promise.reject(new Error('only doStream is driven')),
    doStream: (options) => {
      asked.push(options)
      return typeof doStream === 'function' ? doStream(options) : Promise.resolve({ stream: streamOf(doStream) })
    },
  }
}

export function v3(
  parts: readonly LanguageModelV3StreamPart[],
): LanguageModelV3 & { asked: LanguageModelV3CallOptions[] } {
  const asked: LanguageModelV3CallOptions[] = []
  return {
    specificationVersion: 'v3',
    provider: 'hand.made',
    modelId: 'three',
    supportedUrls: {},
    asked,
    doGenerate: () => Promise.reject(new Error('only doStream is driven')),
    doStream: (options) => {
      asked.push(options)
      return Promise.resolve({ stream: streamOf(parts) })
    },
  }
}
