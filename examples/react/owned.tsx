/** The same with the components of `@holdpoint/ui`, as a project owns them once they were copied. */
import type { ReactNode } from 'react'
import type { Client } from '@holdpoint/client'
import { HoldpointProvider, useHolds } from '@holdpoint/react'
import {
  Composer,
  HoldCard,
  MessageList,
  PlainToolCall,
  ToolComponentsContext,
  type ToolCallProps,
} from '@holdpoint/ui'

// #region map
/** Shown in its own way once it is done, and like any other call until then. */
function Refund(props: ToolCallProps): ReactNode {
  const { call } = props
  if (call.state !== 'settled' || !call.outcome.ok) return <PlainToolCall {...props} />
  return <p>Refunded: {JSON.stringify(call.outcome.value)}</p>
}

const components = { refund: Refund }
// #endregion

// #region chat
export function Chat({ client }: { client: Client }): ReactNode {
  return (
    <HoldpointProvider client={client}>
      <ToolComponentsContext value={components}>
        <div className="flex h-dvh flex-col">
          <MessageList conversationId="order-17" />
          <Composer conversationId="order-17" agent="desk" />
        </div>
      </ToolComponentsContext>
    </HoldpointProvider>
  )
}
// #endregion

// #region inbox
function Everything(): ReactNode {
  const { holds, resolve } = useHolds()
  return holds.map((hold) => (
    <HoldCard
      key={`${hold.callId} ${hold.nth}`}
      hold={hold}
      agent={hold.agent}
      onResolve={(resolution) => resolve(hold, resolution)}
    />
  ))
}
// #endregion

export function Inbox({ client }: { client: Client }): ReactNode {
  return (
    <HoldpointProvider client={client}>
      <Everything />
    </HoldpointProvider>
  )
}
