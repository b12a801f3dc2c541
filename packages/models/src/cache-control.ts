/**
 * The settings with which a vendor reads the start of a prompt from its cache. Some vendors need marks in the prompt and
 * charge for what they store. Some cache automatically, and take a key for similar prompts. The others need nothing. A
 * vendor gets only settings that it knows, because some refuse a prompt with an unknown mark.
 */
import type { SharedV3ProviderOptions } from '@ai-sdk/provider'
import type { CacheHints, ProviderData } from '@holdpoint/core'

/** The options of a message up to which the vendor should cache the prompt. */
export type Mark = SharedV3ProviderOptions

export interface CacheControl {
  readonly mark?: Mark
  /** The options of the request. */
  readonly request?: (hints: CacheHints) => ProviderData
}

/** The limit of Anthropic and Bedrock. */
const MAX_MARKS = 4
/** The limit of OpenAI. The key is a hint: if two keys have the same end, only cache hits are lost. */
const MAX_KEY = 64

const ANTHROPIC: CacheControl = { mark: { anthropic: { cacheControl: { type: 'ephemeral' } } } }
const BEDROCK: CacheControl = { mark: { bedrock: { cachePoint: { type: 'default' } } } }
const OPENAI: CacheControl = { request: ({ key }) => ({ openai: { promptCacheKey: key.slice(-MAX_KEY) } }) }

/** The Bedrock models that have a cache. The others refuse the mark. */
const BEDROCK_WITHOUT = /claude-(v2|instant|3-(haiku|sonnet|opus)|3-5-sonnet)/
const BEDROCK_WITH = /anthropic\.claude-|amazon\.nova-/

export function cacheControlOf(provider: string, modelId: string): CacheControl {
  const [vendor = ''] = provider.split('.', 1)
  // Also on Google Vertex and Bedrock, where the provider is `vertex.anthropic.messages`, for example.
  if (provider.split('.').includes('anthropic')) return ANTHROPIC
  if (vendor === 'amazon-bedrock') return BEDROCK_WITH.test(modelId) && !BEDROCK_WITHOUT.test(modelId) ? BEDROCK : {}
  if (vendor === 'gateway') return modelId.startsWith('anthropic/') ? ANTHROPIC : {}
  return vendor === 'openai' || vendor.startsWith('azure') ? OPENAI : {}
}

/** The messages that get a mark. If there are too many, the newest are the most useful. */
export function markedMessages({ breakpoints }: CacheHints): ReadonlySet<number> {
  return new Set(breakpoints.slice(-MAX_MARKS))
}

/** Settings of the user override ours. */
export function withCacheOptions(ours: ProviderData, theirs: ProviderData = {}): ProviderData {
  const vendors = Object.entries(ours).map(([vendor, data]) => [vendor, { ...data, ...theirs[vendor] }])
  return { ...theirs, ...(Object.fromEntries(vendors) as ProviderData) }
}
