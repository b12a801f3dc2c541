/**
 * The bytes of files, beside the logs. A store keeps them under the tenant and an id that is used once, and never changes them.
 * Who uploaded a file, what it is called and which conversations have it is in a document (`StoredFile` in the runtime).
 */
import type { Page } from './store.ts'

/** What a log says about a file. The hash is in the log, so the chain of the log covers the bytes too. */
export interface FileFacts {
  readonly bytes: number
  /** As hex. */
  readonly sha256: string
}

/** Bytes that a store has. */
export interface StoredBytes {
  readonly tenant: string
  readonly id: string
  readonly bytes: number
  /** When they were written, by the store's clock. */
  readonly at: number
}

export interface StoredBytesQuery {
  /** Default: of all tenants. */
  readonly tenant?: string
  /** The `next` of an earlier page. */
  readonly after?: string
  readonly limit: number
}

export interface FileStore {
  /**
   * Durable once it resolves. If it rejects, or the process dies, no file with this id can be read. An id that is in use is written
   * again only with the same bytes. Rejects when `bytes` does.
   */
  write(tenant: string, id: string, bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<FileFacts>
  /** Ends with an error if there is no such file, or its bytes do not have this hash. */
  read(tenant: string, id: string, sha256: string): AsyncIterable<Uint8Array>
  /** To remove a file that is not there changes nothing. */
  remove(tenant: string, id: string): Promise<void>
  /** The bytes of all files of a tenant. */
  usage(tenant: string): Promise<number>
  /** All files, in any fixed order. A page before the last may be empty. It may have files that are being written. */
  walk(query: StoredBytesQuery): Promise<Page<StoredBytes>>
}
