/**
 * The stream parts that arrive whole: calls, results, files, sources, what the vendor says about the reply. Whatever
 * leaves here is JSON as it would be read back from a store.
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

/** Previews replace each other; only the last one is a result. */
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
  // Comes with every message of Anthropic's and repeats what `response-metadata` and `finish` say. Kept, it would be
  // stored with each reply, and count as a beginning that forbids another attempt.
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

/** The vendor would hold one of its own tools for a yes. We have no way to give it, so say that the call stays open. */
export function approvalPart(callId: string): ModelPart {
  const details = `the vendor asks to approve its own call ${callId}; nobody can answer, so the call will not run`
  return { type: 'info', warnings: [{ type: 'unsupported', feature: 'tool-approval-request', details }] }
}

export function data(metadata: SharedV4ProviderMetadata | undefined): { data?: ProviderData } {
  return metadata === undefined ? {} : { data: plain<ProviderData>(metadata) }
}

/** The AI SDK's JSON may have `undefined` members. They would vanish in a store, so they vanish here. */
function plain<T extends Json>(value: unknown): T {
  return JSON.parse(JSON.stringify(value) ?? 'null') as T
}
