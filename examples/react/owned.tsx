/** The same app with the components of `@holdpoint/ui`, which are copied into a project. */
import type { ReactNode } from 'react'
import type { Client } from '@holdpoint/client'
import { HoldpointProvider, useHolds, useSpace } from '@holdpoint/react'
import {
  Composer,
  ComposerField,
  HoldCard,
  MessageList,
  PlainToolCall,
  SpaceMessages,
  ToolComponentsContext,
  useKept,
  type ToolCallProps,
  type ToolComponents,
} from '@holdpoint/ui'

// #region map
/** Draws the call once it is done; until then it looks like any other call. */
function Refund(props: ToolCallProps): ReactNode {
  const { call } = props
  if (call.state !== 'settled' || !call.outcome.ok) return <PlainToolCall {...props} />
  return <p>Refunded: {JSON.stringify(call.outcome.value)}</p>
}

const components: ToolComponents = { by_name: { refund: Refund } } // and `Fallback` for all others
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

// #region space
export function Room({ client }: { client: Client }): ReactNode {
  return (
    <HoldpointProvider client={client}>
      <ToolComponentsContext value={components}>
        <div className="flex h-dvh flex-col">
          <SpaceMessages spaceId="trip" by="ada" />
          <Say />
        </div>
      </ToolComponentsContext>
    </HoldpointProvider>
  )
}

function Say(): ReactNode {
  const post = useSpace('trip', (space) => space.post)
  return (
    <ComposerField
      placeholder="Write a message"
      onSend={(text) => post(text, { from: { kind: 'human', id: 'ada' } })}
    />
  )
}
// #endregion

// #region inbox
function Everything(): ReactNode {
  const { holds, resolve } = useHolds()
  const kept = useKept(holds, (hold) => `${hold.conversationId} ${hold.callId} ${hold.nth}`)
  return kept.map(({ key, item: hold, gone }) => (
    <HoldCard
      key={key}
      hold={hold}
      gone={gone}
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
