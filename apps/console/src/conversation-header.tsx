import type { ReactNode } from 'react'
import { useConversation } from '@holdpoint/react'
import { ShownText } from '@holdpoint/ui'
import { addressOf, Status, TextLink, Views } from './parts.tsx'

export function ConversationHeader({
  id,
  here,
}: {
  readonly id: string
  readonly here: 'chat' | 'timeline'
}): ReactNode {
  const agent = useConversation(id, (state) => state.agent)
  const status = useConversation(id, (state) => state.status)
  const connection = useConversation(id, (state) => state.connection.state)
  return (
    <header
      className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-border px-4 py-2.5 sm:px-6"
      data-live={connection}
    >
      <h1 className="min-w-0 truncate font-mono text-sm font-medium">
        <ShownText text={id} />
      </h1>
      {agent !== '' && (
        <TextLink to={addressOf.agent(agent)} className="text-sm">
          {agent}
        </TextLink>
      )}
      <Status status={status} />
      {connection === 'waiting' && <span className="text-xs text-held">not heard of, comes again</span>}
      <div className="ms-auto">
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
