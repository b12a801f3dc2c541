/** A conversation of any length, with what is said in it at the moment. */
import { useCallback, useMemo, type ReactNode } from 'react'
import type { Resolution, ResolveAnswer, ViewCall, ViewMessage } from '@holdpoint/client'
import { useConversation, type ConversationState } from '@holdpoint/react'
import { Announcer } from './announcer.tsx'
import { Feed } from './feed.tsx'
import { Message } from './message.tsx'
import { wokenBy } from './woken-by.ts'

export interface MessageListProps {
  readonly conversationId: string
  /** For whom answers are given, where the credential may say so. */
  readonly by?: string | undefined
  /** Shown while nothing was said. */
  readonly empty?: ReactNode
}

const messagesOf = (state: ConversationState): ConversationState['messages'] => state.messages
const streamingOf = (state: ConversationState): ConversationState['streaming'] => state.streaming
const nothing = (): undefined => undefined
const streamingIdOf = (state: ConversationState): string | undefined => state.streaming?.id

/** Where the reader was in one conversation says nothing about another. */
export function MessageList(props: MessageListProps): ReactNode {
  return <List key={props.conversationId} {...props} />
}

function List({ conversationId, by, empty }: MessageListProps): ReactNode {
  const messages = useConversation(conversationId, messagesOf)
  const streamingId = useConversation(conversationId, streamingIdOf)
  const resolve = useConversation(conversationId, (state) => state.resolve)
  const hasEarlier = useConversation(conversationId, (state) => state.hasEarlier)
  const earlier = useConversation(conversationId, (state) => state.earlier)
  const onResolve = useCallback(
    (call: ViewCall, resolution: Resolution): Promise<ResolveAnswer> =>
      resolve(call.callId, resolution, { ...(call.hold && { hold: call.hold.nth }), ...(by !== undefined && { by }) }),
    [resolve, by],
  )
  const count = messages.length + (streamingId === undefined ? 0 : 1)
  const kept = useMemo(() => {
    const held = messages.flatMap((message, index) => (isHeld(message) ? [index] : []))
    return streamingId === undefined ? held : [...held, messages.length]
  }, [messages, streamingId])
  return (
    <>
      <Feed
        label="Messages of the conversation"
        count={count}
        keyOf={(index) => messages[index]?.id ?? streamingId ?? 'last'}
        kept={kept}
        busy={streamingId !== undefined}
        onEarlier={hasEarlier ? earlier : undefined}
        empty={empty}
      >
        {(index) => (
          <Shown
            conversationId={conversationId}
            message={messages[index]}
            askedBy={askedBy(messages, index)}
            onResolve={onResolve}
          />
        )}
      </Feed>
      <Announcer conversationId={conversationId} />
    </>
  )
}

/** Without a message it is the one that changes while text arrives. Once that is whole, it is still the same component. */
function Shown({
  conversationId,
  message,
  ...rest
}: {
  readonly conversationId: string
  readonly message: ViewMessage | undefined
} & Pick<React.ComponentProps<typeof Message>, 'askedBy' | 'onResolve'>): ReactNode {
  const streaming = useConversation(conversationId, message ? nothing : streamingOf)
  const shown = message ?? streaming
  return shown && <Message message={shown} {...rest} />
}

/** It still waits for an answer, although its turn went on. */
function isHeld(message: ViewMessage): boolean {
  return message.role === 'assistant' && message.parts.some((part) => part.type === 'call' && part.call.hold)
}

/** Who said, or caused, what the agent's message is about. */
function askedBy(messages: readonly ViewMessage[], index: number): string | undefined {
  const said = messages
    .slice(0, index)
    .reverse()
    .find(({ role }) => role === 'user' || role === 'event')
  if (said?.role === 'event') return wokenBy(said.event)
  return said?.role === 'user' ? said.by : undefined
}
