import { usePage } from './provider.ts'
import type { SpaceState } from './space-store.ts'
import { useLive } from './use-live.ts'

export type { SpaceState } from './space-store.ts'

/**
 * A space as it is now. It is followed while a component uses it, once however many do, and the tools of the page run for
 * the calls that are shown there.
 *
 * With `select`, the component is drawn again only when that part changed.
 */
export function useSpace(id: string): SpaceState
export function useSpace<T>(id: string, select: (state: SpaceState) => T): T
export function useSpace<T>(id: string, select?: (state: SpaceState) => T): T | SpaceState {
  return useLive(usePage().space(id), select)
}
