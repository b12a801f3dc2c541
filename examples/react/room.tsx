/** A space whose calls are drawn by components with the names of their tools, and by a fallback for every other tool. */
import type { ReactNode } from 'react'
import type { Client } from '@holdpoint/client'
import { HoldpointProvider, useSpace } from '@holdpoint/react'
import { SpaceMessage, ToolComponentsContext, type ToolCallProps, type ToolComponents } from '@holdpoint/ui'

function Confirm({ call, onResolve }: ToolCallProps): ReactNode {
  if (call.state !== 'held') return <p>The booking is confirmed.</p>
  const confirm = () => void onResolve?.(call, { kind: 'answer', value: { confirmed: true } })
  return <button onClick={confirm}>Confirm the booking</button>
}

function Chart({ call }: ToolCallProps): ReactNode {
  return <figure>A chart of {JSON.stringify(call.input)}</figure>
}

function AnyCall({ call }: ToolCallProps): ReactNode {
  return <p>{`${call.name} is ${call.state}`}</p>
}

const tools: ToolComponents = {
  by_name: { confirmBooking: Confirm, showChart: Chart },
  Fallback: AnyCall,
}

function Messages(): ReactNode {
  const { view } = useSpace('trip')
  return view.messages.map((message) => <SpaceMessage key={message.seq} message={message} spaceId="trip" by="ada" />)
}

export function Room({ client }: { client: Client }): ReactNode {
  return (
    <HoldpointProvider client={client}>
      <ToolComponentsContext value={tools}>
        <Messages />
      </ToolComponentsContext>
    </HoldpointProvider>
  )
}
