import type { ConversationState } from './conversation-store.ts'
import { usePage } from './provider.ts'
import { useLive } from './use-live.ts'

export type { ConversationState } from './conversation-store.ts'

/**
 * A live conversation. It is connected while a component uses it. A conversation that does not exist yet is empty.
 *
 * With `select`, the component renders again only when the selected part changed. Return a part of the state or a
 * primitive value: a new object on each call would render every time.
 */
export function useConversation(id: string): ConversationState
export function useConversation<T>(id: string, select: (state: ConversationState) => T): T
export function useConversation<T>(id: string, select?: (state: ConversationState) => T): T | ConversationState {
  return useLive(usePage().conversation(id), select)
}
