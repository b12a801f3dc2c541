import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useConversation } from '@holdpoint/react'
import { ShownText } from '@holdpoint/ui'
import { addressOf, Status, TextLink } from './parts.tsx'

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
      <nav aria-label="Views of the conversation" className="ms-auto flex gap-0.5 rounded-md bg-muted p-0.5 text-xs">
        <View to={addressOf.conversation(id)} here={here === 'chat'}>
          Chat
        </View>
        <View to={addressOf.timeline(id)} here={here === 'timeline'}>
          Timeline
        </View>
      </nav>
    </header>
  )
}

function View({
  to,
  here,
  children,
}: {
  readonly to: string
  readonly here: boolean
  readonly children: ReactNode
}): ReactNode {
  return (
    <Link
      href={to}
      aria-current={here ? 'page' : undefined}
      className="rounded-[5px] px-2.5 py-1 text-muted-foreground outline-none hover:text-foreground focus-visible:ring-2 focus-visible:ring-ring aria-[current=page]:bg-card aria-[current=page]:text-foreground aria-[current=page]:shadow-xs"
    >
      {children}
    </Link>
  )
}
