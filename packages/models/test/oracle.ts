/**
 * Checks for property tests: would the AI SDK and the vendors accept this prompt?
 *
 * `acceptedByAi` asks the AI SDK itself, which throws when a call has no result or a part has the wrong shape.
 * `acceptedByServers` adds what only the vendors' servers refuse, and only with an HTTP 400.
 */
import { generateText, type ModelMessage, modelMessageSchema } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { FileData, PromptMessage, PromptPart, UserPart } from '@holdpoint/core'
import { noUsage } from './scripted.ts'

export async function acceptedByAi(prompt: readonly PromptMessage[]): Promise<void> {
  await sentByAi(prompt)
}

/** The prompt as the AI SDK itself would send it. */
export async function sentByAi(prompt: readonly PromptMessage[]): Promise<LanguageModelV4Prompt> {
  const model = new MockLanguageModelV4({
    // All addresses are supported, so that the AI SDK downloads no files.
    supportedUrls: { '*/*': [/.*/] },
    doGenerate: {
      content: [{ type: 'text', text: 'ok' }],
      finishReason: { unified: 'stop', raw: 'stop' },
      usage: noUsage,
      warnings: [],
    },
  })
  const messages = prompt.map((message) => modelMessageSchema.parse(modelMessage(message)))
  await generateText({ model, messages, allowSystemInMessages: true, maxRetries: 0 })
  return model.doGenerateCalls[0]?.prompt ?? []
}

/** Throws the error that a vendor's server would return. */
export function acceptedByServers(prompt: readonly PromptMessage[]): void {
  const talk = prompt.filter((message) => message.role !== 'system')
  if (prompt.slice(-talk.length).some((message) => message.role === 'system')) {
    throw new Error('Google: system messages are only supported at the beginning of the conversation')
  }
  if (talk[0]?.role !== 'user') throw new Error('Anthropic: the first message must use the user role')

  const seen = new Set<string>()
  const open = new Set<string>()
  for (const message of talk) {
    if (message.role === 'tool') {
      for (const { id } of message.results) {
        if (!open.delete(id)) throw new Error(`Anthropic: tool_result ${id} has no tool_use in the previous message`)
      }
      continue
    }
    allAnswered(open)
    if (message.role === 'user') continue
    for (const part of message.parts) {
      if (part.type !== 'call') continue
      if (seen.has(part.id)) throw new Error('Anthropic: tool_use ids must be unique')
      seen.add(part.id)
      if (part.byProvider !== true) open.add(part.id)
    }
  }
  allAnswered(open)
  if (talk.at(-1)?.role === 'assistant') throw new Error('Anthropic: the conversation must end with a user message')
}

function allAnswered(open: ReadonlySet<string>): void {
  if (open.size > 0) throw new Error(`OpenAI: no tool output found for function call ${[...open].join(', ')}`)
}

function modelMessage(message: PromptMessage): ModelMessage {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.text }
    case 'user':
      return { role: 'user', content: message.parts.map(userPart) }
    case 'assistant':
      return { role: 'assistant', content: message.parts.map(assistantPart) }
    case 'tool':
      return {
        role: 'tool',
        content: message.results.map(({ id, name, isError, content }) => ({
          type: 'tool-result',
          toolCallId: id,
          toolName: name,
          output: { type: isError ? 'error-json' : 'json', value: content },
        })),
      }
  }
}

type Content<Role> = Exclude<Extract<ModelMessage, { role: Role }>['content'], string>[number]

function userPart(part: UserPart): Content<'user'> {
  if (part.type === 'text') return part
  const { mediaType, file, filename } = part
  return { type: 'file', mediaType, data: data(file), ...(filename !== undefined && { filename }) }
}

function assistantPart(part: PromptPart): Content<'assistant'> {
  const options = part.data === undefined ? {} : { providerOptions: part.data }
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { type: part.type, text: part.text, ...options }
    case 'call':
      return {
        type: 'tool-call',
        toolCallId: part.id,
        toolName: part.name,
        input: part.input,
        ...(part.byProvider === true && { providerExecuted: true }),
        ...options,
      }
    case 'provider-result':
      return {
        type: 'tool-result',
        toolCallId: part.id,
        toolName: part.name,
        output: { type: part.isError ? 'error-json' : 'json', value: part.result },
        ...options,
      }
    case 'file':
      return {
        type: part.reasoning === true ? 'reasoning-file' : 'file',
        mediaType: part.mediaType,
        data: data(part.file),
        ...options,
      }
    case 'custom':
      return { type: 'custom', kind: part.kind as `${string}.${string}`, ...options }
  }
}

function data(file: FileData): { type: 'data'; data: string } | { type: 'url'; url: URL } {
  if (file.kind === 'stored') throw new Error('a stored file is loaded before the model gets it')
  return file.kind === 'base64' ? { type: 'data', data: file.base64 } : { type: 'url', url: new URL(file.url) }
}
