/**
 * Ids of calls, in the form that a vendor takes. A vendor knows its own ids; but a conversation may have begun with
 * another one, and some calls have ids of ours. What a vendor would refuse is sent as a hash: the same one in every
 * prompt, so that call and result find each other and the vendor's cache finds its beginning.
 */
import type { PromptMessage, PromptPart } from '@holdpoint/core'

export interface IdForm {
  readonly fits: RegExp
  /** Nobody else's ids begin like that. */
  readonly prefix: string
  /** Letters and digits after it. */
  readonly digits: number
}

/** Anthropic says so, wherever its models run; Bedrock says it of all models. */
const STRICT: IdForm = { fits: /^[a-zA-Z0-9_-]{1,64}$/, prefix: 'hp_', digits: 12 }
const OPENAI: IdForm = { fits: /^.{1,64}$/s, prefix: 'hp_', digits: 12 }
const OPENAI_CHAT: IdForm = { fits: /^.{1,40}$/s, prefix: 'hp_', digits: 12 }
const MISTRAL: IdForm = { fits: /^[a-zA-Z0-9]{9}$/, prefix: '', digits: 9 }
/** The others pair by place, or take what they are given; some want their own ids back however long these are. */
const ANY: IdForm = { fits: /./s, prefix: 'hp_', digits: 12 }

export function idFormOf(provider: string, modelId: string): IdForm {
  const names = provider.split('.')
  const [vendor = ''] = names
  if (names.includes('anthropic') || vendor === 'amazon-bedrock') return STRICT
  if (vendor === 'gateway') return modelId.startsWith('anthropic/') ? STRICT : ANY
  if (vendor === 'openai' || vendor.startsWith('azure')) return names.includes('chat') ? OPENAI_CHAT : OPENAI
  return vendor === 'mistral' ? MISTRAL : ANY
}

/** Messages in which there is nothing to change are the same ones. */
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

/** What looks like one of our hashes is hashed itself, so that it is not taken for another call. */
function fits(id: string, { fits: pattern, prefix }: IdForm): boolean {
  return pattern.test(id) && (prefix === '' || !id.startsWith(prefix))
}

/** 64 bits, as letters and digits. */
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
