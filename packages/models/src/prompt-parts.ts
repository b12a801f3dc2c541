/**
 * The parts of a prompt that are the same in every AI SDK version, and the conversion of messages. Empty parts and messages
 * are left out, because vendors refuse them. An empty text with vendor data is kept, because it may carry a signature.
 */
import type { LanguageModelV3ToolCallPart, SharedV3ProviderOptions } from '@ai-sdk/provider'
import {
  type FileData,
  type Json,
  ModelError,
  type PromptMessage,
  type PromptPart,
  type PromptResult,
  type ProviderData,
  type UserPart,
} from '@holdpoint/core'

type PlainText<Type extends 'text' | 'reasoning'> = {
  type: Type
  text: string
  providerOptions?: SharedV3ProviderOptions
}

type PlainResult = {
  type: 'tool-result'
  toolCallId: string
  toolName: string
  output: { type: 'json' | 'error-json'; value: Json }
  providerOptions?: SharedV3ProviderOptions
}

type Message<User, Assistant> = { providerOptions?: SharedV3ProviderOptions } & (
  | { role: 'system'; content: string }
  | { role: 'user'; content: User[] }
  | { role: 'assistant'; content: Assistant[] }
  | { role: 'tool'; content: PlainResult[] }
)

/** The messages that get a cache mark, by index, and the mark. */
export interface Marking {
  readonly at: ReadonlySet<number>
  readonly mark: SharedV3ProviderOptions
}

export function messages<User, Assistant>(
  prompt: readonly PromptMessage[],
  user: (part: UserPart) => User | undefined,
  assistant: (part: PromptPart) => Assistant | undefined,
  marking?: Marking,
): Message<User, Assistant>[] {
  const list: Message<User, Assistant>[] = []
  for (const [index, message] of prompt.entries()) {
    const sent = convert(message, user, assistant)
    if (sent.content.length > 0) list.push(sent)
    // If a marked message is not sent, the mark goes to the one before it.
    const last = list.at(-1)
    if (last && marking?.at.has(index)) last.providerOptions = marking.mark
  }
  return list
}

function convert<User, Assistant>(
  message: PromptMessage,
  user: (part: UserPart) => User | undefined,
  assistant: (part: PromptPart) => Assistant | undefined,
): Message<User, Assistant> {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.text }
    case 'user':
      return { role: 'user', content: message.parts.map(user).filter((part) => part !== undefined) }
    case 'assistant':
      return { role: 'assistant', content: message.parts.map(assistant).filter((part) => part !== undefined) }
    case 'tool':
      return { role: 'tool', content: message.results.map(result) }
  }
}

export function text<Type extends 'text' | 'reasoning'>(
  type: Type,
  said: string,
  data?: ProviderData,
): PlainText<Type> | undefined {
  if (said === '' && data === undefined) return undefined
  return { type, text: said, ...options(data) }
}

export function call(part: Extract<PromptPart, { type: 'call' }>): LanguageModelV3ToolCallPart {
  return {
    type: 'tool-call',
    toolCallId: part.id,
    toolName: part.name,
    input: part.input,
    ...(part.byProvider === true && { providerExecuted: true }),
    ...options(part.data),
  }
}

function result(part: PromptResult): PlainResult {
  return {
    type: 'tool-result',
    toolCallId: part.id,
    toolName: part.name,
    output: { type: part.isError ? 'error-json' : 'json', value: part.content },
  }
}

export function providerResult(part: Extract<PromptPart, { type: 'provider-result' }>): PlainResult {
  return {
    type: 'tool-result',
    toolCallId: part.id,
    toolName: part.name,
    output: { type: part.isError ? 'error-json' : 'json', value: part.result },
    ...options(part.data),
  }
}

export function options(data: ProviderData | undefined): { providerOptions?: SharedV3ProviderOptions } {
  return data === undefined ? {} : { providerOptions: data }
}

/** A `data:` URL contains bytes, and most vendors refuse it as an address. */
export function fileData(file: FileData): { base64: string } | { url: URL } {
  if (file.kind === 'base64') return { base64: file.base64 }
  if (file.kind === 'stored') throw new ModelError(`the file "${file.id}" was not loaded`, { retryable: false })
  const inline = /^data:[^,]*;base64,(.*)$/s.exec(file.url)?.[1]
  if (inline !== undefined) return { base64: inline }
  const url = URL.parse(file.url)
  if (url === null) {
    throw new ModelError(`the file address "${file.url}" is not an absolute URL`, { retryable: false })
  }
  return { url }
}
