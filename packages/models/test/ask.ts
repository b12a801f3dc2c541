/** One request to a model, and its reply as the next prompt would carry it. */
import type { Model, ModelPart, ModelRequest, PromptMessage, PromptPart, ProviderData } from '@holdpoint/core'

type Wish = Partial<ModelRequest>

export function request(wish: Wish = {}): ModelRequest {
  return { prompt: [user('hello')], tools: [], settings: {}, signal: new AbortController().signal, ...wish }
}

export async function ask(model: Model, wish: Wish = {}): Promise<ModelPart[]> {
  const parts: ModelPart[] = []
  for await (const part of model.stream(request(wish))) parts.push(part)
  return parts
}

/** The error of the stream. Throws if there is none. */
export async function failure(model: Model, wish: Wish = {}): Promise<unknown> {
  try {
    await ask(model, wish)
  } catch (error) {
    return error
  }
  throw new Error('the stream ended without an error')
}

export function user(text: string): PromptMessage {
  return { role: 'user', parts: [{ type: 'text', text }] }
}

export function only<Type extends ModelPart['type']>(
  parts: ModelPart[],
  type: Type,
): Extract<ModelPart, { type: Type }>[] {
  return parts.filter((part): part is Extract<ModelPart, { type: Type }> => part.type === type)
}

export function textOf(parts: ModelPart[], type: 'text' | 'reasoning' = 'text'): string {
  return only(parts, type)
    .map((part) => part.delta)
    .join('')
}

/** Folds a reply the way the core does: blocks by id, vendor data merged over a block's pieces. */
export function assistant(parts: ModelPart[]): PromptMessage {
  const blocks = new Map<string, { type: 'text' | 'reasoning'; text: string; data?: ProviderData }>()
  const list: PromptPart[] = []
  for (const part of parts) {
    if (part.type === 'text' || part.type === 'reasoning') {
      let block = blocks.get(part.id)
      if (block === undefined) {
        block = { type: part.type, text: '' }
        blocks.set(part.id, block)
        list.push(block)
      }
      block.text += part.delta
      if (part.data !== undefined) block.data = merged(block.data, part.data)
    } else if (part.type === 'call') {
      list.push({ ...part, input: JSON.parse(part.input) })
    } else if (part.type === 'provider-result') {
      list.push({ ...part, isError: part.isError ?? false })
    } else if (part.type === 'file' || part.type === 'custom') {
      list.push(part)
    }
  }
  return { role: 'assistant', parts: list }
}

function merged(before: ProviderData | undefined, after: ProviderData): ProviderData {
  const vendors = Object.entries(after).map(([vendor, data]) => [vendor, { ...before?.[vendor], ...data }])
  return { ...before, ...Object.fromEntries(vendors) }
}
