/** Reads one file of an export: the line about it, and the lines with its bytes. */
import { fromBase64 } from '@holdpoint/core/internal/base64'
import { isObject } from '@holdpoint/core/internal/json'
import type { ExportedFile } from '@holdpoint/core/internal/log/conversation-line'
import { joined } from '@holdpoint/core/internal/log/memory-files'
import { sha256 } from '@holdpoint/core/internal/sha256'
import { checkMediaType, safeName } from '../files/file-refused.ts'
import { isTime } from '../log/event-shape.ts'
import { checkId } from './check-request.ts'

export interface ReadFile {
  readonly file: ExportedFile
  readonly bytes: Uint8Array
}

export class FileReader {
  readonly line: number
  readonly #file: ExportedFile
  readonly #pieces: Uint8Array[] = []
  #size = 0

  /** Throws if this is not a file. */
  constructor(given: unknown, line: number) {
    this.line = line
    this.#file = checked(given)
  }

  /** Returns what is wrong with the piece. */
  add(base64: unknown): string | undefined {
    const piece = typeof base64 === 'string' ? fromBase64(base64) : undefined
    if (!piece) return 'its bytes are not base64.'
    this.#size += piece.length
    if (this.#size > this.#file.bytes) return `the file has more than its ${this.#file.bytes} bytes.`
    this.#pieces.push(piece)
    return undefined
  }

  /** Undefined if the bytes are not those of the file. */
  whole(): ReadFile | undefined {
    const bytes = joined(this.#pieces)
    const { bytes: size, sha256: hash } = this.#file
    return bytes.length === size && sha256(bytes) === hash ? { file: this.#file, bytes } : undefined
  }
}

function checked(given: unknown): ExportedFile {
  if (!isObject(given)) throw new TypeError('it has no file.')
  const { mediaType, name, bytes, sha256: hash, by, at } = given
  const id = checkId('The id of a file', given['id'])
  const fits =
    mediaType === checkMediaType(mediaType) &&
    (name === undefined || (typeof name === 'string' && name === safeName(name))) &&
    (by === undefined || typeof by === 'string') &&
    Number.isSafeInteger(bytes) &&
    typeof hash === 'string' &&
    isTime(at)
  if (!fits) throw new TypeError('its file is not as an export has it.')
  return {
    id,
    mediaType,
    ...(name !== undefined && { name }),
    bytes: Number(bytes),
    sha256: hash,
    ...(by !== undefined && { by }),
    at: Number(at),
  }
}
