/** The files of a tenant: upload them, and read them back. */
import { HoldpointError } from '@holdpoint/core/internal/failure'
import { describeValue } from '@holdpoint/core/internal/json'
import type { UserPart } from '@holdpoint/core/internal/log/message'
import type { Page } from '@holdpoint/core/internal/log/store'
import { principalOf, type Principal } from '@holdpoint/core/internal/principal'
import { checkPrincipal } from '../conversation/check-principal.ts'
import { storedData } from '../files/conversation-files.ts'
import type { FileLimits } from '../files/file-refused.ts'
import type { Bytes, Files, StoredFile } from '../files/files.ts'
import { checkId } from './check-request.ts'

export interface UploadOptions {
  /** Such as `image/png`. */
  readonly mediaType: string
  readonly name?: string
  /** Only this person can send the file, until a message has it. */
  readonly by?: string | Principal
}

export class RuntimeFiles {
  readonly #files: Files
  readonly #tenant: string

  constructor(files: Files, tenant: string) {
    this.#files = files
    this.#tenant = tenant
  }

  /**
   * Stores a file. It is durable when this resolves, and removed after a day if no message names it. `part` goes into a message.
   * Throws `FileRefused` for a file over the limits.
   */
  async upload(bytes: Bytes, options: UploadOptions): Promise<StoredFile & { readonly part: UserPart }> {
    const { mediaType, name, by } = options
    if (!isBytes(bytes)) throw invalid(`A file must be bytes or a stream of bytes, not ${describeValue(bytes)}.`)
    const uploader = principalOf(checkPrincipal(by))?.id
    const file = await this.#files.upload(this.#tenant, bytes, { mediaType, name, by: uploader })
    const filename = file.name === undefined ? {} : { filename: file.name }
    return { ...file, part: { type: 'file', mediaType: file.mediaType, file: storedData(file), ...filename } }
  }

  get limits(): Required<FileLimits> {
    return this.#files.limits
  }

  /** What is known of a file. Undefined when there is none. */
  async find(id: string): Promise<StoredFile | undefined> {
    return this.#files.find(this.#tenant, checkId('The id of a file', id))
  }

  /** The bytes. The stream ends with an error if they are gone or changed. */
  read(file: Pick<StoredFile, 'id' | 'sha256'>): AsyncIterable<Uint8Array> {
    return this.#files.read(this.#tenant, file)
  }

  /** The files of the tenant that this person uploaded. A page may be empty and have a next one. */
  async uploadedBy(
    person: string,
    page: { readonly after: string | undefined; readonly limit: number },
  ): Promise<Page<StoredFile>> {
    const { items, next } = await this.#files.list(this.#tenant, page)
    return { items: items.filter(({ by }) => by === person), next }
  }

  /** The files that a conversation has, oldest first. */
  async of(conversation: string): Promise<readonly StoredFile[]> {
    return this.#files.ofConversation({ tenant: this.#tenant, id: checkId('The id of a conversation', conversation) })
  }
}

function isBytes(value: unknown): boolean {
  return value instanceof Uint8Array || (typeof value === 'object' && value !== null && Symbol.asyncIterator in value)
}

function invalid(message: string): HoldpointError {
  return new HoldpointError('config-invalid', message)
}
