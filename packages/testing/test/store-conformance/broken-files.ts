/** Broken stores: files. The store below them is right, and their files are in memory. */
import type { FileStore, Store } from '@holdpoint/core'
import { memoryFiles } from '@holdpoint/core/internal/log/memory-files'
import type { Broken } from './broken-store.ts'

/** The handles of a place have the same methods, and get the same files. */
function withFiles(spoil: (files: FileStore, nth: number) => Partial<FileStore>): NonNullable<Broken['handle']> {
  const places = new WeakMap<object, { readonly files: FileStore; handles: number }>()
  return (inner: Store) => {
    const place = places.get(inner.load) ?? { files: memoryFiles(() => 5), handles: 0 }
    places.set(inner.load, place)
    const files = { ...place.files, ...spoil(place.files, place.handles++) }
    return { store: { ...inner, files: () => files } }
  }
}

const drained = async (bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Uint8Array[]> => {
  const parts: Uint8Array[] = []
  try {
    for await (const part of bytes) parts.push(part)
  } catch {
    // What came is kept: that is what is wrong.
  }
  return parts
}

export const brokenFiles: readonly Broken[] = [
  {
    store: 'keeps files in its own process only',
    handle: withFiles((_files, nth) => (nth === 0 ? {} : memoryFiles(() => 5))),
    throws: 'is missing',
    caughtBy: ['files: a file is read as it was written, through another handle too, and its size and hash are told'],
  },
  {
    store: 'does not compare the hash of a file',
    handle: withFiles((files) => {
      const hashes = new Map<string, string>()
      return {
        write: async (tenant, id, bytes) => {
          const facts = await files.write(tenant, id, bytes)
          hashes.set(id, facts.sha256)
          return facts
        },
        read: (tenant, id) => files.read(tenant, id, hashes.get(id) ?? ''),
      }
    }),
    caughtBy: ['files: a file with other bytes than expected, or none, is an error and not a short file'],
  },
  {
    store: 'keeps what came of a file before it broke off',
    handle: withFiles((files) => ({
      write: async (tenant, id, bytes) => files.write(tenant, id, await drained(bytes)),
    })),
    caughtBy: ['files: a file whose bytes break off is not there'],
  },
  {
    store: 'counts a file twice that was written twice',
    handle: withFiles((files) => {
      let written = 0
      return {
        write: async (tenant, id, bytes) => {
          const facts = await files.write(tenant, id, bytes)
          written += facts.bytes
          return facts
        },
        usage: async () => written,
      }
    }),
    caughtBy: ['files: a file may be written again with the same bytes'],
  },
  {
    store: 'removes the file of every tenant',
    handle: withFiles((files) => ({
      remove: async (_tenant, id) => {
        for (const tenant of ['', 'acme', 'Acme']) await files.remove(tenant, id)
      },
    })),
    throws: 'is missing',
    caughtBy: ['files: the files of a tenant are apart from those of others'],
  },
  {
    store: 'removes no file',
    handle: withFiles(() => ({ remove: async () => {} })),
    caughtBy: ['files: a removed file is gone, and the others stay'],
  },
  {
    store: 'lists the files of all tenants for each',
    handle: withFiles((files) => ({ walk: ({ tenant: _tenant, ...query }) => files.walk(query) })),
    caughtBy: ['files: every file is listed once, page by page, of one tenant or of all'],
  },
]
