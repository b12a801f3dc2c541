/** A Holdpoint prompt as a V4 prompt, the AI SDK's current version. It supports all our parts. */
import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  SharedV4FileDataData,
  SharedV4FileDataUrl,
} from '@ai-sdk/provider'
import type { FileData, PromptMessage, PromptPart, UserPart } from '@holdpoint/core'
import { isVendorName } from './vendor-name.ts'
import { call, fileData, messages, options, providerResult, text, type Marking } from './prompt-parts.ts'

type Part<Role> = Extract<LanguageModelV4Message, { role: Role }>['content'] extends (infer P)[] ? P : never

export function toPromptV4(prompt: readonly PromptMessage[], marking?: Marking): LanguageModelV4Prompt {
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
      return {
        type: part.reasoning === true ? 'reasoning-file' : 'file',
        mediaType: part.mediaType,
        data: data(part.file),
        ...options(part.data),
      }
    case 'custom':
      return isVendorName(part.kind) ? { type: 'custom', kind: part.kind, ...options(part.data) } : undefined
  }
}

function data(file: FileData): SharedV4FileDataData | SharedV4FileDataUrl {
  const found = fileData(file)
  if ('base64' in found) return { type: 'data', data: found.base64 }
  // `URL` would escape characters that an address such as `gs://bucket/a b` must keep.
  const changed = file.kind === 'url' && found.url.href !== file.url
  return { type: 'url', url: found.url, ...(changed && { originalUrl: file.url }) }
}
