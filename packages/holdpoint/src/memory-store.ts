/** A store in memory, with the clock of the host. */
import { memoryStore as coreStore, type MemoryStoreOptions, type Store } from '@holdpoint/core'
import { nodePorts } from './node-ports.ts'

/** Opens a store that keeps everything in this process. In a test, pass `now` of the manual clock. */
export function memoryStore({ now = nodePorts.now, ...rest }: Partial<MemoryStoreOptions> = {}): Store {
  return coreStore({ now, ...rest })
}
