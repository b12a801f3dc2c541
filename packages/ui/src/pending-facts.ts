/**
 * What the list of holds says about a hold that a conversation shows: who approved it, and what the person at the screen
 * may do. The events of a conversation are the same for each reader, so they cannot say that.
 */
import { createContext, use } from 'react'
import { useConversation, useWatched, type ConversationState } from '@holdpoint/react'
import type { PendingHold } from '@holdpoint/client'
import type { CardHold } from './card-hold.ts'

/** `unknown`: the list cannot be read, so a card shows every button and the gateway decides. */
type Pending = readonly PendingHold[] | 'loading' | 'unknown'

export const PendingContext: React.Context<Pending> = createContext<Pending>('unknown')

const asksPeople = ({ holds }: ConversationState): boolean =>
  holds.some(({ kind }) => kind === 'approval' || kind === 'elicitation')

/** The open holds of a conversation. They are requested while one of them is for people. */
export function usePendingOf(conversationId: string, by: string | undefined): Pending {
  const asks = useConversation(conversationId, asksPeople)
  const key = asks ? `holds of ${conversationId} for ${by ?? ''}` : 'no holds'
  const { value, error } = useWatched(key, async (client, signal) => {
    const query = { conversationId, limit: 200, ...(by !== undefined && { by }) }
    return asks ? client.holds.list(query, { signal }) : { items: [] }
  })
  return value?.items ?? (error ? 'unknown' : 'loading')
}

/** A card shows no button until the list says which ones the gateway would accept. */
const NOT_YET = { may: { resolve: false, approve: false } } as const

/** Adds what the list says about the hold. */
export function useCardHold<T extends CardHold | undefined>(hold: T): T | (T & CardHold) {
  const pending = use(PendingContext)
  if (!hold || pending === 'unknown' || hold.may) return hold
  const known =
    pending === 'loading' ? undefined : pending.find(({ callId, nth }) => callId === hold.callId && nth === hold.nth)
  if (!known) return { ...hold, ...NOT_YET }
  const { endorsed, missing, may, conversationId } = known
  return { ...hold, endorsed, missing, conversationId, ...(may && { may }) }
}
