/** Which files are accepted, and how their names are kept. */
import { HoldpointError } from '@holdpoint/core/internal/failure'

export interface FileLimits {
  /** The largest file. Default: 20 MB. */
  readonly maxBytes?: number
  /** The media types that are accepted, such as `image/*`. Default: all. */
  readonly mediaTypes?: readonly string[]
  /** How long an uploaded file is kept that no message names. Default: one day. */
  readonly keepUnusedMs?: number
}

export const FILE_LIMITS: Required<FileLimits> = {
  maxBytes: 20_000_000,
  mediaTypes: ['*/*'],
  keepUnusedMs: 86_400_000,
}

/** A file that cannot be stored. `too-large` and `type` have an HTTP status of their own. */
export class FileRefused extends HoldpointError {
  readonly reason: 'too-large' | 'type' | 'empty' | 'unsupported'

  constructor(reason: FileRefused['reason'], message: string) {
    super('file-refused', message)
    this.reason = reason
  }

  static override is(value: unknown): value is FileRefused {
    return HoldpointError.is(value) && value.code === 'file-refused'
  }
}

const TOKEN = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}$/

/** The media type without parameters, in lower case. Throws if it is none, or not allowed. */
export function checkMediaType(given: unknown, allowed: readonly string[] = FILE_LIMITS.mediaTypes): string {
  const type = typeof given === 'string' ? given.replace(/;.*$/s, '').trim().toLowerCase() : ''
  if (!TOKEN.test(type)) throw new FileRefused('type', 'A file needs a media type, such as image/png.')
  if (isMediaType(type, allowed)) return type
  throw new FileRefused('type', `Files of the type ${type} are not accepted. Accepted: ${allowed.join(', ')}.`)
}

export function isMediaType(type: string, patterns: readonly string[]): boolean {
  return patterns.some(
    (pattern) =>
      pattern === '*/*' || pattern === type || (pattern.endsWith('/*') && type.startsWith(pattern.slice(0, -1))),
  )
}

/** Control characters, and those that change the direction of the text around them: a name must not look like another one. */
// oxlint-disable-next-line no-control-regex
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g
const LONGEST_NAME = 200

/** The name without folders and without characters that hide what it is. Undefined if nothing is left. */
export function safeName(given: unknown): string | undefined {
  if (typeof given !== 'string') return undefined
  const [, last = ''] = /([^/\\]*)[/\\]*$/.exec(given.toWellFormed().replaceAll(UNSAFE, '')) ?? []
  const name = last.trim()
  if (name === '' || /^\.+$/.test(name)) return undefined
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 20).toWellFormed()}…${name.slice(-16)}` : name
}
