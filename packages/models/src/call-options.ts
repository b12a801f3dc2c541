/**
 * A Holdpoint request as AI SDK call options. A key is present only if the request sets it, because vendors warn about or
 * reject keys that they do not support.
 */
import type {
  JSONSchema7,
  LanguageModelV3CallOptions,
  LanguageModelV3FunctionTool,
  LanguageModelV3ProviderTool,
  LanguageModelV3ToolChoice,
  LanguageModelV4CallOptions,
} from '@ai-sdk/provider'
import { type JsonObject, ModelError, type ModelRequest, type OutputSpec, type ToolSpec } from '@holdpoint/core'
import { markedMessages, withCacheOptions, type CacheControl } from './cache-control.ts'
import { withIds, type IdForm } from './call-ids.ts'
import { isVendorName } from './vendor-name.ts'
import type { Marking } from './prompt-parts.ts'
import { toPromptV3 } from './to-prompt-v3.ts'
import { toPromptV4 } from './to-prompt-v4.ts'

export function callOptionsV4(
  request: ModelRequest,
  cache: CacheControl = {},
  ids?: IdForm,
): LanguageModelV4CallOptions {
  const { reasoning } = request.settings
  return {
    prompt: toPromptV4(withIds(request.prompt, ids), marking(request, cache)),
    ...sharedOptions(request, cache),
    ...(reasoning !== undefined && { reasoning }),
  }
}

/** V3 has no `reasoning` setting. A V3 vendor takes its own setting through `settings.provider`. */
export function callOptionsV3(
  request: ModelRequest,
  cache: CacheControl = {},
  ids?: IdForm,
): LanguageModelV3CallOptions {
  const prompt = toPromptV3(withIds(request.prompt, ids), marking(request, cache))
  return { prompt, ...sharedOptions(request, cache) }
}

function marking({ cache: hints }: ModelRequest, { mark }: CacheControl): Marking | undefined {
  return hints && mark && { at: markedMessages(hints), mark }
}

/** The options that are the same in both versions. */
function sharedOptions(
  { tools, toolChoice, output, settings, cache: hints, signal }: ModelRequest,
  cache: CacheControl,
): Omit<LanguageModelV3CallOptions, 'prompt'> {
  const { stopSequences, headers, provider, reasoning: _, ...numbers } = settings
  const options: Omit<LanguageModelV3CallOptions, 'prompt'> = { ...defined(numbers), abortSignal: signal }
  // Some vendors refuse a tool choice without tools.
  if (tools.length > 0) {
    options.tools = tools.map(tool)
    if (toolChoice !== undefined) options.toolChoice = choice(toolChoice)
  }
  if (output !== undefined) options.responseFormat = responseFormat(output)
  if (stopSequences !== undefined) options.stopSequences = [...stopSequences]
  if (headers !== undefined) options.headers = { ...headers }
  const cached = hints && cache.request?.(hints)
  if (cached) options.providerOptions = withCacheOptions(cached, provider)
  else if (provider !== undefined) options.providerOptions = { ...provider }
  return options
}

function tool(spec: ToolSpec): LanguageModelV3FunctionTool | LanguageModelV3ProviderTool {
  if (spec.kind === 'function') {
    return { type: 'function', name: spec.name, description: spec.description, inputSchema: schema(spec.inputSchema) }
  }
  if (!isVendorName(spec.id)) {
    throw new ModelError(
      `the provider tool "${spec.name}" has the id "${spec.id}"; use one such as "openai.web_search"`,
      {
        retryable: false,
      },
    )
  }
  return { type: 'provider', id: spec.id, name: spec.name, args: { ...spec.args } }
}

function choice(wanted: NonNullable<ModelRequest['toolChoice']>): LanguageModelV3ToolChoice {
  return typeof wanted === 'string' ? { type: wanted } : { type: 'tool', toolName: wanted.name }
}

function responseFormat({
  name,
  description,
  schema: json,
}: OutputSpec): NonNullable<LanguageModelV3CallOptions['responseFormat']> {
  return {
    type: 'json',
    schema: schema(json),
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
  }
}

/** The schema may use any dialect. The vendor validates it. */
function schema(json: JsonObject): JSONSchema7 {
  return json as JSONSchema7
}

/** Callers without types may pass `undefined`. */
function defined<T extends object>(settings: T): T {
  const kept = { ...settings }
  for (const key in kept) if (kept[key] === undefined) delete kept[key]
  return kept
}
