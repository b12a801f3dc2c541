/**
 * A Holdpoint prompt as a V3 prompt. V3 has untagged file data, no custom parts and no files in reasoning. The latter two
 * come from newer vendors and are left out.
 */
import type { LanguageModelV3DataContent, LanguageModelV3Message, LanguageModelV3Prompt } from '@ai-sdk/provider'
import type { FileData, PromptMessage, PromptPart, UserPart } from '@holdpoint/core'
import { call, fileData, messages, options, providerResult, text, type Marking } from './prompt-parts.ts'

type Part<Role> = Extract<LanguageModelV3Message, { role: Role }>['content'] extends (infer P)[] ? P : never

export function toPromptV3(prompt: readonly PromptMessage[], marking?: Marking): LanguageModelV3Prompt {
  return messages(prompt, userPart, assistantPart, marking)
}

function userPart(part: UserPart): Part<'user'> | undefined {
  if (part.type === 'text') return text('text', part.text)
  return {
    type: 'file',
    mediaType: part.mediaType,
    data: data(part.file),
    ...(part.filename !== undefined && { filename: part.filename }),
  }
}

function assistantPart(part: PromptPart): Part<'assistant'> | undefined {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return text(part.type, part.text, part.data)
    case 'call':
      return call(part)
    case 'provider-result':
      return providerResult(part)
    case 'file':
      if (part.reasoning === true) return undefined
      return { type: 'file', mediaType: part.mediaType, data: data(part.file), ...options(part.data) }
    case 'custom':
      return undefined
  }
}

function data(file: FileData): LanguageModelV3DataContent {
  const found = fileData(file)
  return 'base64' in found ? found.base64 : found.url
}
