import type { ConversationState } from './conversation-store.ts'
import { usePage } from './provider.ts'
import { useLive } from './use-live.ts'

export type { ConversationState } from './conversation-store.ts'

/**
 * A conversation as it is now. It is followed while a component uses it; one that does not exist yet is empty.
 *
 * With `select`, the component is drawn again only when that part changed: give back something the state has, or a plain
 * value, and not an object made on the spot.
 */
export function useConversation(id: string): ConversationState
export function useConversation<T>(id: string, select: (state: ConversationState) => T): T
export function useConversation<T>(id: string, select?: (state: ConversationState) => T): T | ConversationState {
  return useLive(usePage().conversation(id), select)
}
