import { usePage } from './provider.ts'
import type { SpaceState } from './space-store.ts'
import { useLive } from './use-live.ts'

export type { SpaceState } from './space-store.ts'

/**
 * A live space. It is connected while a component uses it, and all components share the connection. The client tools of
 * the page run for its visible calls.
 *
 * With `select`, the component renders again only when the selected part changed.
 */
export function useSpace(id: string): SpaceState
export function useSpace<T>(id: string, select: (state: SpaceState) => T): T
export function useSpace<T>(id: string, select?: (state: SpaceState) => T): T | SpaceState {
  return useLive(usePage().space(id), select)
}
