export { HoldpointProvider, useClient, type HoldpointProviderProps } from './provider.ts'
export { useConversation, type ConversationState } from './use-conversation.ts'
export { useHolds, type HoldsState } from './use-holds.ts'
export { useWatched, type WatchedAnswer } from './use-watched.ts'
