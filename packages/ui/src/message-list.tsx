/**
 * A conversation of any length: only what is in sight is drawn. It stays at the bottom while text arrives, unless the
 * reader scrolled up; then it stays where it is, and says that there is more below.
 */
import { useCallback, useState, type ReactNode } from 'react'
import type { Resolution, ResolveAnswer, ViewCall, ViewMessage } from '@holdpoint/client'
import { useConversation, type ConversationState } from '@holdpoint/react'
import { Announcer } from './announcer.tsx'
import { Button } from './button.tsx'
import { Message } from './message.tsx'
import { useStickyList } from './sticky-list.ts'

export interface MessageListProps {
  readonly conversationId: string
  /** For whom answers are given, where the credential may say so. */
  readonly by?: string | undefined
  /** Shown while nothing was said. */
  readonly empty?: ReactNode
}

const GAP = 20

const messagesOf = (state: ConversationState): ConversationState['messages'] => state.messages
const streamingIdOf = (state: ConversationState): string | undefined => state.streaming?.id

export function MessageList({ conversationId, by, empty }: MessageListProps): ReactNode {
  const messages = useConversation(conversationId, messagesOf)
  const streamingId = useConversation(conversationId, streamingIdOf)
  const resolve = useConversation(conversationId, (state) => state.resolve)
  const onResolve = useCallback(
    (call: ViewCall, resolution: Resolution): Promise<ResolveAnswer> =>
      resolve(call.callId, resolution, { ...(call.hold && { hold: call.hold.nth }), ...(by !== undefined && { by }) }),
    [resolve, by],
  )
  const count = messages.length + (streamingId === undefined ? 0 : 1)
  const { frame, away, toBottom, list } = useStickyList(count, (index) => messages[index]?.id ?? streamingId ?? 'last')
  return (
    <div className="relative flex min-h-0 grow flex-col">
      {/* Focusable, so that it can be scrolled by keyboard. */}
      <div
        ref={frame}
        role="region"
        aria-label="Messages"
        tabIndex={0}
        className="min-h-0 grow overflow-y-auto overscroll-contain px-4 py-5 outline-none focus-visible:ring-2 focus-visible:ring-ring focus-visible:ring-inset"
      >
        <Earlier conversationId={conversationId} />
        {count === 0 && empty}
        <div
          role="feed"
          aria-label="Messages of the conversation"
          aria-busy={streamingId !== undefined}
          className="relative mx-auto w-full max-w-3xl"
          style={{ height: list.getTotalSize() }}
        >
          {list.getVirtualItems().map(({ index, key, start }) => {
            const message = messages[index]
            const asked = askedBy(messages, index)
            return (
              <div
                key={key}
                ref={list.measureElement}
                data-index={index}
                className="absolute inset-x-0 top-0"
                style={{ transform: `translateY(${start}px)`, paddingBottom: GAP }}
              >
                {message ? (
                  <Message message={message} askedBy={asked} onResolve={onResolve} />
                ) : (
                  <Streaming conversationId={conversationId} askedBy={asked} onResolve={onResolve} />
                )}
              </div>
            )
          })}
        </div>
      </div>
      {away && (
        <div className="pointer-events-none absolute inset-x-0 bottom-3 flex justify-center">
          <Button small className="pointer-events-auto shadow-sm" onClick={toBottom}>
            ↓ To the newest
          </Button>
        </div>
      )}
      <Announcer conversationId={conversationId} />
    </div>
  )
}

/** The one message that changes while text arrives. */
function Streaming({
  conversationId,
  ...rest
}: { readonly conversationId: string } & Pick<
  React.ComponentProps<typeof Message>,
  'askedBy' | 'onResolve'
>): ReactNode {
  const message = useConversation(conversationId, (state) => state.streaming)
  return message && <Message message={message} {...rest} />
}

/** Who said what the agent's message is about. */
function askedBy(messages: readonly ViewMessage[], index: number): string | undefined {
  const said = messages.slice(0, index).reverse().find(({ role }) => role === 'user')
  return said?.role === 'user' ? said.by : undefined
}

function Earlier({ conversationId }: { readonly conversationId: string }): ReactNode {
  const more = useConversation(conversationId, (state) => state.hasEarlier)
  const earlier = useConversation(conversationId, (state) => state.earlier)
  const [busy, setBusy] = useState(false)
  if (!more) return null
  const ask = async (): Promise<void> => {
    setBusy(true)
    await earlier().catch(() => undefined)
    setBusy(false)
  }
  return (
    <div className="flex justify-center pb-4">
      <Button small look="quiet" disabled={busy} onClick={() => void ask()}>
        Show what was said before
      </Button>
    </div>
  )
}
