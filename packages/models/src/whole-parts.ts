/**
 * The stream parts that are complete in one piece: calls, results, files, sources and information about the reply. They are
 * returned as JSON, exactly as a store would return it.
 */
import type {
  LanguageModelV3File,
  LanguageModelV4CustomContent,
  LanguageModelV4File,
  LanguageModelV4ReasoningFile,
  LanguageModelV4ResponseMetadata,
  LanguageModelV4Source,
  LanguageModelV4ToolCall,
  LanguageModelV4ToolResult,
  SharedV4FileData,
  SharedV4ProviderMetadata,
  SharedV4Warning,
} from '@ai-sdk/provider'
import type { FileData, Json, JsonObject, ModelPart, ProviderData } from '@holdpoint/core'

export function callPart(part: LanguageModelV4ToolCall): ModelPart {
  return {
    type: 'call',
    id: part.toolCallId,
    name: part.toolName,
    input: part.input,
    ...(part.providerExecuted === true && { byProvider: true }),
    ...data(part.providerMetadata),
  }
}

/** Previews replace each other. Only the last one is a result. */
export function resultPart(part: LanguageModelV4ToolResult): ModelPart | undefined {
  if (part.preliminary === true) return undefined
  return {
    type: 'provider-result',
    id: part.toolCallId,
    name: part.toolName,
    result: plain(part.result),
    ...(part.isError === true && { isError: true }),
    ...data(part.providerMetadata),
  }
}

export function filePart(
  part: LanguageModelV4File | LanguageModelV4ReasoningFile | LanguageModelV3File,
): ModelPart | undefined {
  const file = fileData(part.data)
  if (file === undefined) return undefined
  return {
    type: 'file',
    mediaType: part.mediaType,
    file,
    ...(part.type === 'reasoning-file' && { reasoning: true }),
    ...data(part.providerMetadata),
  }
}

function fileData(content: SharedV4FileData | string | Uint8Array): FileData | undefined {
  if (typeof content === 'string' || content instanceof Uint8Array) return bytes(content)
  if (content.type === 'data') return bytes(content.data)
  if (content.type === 'url') return { kind: 'url', url: content.originalUrl ?? content.url.href }
  return undefined
}

function bytes(content: string | Uint8Array): FileData {
  return { kind: 'base64', base64: typeof content === 'string' ? content : Buffer.from(content).toString('base64') }
}

export function sourcePart({ type, providerMetadata, ...source }: LanguageModelV4Source): ModelPart {
  return { type, source: plain<JsonObject>(source), ...data(providerMetadata) }
}

export function customPart(part: LanguageModelV4CustomContent): ModelPart | undefined {
  // Anthropic sends it with every message. It repeats `response-metadata` and `finish`. If it were kept, it would be stored
  // with each reply, and would count as the start of a reply, which prevents a retry.
  if (part.kind === 'anthropic.message_start') return undefined
  return { type: 'custom', kind: part.kind, ...data(part.providerMetadata) }
}

export function infoPart({ id, modelId }: LanguageModelV4ResponseMetadata): ModelPart | undefined {
  if (id === undefined && modelId === undefined) return undefined
  return {
    type: 'info',
    ...(typeof id === 'string' && { responseId: id }),
    ...(typeof modelId === 'string' && { modelId }),
  }
}

export function warningsPart(warnings: readonly SharedV4Warning[]): ModelPart | undefined {
  return warnings.length === 0 ? undefined : { type: 'info', warnings: plain<Json[]>(warnings) }
}

/** The vendor asks to approve a call of its own tool. That is not supported, so the reply warns that the call stays open. */
export function approvalPart(callId: string): ModelPart {
  const details = `the vendor asks to approve its own call ${callId}; this cannot be answered, so the call will not run`
  return { type: 'info', warnings: [{ type: 'unsupported', feature: 'tool-approval-request', details }] }
}

export function data(metadata: SharedV4ProviderMetadata | undefined): { data?: ProviderData } {
  return metadata === undefined ? {} : { data: plain<ProviderData>(metadata) }
}

/** The AI SDK's JSON may have `undefined` members. A store would drop them, so they are dropped here. */
function plain<T extends Json>(value: unknown): T {
  return JSON.parse(JSON.stringify(value) ?? 'null') as T
}
