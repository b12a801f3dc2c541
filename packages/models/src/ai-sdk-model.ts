/**
 * Any AI SDK language model as Holdpoint's `Model`. It only calls `doStream`: no retries, no downloads, no loop. Those belong
 * to the core, which must survive a crash in the middle of them.
 *
 * Only types come from the AI SDK, so this package works with any installed version of a provider.
 */
import type { LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider'
import type { Model, ModelRequest } from '@holdpoint/core'
import { cacheControlOf, type CacheControl } from './cache-control.ts'
import { idFormOf, type IdForm } from './call-ids.ts'
import { callOptionsV3, callOptionsV4 } from './call-options.ts'
import { PartIterator, type PartSource } from './part-iterator.ts'

/**
 * A language model of the AI SDK, as its provider packages make them. Said by its shape: programs compile whether or not
 * they have the package with the SDK's own types.
 */
export interface AiSdkLanguageModel {
  readonly specificationVersion: 'v3' | 'v4'
  readonly provider: string
  readonly modelId: string
  doStream(options: never): PromiseLike<{ readonly stream: object }>
}

export interface AiSdkModelOptions {
  /** `false` sends no cache settings to the vendor: no marks in the prompt, and no key. */
  readonly cache?: boolean
}

export function aiSdkModel(model: AiSdkLanguageModel, options: AiSdkModelOptions = {}): Model {
  const open = opener(model as LanguageModelV4 | LanguageModelV3, options)
  return {
    // For a reader of logs, `openai.responses` and `openai.chat` are the same vendor.
    id: `${model.provider.split('.', 1)[0]}/${model.modelId}`,
    stream: (request) => new PartIterator(() => open(request), request.signal),
  }
}

function opener(
  model: LanguageModelV4 | LanguageModelV3,
  { cache = true }: AiSdkModelOptions,
): (request: ModelRequest) => PromiseLike<PartSource> {
  const control = (): CacheControl => (cache ? cacheControlOf(model.provider, model.modelId) : {})
  const ids = (): IdForm => idFormOf(model.provider, model.modelId)
  if (model.specificationVersion === 'v4') return (request) => model.doStream(callOptionsV4(request, control(), ids()))
  if (model.specificationVersion === 'v3') return (request) => model.doStream(callOptionsV3(request, control(), ids()))
  throw new TypeError(
    `aiSdkModel takes a language model object of specification v4 or v3, and got ${describe(model)}. ` +
      'Update the provider package, or call its factory: openai("gpt-5") instead of "openai/gpt-5".',
  )
}

function describe(model: unknown): string {
  if (typeof model === 'string') return `the string "${model}"`
  const version =
    typeof model === 'object' && model !== null && 'specificationVersion' in model && model.specificationVersion
  return typeof version === 'string' ? `specification ${version}` : `something else (${typeof model})`
}
