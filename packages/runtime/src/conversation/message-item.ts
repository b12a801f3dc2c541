import { userMessage, type Inbound } from '@holdpoint/core/internal/log/message'
import { principalOf } from '@holdpoint/core/internal/principal'
import type { Decision } from '@holdpoint/core/internal/turn/decision'
import { FileMissing, type ConversationFiles } from '../files/conversation-files.ts'
import type { SendOptions } from '../session/session-options.ts'
import { checkContent } from './check-send.ts'

type Refused = Extract<Decision, { readonly ok: false }>

/** A caller's message as the log keeps it. Its files are stored before. */
export function messageItem(
  content: unknown,
  { by, trace }: Pick<SendOptions, 'by' | 'trace'>,
  files?: ConversationFiles,
): Inbound | Promise<Inbound | Refused> {
  const checked = checkContent(content)
  const item = (said: typeof checked): Inbound => ({ kind: 'message', message: userMessage(said, by, trace) })
  if (typeof checked === 'string' || !checked.some(({ type }) => type === 'file')) return item(checked)
  if (!files) {
    for (const part of checked)
      if (part.type === 'file' && part.file.kind === 'stored')
        return Promise.resolve(refusedFile(new FileMissing(part.file.id)))
    return item(checked)
  }
  return files.take(checked, principalOf(by)?.id).then(item, (error: unknown) => {
    if (error instanceof FileMissing) return refusedFile(error)
    throw error
  })
}

function refusedFile({ message }: FileMissing): Refused {
  return { ok: false, refusal: 'file-missing', message }
}
