/** What was said in a space, the calls that are shown there, and what agents are writing at the moment. */
import { useMemo, useState, type ReactNode } from 'react'
import type { SpaceMessage as Message, SpaceView } from '@holdpoint/client'
import { useSpace } from '@holdpoint/react'
import { ConnectionNotice } from './connection-notice.tsx'
import { Feed } from './feed.tsx'
import type { SpaceCallProps } from './space-call.tsx'
import { SpaceMessage } from './space-message.tsx'
import { SpaceWriting } from './space-writing.tsx'

export interface SpaceMessagesProps extends Omit<SpaceCallProps, 'message'> {
  /** Shown while nothing was said. */
  readonly empty?: ReactNode
}

/** Where the reader was in one space says nothing about another. */
export function SpaceMessages(props: SpaceMessagesProps): ReactNode {
  return <List key={props.spaceId} {...props} />
}

function List({ spaceId, by, originOf, empty }: SpaceMessagesProps): ReactNode {
  const { view, loaded, connection, hasEarlier, earlier, reconnect } = useSpace(spaceId)
  const { messages, writing } = view
  const kept = useMemo(() => messages.flatMap((message, index) => (isHeld(message) ? [index] : [])), [messages])
  return (
    <>
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
      {loaded && <News messages={messages} by={by} />}
    </>
  )
}

/** A reader may be filling in its form. */
function isHeld(message: Message): boolean {
  return message.kind === 'tool' && message.status === 'requires_action'
}

/** A call that is written keeps its place when it is made. */
function keyAt({ messages, writing }: SpaceView, index: number): string {
  const message = messages[index]
  if (message) return message.kind === 'tool' ? message.toolCallId : String(message.seq)
  return writing[index - messages.length]?.id ?? 'last'
}

/** The words that a message answers, as far as they are on this page. */
function answered(messages: readonly Message[], message: Message): string | undefined {
  if (message.kind !== 'message' || message.replyTo === undefined) return undefined
  const said = messages.find(({ seq }) => seq === message.replyTo)
  return said?.kind === 'message' ? said.text.slice(0, 200) : undefined
}

interface NewsProps {
  readonly messages: readonly Message[]
  readonly by: string | undefined
}

/** For screen readers: what others say, and what waits; not what was there when the page came. */
function News({ messages, by }: NewsProps): ReactNode {
  const last = messages.at(-1)
  const [first] = useState(last?.seq)
  return (
    <div aria-live="polite" className="sr-only">
      {last && last.seq !== first && newsOf(last, by)}
    </div>
  )
}

function newsOf(message: Message, by: string | undefined): string {
  if (message.kind === 'message') return message.from.id === by ? '' : `${message.from.id}: ${message.text}`
  return message.status === 'requires_action' ? `${message.agent}: ${message.name} waits for an answer.` : ''
}
