/** A store in memory, with the host's clock: timeouts, plans and leases end as they do on disk. */
import { memoryStore as coreStore, type MemoryStoreOptions, type Store } from '@holdpoint/core'
import { nodePorts } from './node-ports.ts'

/** Keeps everything in this process. In a test, give `now` of the manual clock. */
export function memoryStore({ now = nodePorts.now, ...rest }: Partial<MemoryStoreOptions> = {}): Store {
  return coreStore({ now, ...rest })
}
