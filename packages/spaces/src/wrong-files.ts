/** Checks the files that the events of a log name: each is there, with the bytes of its hash. */
import { messageOf } from '@holdpoint/core/internal/failure'
import { isObject } from '@holdpoint/core/internal/json'
import type { Store } from '@holdpoint/core/internal/log/store'

interface NamedFile {
  readonly id: string
  readonly sha256: string
}

/** What models, tools and people wrote. It may look like a file. */
const FOREIGN: ReadonlySet<string> = new Set(['value', 'input', 'proposed', 'result', 'data', 'details', 'source'])

/** Returns a line for each file that is gone or changed. */
export async function wrongFiles(store: Store, tenant: string, events: readonly unknown[]): Promise<readonly string[]> {
  const named = new Map<string, NamedFile>()
  for (const event of events) collect(event, named)
  const files = store.files?.()
  if (!files) return [...named.values()].map(({ id }) => `File ${id} is not in the store, which keeps no files.`)
  const problems: string[] = []
  for (const { id, sha256 } of named.values()) {
    try {
      for await (const _ of files.read(tenant, id, sha256));
    } catch (error) {
      problems.push(`File ${id}: ${messageOf(error)}`)
    }
  }
  return problems
}

function collect(value: unknown, named: Map<string, NamedFile>): void {
  if (Array.isArray(value)) for (const item of value) collect(item, named)
  if (!isObject(value)) return
  for (const [key, inner] of Object.entries(value)) {
    if (FOREIGN.has(key)) continue
    const file = key === 'file' ? fileOf(inner) : undefined
    if (file) named.set(`${file.id} ${file.sha256}`, file)
    else collect(inner, named)
  }
}

function fileOf(value: unknown): NamedFile | undefined {
  if (!isObject(value)) return undefined
  const { id, sha256 } = value
  return typeof id === 'string' && typeof sha256 === 'string' ? { id, sha256 } : undefined
}
