/** The messages of a conversation, including the one that is being streamed. */
import { useCallback, useMemo, type ReactNode } from 'react'
import type { Resolution, ResolveResult, ViewCall, ViewMessage } from '@holdpoint/client'
import { useConversation, type ConversationState } from '@holdpoint/react'
import { ActingAsContext } from './acting-as.ts'
import { Announcer } from './announcer.tsx'
import { Boundary } from './boundary.tsx'
import { ConnectionNotice } from './connection-notice.tsx'
import { Feed } from './feed.tsx'
import { Message } from './message.tsx'
import { PendingContext, usePendingOf } from './pending-facts.ts'
import { ShownText } from './shown-text.tsx'

export interface MessageListProps {
  readonly conversationId: string
  /** The author of answers, if the credential may act for other people. */
  readonly by?: string | undefined
  /** Shown while there are no messages. */
  readonly empty?: ReactNode
}

const messagesOf = (state: ConversationState): ConversationState['messages'] => state.messages
const streamingOf = (state: ConversationState): ConversationState['streaming'] => state.streaming
const nothing = (): undefined => undefined
const streamingIdOf = (state: ConversationState): string | undefined => state.streaming?.id

/** The key resets the scroll position for another conversation. */
export function MessageList(props: MessageListProps): ReactNode {
  return <List key={props.conversationId} {...props} />
}

function List({ conversationId, by, empty }: MessageListProps): ReactNode {
  const messages = useConversation(conversationId, messagesOf)
  const streamingId = useConversation(conversationId, streamingIdOf)
  const resolve = useConversation(conversationId, (state) => state.resolve)
  const hasEarlier = useConversation(conversationId, (state) => state.hasEarlier)
  const earlier = useConversation(conversationId, (state) => state.earlier)
  const connection = useConversation(conversationId, (state) => state.connection)
  const loaded = useConversation(conversationId, (state) => state.loaded)
  const reconnect = useConversation(conversationId, (state) => state.reconnect)
  const onResolve = useCallback(
    (call: ViewCall, resolution: Resolution): Promise<ResolveResult> =>
      resolve(call.callId, resolution, { ...(call.hold && { hold: call.hold.nth }), ...(by !== undefined && { by }) }),
    [resolve, by],
  )
  const count = messages.length + (streamingId === undefined ? 0 : 1)
  const kept = useMemo(() => {
    const held = messages.flatMap((message, index) => (isHeld(message) ? [index] : []))
    return streamingId === undefined ? held : [...held, messages.length]
  }, [messages, streamingId])
  const pending = usePendingOf(conversationId, by)
  return (
    <ActingAsContext value={by}>
      <PendingContext value={pending}>
        <ConnectionNotice connection={connection} loaded={loaded} onRetry={reconnect} />
        <Feed
          label="Messages of the conversation"
          count={count}
          keyOf={(index) => messages[index]?.id ?? streamingId ?? 'last'}
          kept={kept}
          busy={streamingId !== undefined}
          onEarlier={hasEarlier ? earlier : undefined}
          empty={(loaded || connection.state === 'live') && empty}
        >
          {(index) => <Shown conversationId={conversationId} message={messages[index]} onResolve={onResolve} />}
        </Feed>
        <Announcer conversationId={conversationId} />
      </PendingContext>
    </ActingAsContext>
  )
}

/** Without `message`, shows the message that is being streamed. Once it is complete, the same component still shows it. */
function Shown({
  conversationId,
  message,
  ...rest
}: {
  readonly conversationId: string
  readonly message: ViewMessage | undefined
} & Pick<React.ComponentProps<typeof Message>, 'onResolve'>): ReactNode {
  const streaming = useConversation(conversationId, message ? nothing : streamingOf)
  const shown = message ?? streaming
  return (
    shown && (
      <Boundary fallback={cannotBeShown}>
        <Message message={shown} {...rest} />
      </Boundary>
    )
  )
}

function cannotBeShown({ message }: Error): ReactNode {
  return (
    <p role="alert" className="text-sm text-destructive">
      This message cannot be shown: <ShownText text={message} />
    </p>
  )
}

/** A call of the message still waits for an answer. */
function isHeld(message: ViewMessage): boolean {
  return message.role === 'assistant' && message.parts.some((part) => part.type === 'call' && part.call.hold)
}
