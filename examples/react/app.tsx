/** The app of the guide "Add approvals to your app in ten minutes". main.ts runs it without a browser. */
// #region imports
import { useState, type ReactNode } from 'react'
import type { Client, ViewHold, ViewMessage } from '@holdpoint/client'
import { HoldpointProvider, useConversation, useHolds } from '@holdpoint/react'
// #endregion

// #region provider
const tools = {
  'browser.time_zone': { run: () => Intl.DateTimeFormat().resolvedOptions().timeZone },
}

export function App({ client }: { client: Client }): ReactNode {
  return (
    <HoldpointProvider client={client} tools={tools}>
      <Waiting />
      <Chat id="order-17" />
    </HoldpointProvider>
  )
}
// #endregion

// #region chat
function Chat({ id }: { id: string }): ReactNode {
  const { messages, streaming, holds, status, send, cancel } = useConversation(id)
  const [text, setText] = useState('')
  return (
    <section>
      {messages.map((message) => (
        <Message key={message.id} message={message} />
      ))}
      {streaming && <Message message={streaming} />}
      {holds.map((hold) => (
        <Approval key={hold.callId} id={id} hold={hold} />
      ))}
      <form action={async () => void ((await send(text, { agent: 'desk' })).ok && setText(''))}>
        <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
        <button type="submit">Send</button>
        {status !== 'idle' && <button onClick={() => void cancel()}>Stop</button>}
      </form>
    </section>
  )
}
// #endregion

// #region message
function Message({ message }: { message: ViewMessage }): ReactNode {
  if (message.role === 'answer') return <p>{message.name} was answered later.</p>
  if (message.role === 'event') return <p>{message.event.type}</p>
  return (
    <article>
      {message.parts.map((part, index) => {
        if (part.type === 'text') return <p key={index}>{part.text}</p>
        if (part.type === 'call') return <p key={index}>{`${part.call.name}: ${part.call.state}`}</p>
        return null
      })}
    </article>
  )
}
// #endregion

// #region approval
function Approval({ id, hold }: { id: string; hold: ViewHold }): ReactNode {
  const approve = useConversation(id, (state) => state.approve)
  const reject = useConversation(id, (state) => state.reject)
  const [told, setTold] = useState('')
  if (hold.kind !== 'approval') return null
  return (
    <div role="group" aria-label={`Approve ${hold.name}?`}>
      <p>{hold.reason}</p>
      <pre>{JSON.stringify(hold.input, null, 2)}</pre>
      <button onClick={() => void approve(hold).then(({ message }) => setTold(message))}>Approve</button>
      <button onClick={() => void reject(hold, 'Not today').then(({ message }) => setTold(message))}>Reject</button>
      <output>{told}</output>
    </div>
  )
}
// #endregion

// #region inbox
function Waiting(): ReactNode {
  const { holds } = useHolds({ kind: 'approval' })
  return <h1>{holds.length === 0 ? 'Nothing waits' : `${holds.length} waiting`}</h1>
}
// #endregion
