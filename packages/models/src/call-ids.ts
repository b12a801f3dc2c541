/**
 * Call ids in a form that the vendor accepts. A conversation may have started with another vendor, and some calls have ids
 * of ours. An id that the vendor would refuse is sent as a hash. The hash is the same in every prompt, so that calls match
 * their results and the vendor's cache still matches the prompt.
 */
import type { PromptMessage, PromptPart } from '@holdpoint/core'

export interface IdForm {
  readonly fits: RegExp
  /** No vendor's ids begin like that. */
  readonly prefix: string
  /** The number of letters and digits after the prefix. */
  readonly digits: number
}

/** The rule of Anthropic on any platform, and of Bedrock for all models. */
const STRICT: IdForm = { fits: /^[a-zA-Z0-9_-]{1,64}$/, prefix: 'hp_', digits: 12 }
const OPENAI: IdForm = { fits: /^.{1,64}$/s, prefix: 'hp_', digits: 12 }
const OPENAI_CHAT: IdForm = { fits: /^.{1,40}$/s, prefix: 'hp_', digits: 12 }
const MISTRAL: IdForm = { fits: /^[a-zA-Z0-9]{9}$/, prefix: '', digits: 9 }
/** The others match by position or accept any id. Some require their own ids back, whatever their length. */
const ANY: IdForm = { fits: /./s, prefix: 'hp_', digits: 12 }

export function idFormOf(provider: string, modelId: string): IdForm {
  const names = provider.split('.')
  const [vendor = ''] = names
  if (names.includes('anthropic') || vendor === 'amazon-bedrock') return STRICT
  if (vendor === 'gateway') return modelId.startsWith('anthropic/') ? STRICT : ANY
  if (vendor === 'openai' || vendor.startsWith('azure')) return names.includes('chat') ? OPENAI_CHAT : OPENAI
  return vendor === 'mistral' ? MISTRAL : ANY
}

/** Messages without such ids are returned unchanged. */
export function withIds(prompt: readonly PromptMessage[], form: IdForm = ANY): readonly PromptMessage[] {
  return prompt.map((message) => {
    if (message.role === 'assistant' && message.parts.some((part) => isForeign(part, form)))
      return { ...message, parts: message.parts.map((part) => (isForeign(part, form) ? renamed(part, form) : part)) }
    if (message.role === 'tool' && message.results.some(({ id }) => !fits(id, form)))
      return { ...message, results: message.results.map((result) => renamed(result, form)) }
    return message
  })
}

type WithId = Extract<PromptPart, { type: 'call' | 'provider-result' }>

function isForeign(part: PromptPart, form: IdForm): part is WithId {
  return (part.type === 'call' || part.type === 'provider-result') && !fits(part.id, form)
}

function renamed<T extends { readonly id: string }>(part: T, form: IdForm): T {
  return fits(part.id, form) ? part : { ...part, id: form.prefix + hash(part.id).slice(0, form.digits) }
}

/** An id that looks like one of our hashes is hashed too, so that it cannot collide with another call. */
function fits(id: string, { fits: pattern, prefix }: IdForm): boolean {
  return pattern.test(id) && (prefix === '' || !id.startsWith(prefix))
}

/** 64 bits as letters and digits. */
function hash(text: string): string {
  let [a, b] = [0xdeadbeef, 0x41c6ce57]
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    a = Math.imul(a ^ code, 0x9e3779b1)
    b = Math.imul(b ^ code, 0x5f356495)
  }
  a = Math.imul(a ^ (a >>> 16), 0x85ebca6b) ^ Math.imul(b ^ (b >>> 13), 0xc2b2ae35)
  b = Math.imul(b ^ (b >>> 16), 0x85ebca6b) ^ Math.imul(a ^ (a >>> 13), 0xc2b2ae35)
  return base36(a) + base36(b)
}

function base36(word: number): string {
  return (word >>> 0).toString(36).padStart(7, '0')
}
