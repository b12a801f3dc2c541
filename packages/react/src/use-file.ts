import { useCallback, useSyncExternalStore } from 'react'
import type { FileState } from './file-content.ts'
import { usePage } from './provider.ts'

const INITIAL: FileState = { blob: undefined, error: undefined }
const readInitial = (): FileState => INITIAL

/** The bytes of a stored file. Components that show the same file share one request. */
export function useFile(id: string): FileState {
  const { item, subscribe } = usePage().file(id)
  const read = useCallback(() => item.state, [item])
  return useSyncExternalStore(subscribe, read, readInitial)
}
