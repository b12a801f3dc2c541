/**
 * Maps one AI SDK stream part to one of ours, or to nothing if it is empty. Keeps the ids of text and reasoning blocks
 * unique within a reply, because some vendors use the same id for every block.
 *
 * Part types of a future specification are skipped.
 */
import type { LanguageModelV3StreamPart, LanguageModelV4StreamPart, SharedV4ProviderMetadata } from '@ai-sdk/provider'
import type { ModelPart } from '@holdpoint/core'
import { finishOf, usageOf } from './finish.ts'
import { toModelError } from './model-error.ts'
import {
  approvalPart,
  callPart,
  customPart,
  data,
  filePart,
  infoPart,
  resultPart,
  sourcePart,
  warningsPart,
} from './whole-parts.ts'

export type StreamPart = LanguageModelV4StreamPart | LanguageModelV3StreamPart

type Block = 'text' | 'reasoning'

export class PartMapper {
  readonly #started = new Set<string>()
  /** Vendor id → our id, for blocks whose id was already in use. */
  readonly #renamed: Record<Block, Map<string, string> | undefined> = { text: undefined, reasoning: undefined }

  map(part: StreamPart): ModelPart | undefined {
    switch (part.type) {
      case 'text-delta':
        return this.#piece('text', part.id, part.delta, part.providerMetadata)
      case 'reasoning-delta':
        return this.#piece('reasoning', part.id, part.delta, part.providerMetadata)
      case 'text-start':
        this.#start('text', part.id)
        return this.#piece('text', part.id, '', part.providerMetadata)
      case 'reasoning-start':
        this.#start('reasoning', part.id)
        return this.#piece('reasoning', part.id, '', part.providerMetadata)
      case 'text-end':
        return this.#piece('text', part.id, '', part.providerMetadata)
      case 'reasoning-end':
        return this.#piece('reasoning', part.id, '', part.providerMetadata)
      case 'tool-input-start':
        return { type: 'call-input', id: part.id, name: part.toolName, delta: '' }
      case 'tool-input-delta':
        return part.delta === '' ? undefined : { type: 'call-input', id: part.id, delta: part.delta }
      case 'tool-call':
        return callPart(part)
      case 'tool-result':
        return resultPart(part)
      case 'file':
      case 'reasoning-file':
        return filePart(part)
      case 'source':
        return sourcePart(part)
      case 'custom':
        return customPart(part)
      case 'stream-start':
        return warningsPart(part.warnings)
      case 'response-metadata':
        return infoPart(part)
      case 'tool-approval-request':
        return approvalPart(part.toolCallId)
      case 'finish': {
        const { finishReason, usage, providerMetadata } = part
        return { type: 'finish', reason: finishOf(finishReason), usage: usageOf(usage), ...data(providerMetadata) }
      }
      case 'error':
        throw toModelError(part.error, 'stream')
      case 'tool-input-end':
      case 'ping':
      case 'raw':
        return undefined
    }
    return undefined
  }

  #piece(
    type: Block,
    vendorId: string,
    delta: string,
    metadata: SharedV4ProviderMetadata | undefined,
  ): ModelPart | undefined {
    const id = this.#renamed[type]?.get(vendorId) ?? vendorId
    if (metadata === undefined) return delta === '' ? undefined : { type, id, delta }
    return { type, id, delta, ...data(metadata) }
  }

  #start(type: Block, vendorId: string): void {
    let id = vendorId
    for (let n = 2; this.#started.has(id); n++) id = `${vendorId}~${n}`
    this.#started.add(id)
    if (id !== vendorId) (this.#renamed[type] ??= new Map()).set(vendorId, id)
  }
}
