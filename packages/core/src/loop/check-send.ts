/** What callers give is checked before anything is written, so that nothing they got wrong is ever in a log. */
import { HoldpointError } from '../failure.ts'
import { isObject, show } from '../json.ts'
import type { UserPart } from '../log/message.ts'
import type { FileData } from '../model/model.ts'
import type { Content, SendOptions } from './session-options.ts'

const WHILE_BUSY: readonly unknown[] = ['refuse', 'queue', 'supersede', undefined]

/** The message as it is stored: only what belongs to it. */
export function checkContent(content: unknown): Content {
  if (content === '' || (Array.isArray(content) && content.length === 0))
    throw invalid('A message says something. To go on without one, call continue().')
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) throw invalid(`A message is text, or a list of parts, not ${show(content)}.`)
  return content.map((part) => {
    const read = readPart(part)
    if (read) return read
    throw invalid(
      `${show(part)} is no part of a message: use { type: 'text', text } or { type: 'file', mediaType, file }.`,
    )
  })
}

export function checkOptions(options: SendOptions): void {
  if (typeof options !== 'object' || options === null) throw invalid(`Options are an object, not ${show(options)}.`)
  const { by, maxSteps, whileBusy, signal } = options
  if (signal !== undefined && typeof signal.addEventListener !== 'function')
    throw invalid(`"signal" is an AbortSignal, not ${show(signal)}.`)
  if (by !== undefined && typeof by !== 'string') throw invalid(`"by" is text that says who, not ${show(by)}.`)
  if (maxSteps !== undefined && !(Number.isInteger(maxSteps) && maxSteps >= 1))
    throw invalid(`"maxSteps" must be a whole number from 1, not ${show(maxSteps)}.`)
  if (!WHILE_BUSY.includes(whileBusy))
    throw invalid(`"whileBusy" must be refuse, queue or supersede, not ${show(whileBusy)}.`)
}

function readPart(part: unknown): UserPart | undefined {
  if (!isObject(part)) return undefined
  const { type, text, mediaType, filename, file } = part as Readonly<Record<string, unknown>>
  if (type === 'text') return typeof text === 'string' ? { type, text } : undefined
  const data = readFile(file)
  if (type !== 'file' || typeof mediaType !== 'string' || !data) return undefined
  return { type, mediaType, file: data, ...(typeof filename === 'string' && { filename }) }
}

function readFile(file: unknown): FileData | undefined {
  if (!isObject(file)) return undefined
  const { kind, base64, url } = file
  if (kind === 'base64' && typeof base64 === 'string') return { kind, base64 }
  return kind === 'url' && typeof url === 'string' ? { kind, url } : undefined
}

function invalid(message: string): HoldpointError {
  return new HoldpointError('config-invalid', message)
}
