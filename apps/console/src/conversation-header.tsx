import type { ReactNode } from 'react'
import { useConversation } from '@holdpoint/react'
import { ShownText } from '@holdpoint/ui'
import { ConversationPeople } from './conversation-people.tsx'
import { EraseConversation } from './erase-conversation.tsx'
import { useFirstMessage } from './use-first-message.ts'
import { addressOf, Status, TextLink, useTitle, Views } from './parts.tsx'

export function ConversationHeader({
  id,
  here,
}: {
  readonly id: string
  readonly here: 'chat' | 'timeline'
}): ReactNode {
  const agent = useConversation(id, (state) => state.agent)
  const status = useConversation(id, (state) => state.status)
  const connection = useConversation(id, (state) => state.connection)
  const erased = useConversation(id, (state) => state.view.erased !== undefined)
  const firstMessage = useFirstMessage(id)
  const title = erased ? undefined : firstMessage
  useTitle(here === 'chat' ? (title ?? id) : `Timeline of ${title ?? id}`)
  return (
    <header
      className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-border px-4 py-2.5 sm:px-6"
      data-live={connection.state}
    >
      <h1
        title={id}
        className={`max-w-full min-w-0 truncate font-medium sm:max-w-md ${title === undefined ? 'font-mono text-sm' : ''}`}
      >
        <ShownText text={title ?? id} />
      </h1>
      {agent !== '' && (
        <TextLink to={addressOf.agent(agent)} className="text-sm">
          {agent}
        </TextLink>
      )}
      {connection.state !== 'stopped' && <Status status={status} />}
      {connection.state === 'waiting' && connection.error && (
        <span className="text-xs text-held">offline, trying again</span>
      )}
      <div className="ms-auto flex items-center gap-2">
        <ConversationPeople id={id} />
        <EraseConversation id={id} />
        <Views
          label="Views of the conversation"
          views={[
            { to: addressOf.conversation(id), name: 'Chat', here: here === 'chat' },
            { to: addressOf.timeline(id), name: 'Timeline', here: here === 'timeline' },
          ]}
        />
      </div>
    </header>
  )
}
