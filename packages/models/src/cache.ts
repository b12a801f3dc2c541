/**
 * What vendors want to be told so that the beginning of a prompt is read from their cache. Some look for marks in the
 * prompt and charge for what they keep; some find it by themselves, and like a key that says which prompts are alike;
 * the others need nothing. A vendor is only told what it knows: some refuse a prompt with a mark they do not know.
 */
import type { SharedV3ProviderOptions } from '@ai-sdk/provider'
import type { CacheHints, ProviderData } from '@holdpoint/core'

/** What goes with a message at whose end the vendor shall remember the prompt. */
export type Mark = SharedV3ProviderOptions

export interface CacheControl {
  readonly mark?: Mark
  /** Goes with the request. */
  readonly request?: (hints: CacheHints) => ProviderData
}

/** Anthropic takes no more marks, and Bedrock neither. */
const MOST_MARKS = 4
/** OpenAI refuses longer keys. It is a hint: that two of them end alike costs nothing but a cache. */
const LONGEST_KEY = 64

const ANTHROPIC: CacheControl = { mark: { anthropic: { cacheControl: { type: 'ephemeral' } } } }
const BEDROCK: CacheControl = { mark: { bedrock: { cachePoint: { type: 'default' } } } }
const OPENAI: CacheControl = { request: ({ key }) => ({ openai: { promptCacheKey: key.slice(-LONGEST_KEY) } }) }

/** The models of Bedrock that have a cache; the others refuse the mark. */
const BEDROCK_WITHOUT = /claude-(v2|instant|3-(haiku|sonnet|opus)|3-5-sonnet)/
const BEDROCK_WITH = /anthropic\.claude-|amazon\.nova-/

export function cacheControlOf(provider: string, modelId: string): CacheControl {
  const [vendor = ''] = provider.split('.', 1)
  // Also at Google Vertex and at Bedrock, where the provider is called `vertex.anthropic.messages`.
  if (provider.split('.').includes('anthropic')) return ANTHROPIC
  if (vendor === 'amazon-bedrock') return BEDROCK_WITH.test(modelId) && !BEDROCK_WITHOUT.test(modelId) ? BEDROCK : {}
  if (vendor === 'gateway') return modelId.startsWith('anthropic/') ? ANTHROPIC : {}
  return vendor === 'openai' || vendor.startsWith('azure') ? OPENAI : {}
}

/** The places of the marks. The newest are the most useful ones when there are too many. */
export function marked({ breakpoints }: CacheHints): ReadonlySet<number> {
  return new Set(breakpoints.slice(-MOST_MARKS))
}

/** What the user says goes before what we say. */
export function withCacheOptions(ours: ProviderData, theirs: ProviderData = {}): ProviderData {
  const vendors = Object.entries(ours).map(([vendor, data]) => [vendor, { ...data, ...theirs[vendor] }])
  return { ...theirs, ...(Object.fromEntries(vendors) as ProviderData) }
}
