import type { UserPart } from '@holdpoint/core'
import { paths } from '@holdpoint/protocol'
import type { Http, RequestOptions } from './http.ts'

/** A file that the gateway stored. `part` goes into a message. */
export interface UploadedFile {
  readonly id: string
  readonly mediaType: string
  /** As it is stored: without folders and control characters. */
  readonly name?: string
  readonly bytes: number
  readonly sha256: string
  readonly part: UserPart
}

export interface UploadOptions extends Omit<RequestOptions, 'key'> {
  /** Default: the name of a `File`. */
  readonly name?: string
  /** Default: the type of the blob, or `application/octet-stream`. */
  readonly mediaType?: string
  /** For a key that may act for this person, who then sends the file. */
  readonly by?: string
}

/** Which uploads the gateway accepts. */
export interface UploadLimits {
  readonly maxBytes: number
  /** Such as `image/*`. */
  readonly mediaTypes: readonly string[]
}

export interface Files {
  limits(options?: RequestOptions): Promise<UploadLimits>
  /** Uploads a file for a message. It is removed after a day if no message has it. */
  upload(content: Blob | Uint8Array<ArrayBuffer>, options?: UploadOptions): Promise<UploadedFile>
  /** The bytes of a file in a conversation that the caller may read. */
  read(id: string, options?: Pick<RequestOptions, 'signal'>): Promise<Blob>
}

/** An upload takes longer than other requests: this many seconds are added to their timeout. */
const UPLOAD_SECONDS = 300

export function filesOf(http: Http): Files {
  return {
    limits: (options) => http.get(paths.files(), options),
    upload: async (given, { name: named, mediaType: type, by, ...options } = {}) => {
      const content = given instanceof Blob ? given : new Blob([given])
      const name = named ?? (content instanceof File ? content.name : undefined)
      const mediaType = type ?? (content.type === '' ? 'application/octet-stream' : content.type)
      const file = await http.ask<Omit<UploadedFile, 'part'>>({
        ...options,
        method: 'POST',
        path: paths.files(),
        query: { name, by },
        file: { content, mediaType },
        wait: UPLOAD_SECONDS,
      })
      const { id, bytes, sha256 } = file
      const filename = file.name === undefined ? {} : { filename: file.name }
      const part = { type: 'file', mediaType: file.mediaType, file: { kind: 'stored', id, bytes, sha256 }, ...filename }
      return { ...file, part: part as UserPart }
    },
    read: async (id, { signal = new AbortController().signal } = {}) => {
      const response = await http.open(paths.file(id), { accept: '*/*' }, signal)
      return response.blob()
    },
  }
}
