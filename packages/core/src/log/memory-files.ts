/** Files in memory, for tests. */
import { HoldpointError } from '../failure.ts'
import { sha256 } from '../sha256.ts'
import type { FileStore, StoredBytes } from './file-store.ts'

export function memoryFiles(now: () => number): FileStore {
  const all = new Map<string, StoredBytes & { readonly content: Uint8Array; readonly sha256: string }>()
  const keyOf = (tenant: string, id: string): string => JSON.stringify([tenant, id])
  return {
    write: async (tenant, id, bytes) => {
      const parts: Uint8Array[] = []
      for await (const part of bytes) parts.push(part.slice())
      const content = joined(parts)
      const facts = { bytes: content.length, sha256: sha256(content) }
      all.set(keyOf(tenant, id), { tenant, id, at: now(), content, ...facts })
      return facts
    },
    read: async function* (tenant, id, hash) {
      const file = all.get(keyOf(tenant, id))
      if (file?.sha256 !== hash) throw fileDamaged(id, file ? 'has other bytes than the log says' : 'is missing')
      yield file.content
    },
    remove: async (tenant, id) => {
      all.delete(keyOf(tenant, id))
    },
    usage: async (tenant) =>
      [...all.values()].reduce((sum, file) => (file.tenant === tenant ? sum + file.bytes : sum), 0),
    walk: async ({ tenant, after = '', limit }) => {
      const keys = [...all.keys()].toSorted().filter((key) => key > after)
      const found = keys.slice(0, limit)
      const items = found.flatMap((key) => {
        const { content: _content, sha256: _hash, ...file } = all.get(key)!
        return tenant === undefined || file.tenant === tenant ? [file] : []
      })
      return { items, next: keys.length > limit ? found.at(-1) : undefined }
    },
  }
}

/** The error of a file whose bytes are gone or changed. */
export function fileDamaged(id: string, what: string): HoldpointError {
  return new HoldpointError('log-damaged', `The file "${id}" ${what}.`)
}

/** The parts as one array. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
