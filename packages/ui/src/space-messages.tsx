/** The messages and visible calls of a space, and the texts that agents are writing. */
import { useMemo, useState, type ReactNode } from 'react'
import type { SpaceMessage as Message, SpaceView } from '@holdpoint/client'
import { useSpace } from '@holdpoint/react'
import { ActingAsContext } from './acting-as.ts'
import { ConnectionNotice } from './connection-notice.tsx'
import { Feed } from './feed.tsx'
import type { SpaceCallProps } from './space-call.tsx'
import { SpaceMessage } from './space-message.tsx'
import { SpaceWriting } from './space-writing.tsx'

export interface SpaceMessagesProps extends Omit<SpaceCallProps, 'message'> {
  /** Shown while there are no messages. */
  readonly empty?: ReactNode
}

/** The key resets the scroll position for another space. */
export function SpaceMessages(props: SpaceMessagesProps): ReactNode {
  return <List key={props.spaceId} {...props} />
}

function List({ spaceId, by, originOf, empty }: SpaceMessagesProps): ReactNode {
  const { view, loaded, connection, hasEarlier, earlier, reconnect } = useSpace(spaceId)
  const { messages, writing } = view
  const kept = useMemo(() => messages.flatMap((message, index) => (isHeld(message) ? [index] : [])), [messages])
  return (
    <ActingAsContext value={by}>
      <ConnectionNotice connection={connection} loaded={loaded} onRetry={reconnect} />
      <Feed
        label="Messages of the space"
        count={messages.length + writing.length}
        keyOf={(index) => keyAt(view, index)}
        kept={kept}
        busy={writing.length > 0}
        onEarlier={hasEarlier && messages.length > 0 ? earlier : undefined}
        empty={loaded && empty}
      >
        {(index) => {
          const message = messages[index]
          const written = writing[index - messages.length]
          if (!message) return written && <SpaceWriting writing={written} />
          const answers = answered(messages, message)
          return <SpaceMessage message={message} spaceId={spaceId} by={by} originOf={originOf} answers={answers} />
        }}
      </Feed>
      {loaded && <NewMessageAnnouncer messages={messages} by={by} />}
    </ActingAsContext>
  )
}

/** The user may be filling in the form of this call. */
function isHeld(message: Message): boolean {
  return message.kind === 'tool' && message.status === 'requires_action'
}

/** A call has the same key while it is written and after it is made, so its element stays. */
function keyAt({ messages, writing }: SpaceView, index: number): string {
  const message = messages[index]
  if (message) return message.kind === 'tool' ? message.toolCallId : String(message.seq)
  return writing[index - messages.length]?.id ?? 'last'
}

/** The text of the message that this one replies to, if it is loaded. */
function answered(messages: readonly Message[], message: Message): string | undefined {
  if (message.kind !== 'message' || message.replyTo === undefined) return undefined
  const original = messages.find(({ seq }) => seq === message.replyTo)
  return original?.kind === 'message' ? original.text.slice(0, 200) : undefined
}

interface NewMessageAnnouncerProps {
  readonly messages: readonly Message[]
  readonly by: string | undefined
}

/** Announces new messages of others and new holds to screen readers. */
function NewMessageAnnouncer({ messages, by }: NewMessageAnnouncerProps): ReactNode {
  const last = messages.at(-1)
  const [first] = useState(last?.seq)
  return (
    <div aria-live="polite" className="sr-only">
      {last && last.seq !== first && announcementOf(last, by)}
    </div>
  )
}

function announcementOf(message: Message, by: string | undefined): string {
  if (message.kind === 'message') return message.from.id === by ? '' : `${message.from.id}: ${message.text}`
  return message.status === 'requires_action' ? `${message.agent}: ${message.name} waits for an answer.` : ''
}
