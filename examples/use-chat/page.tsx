/** A chat with `useChat` as the AI SDK ships it. Nothing here is from Holdpoint. */
import { useChat } from '@ai-sdk/react'
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from 'ai'
import { useEffect, useState, type ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { countedTransport } from './counted-transport.ts'

const asked = new URLSearchParams(location.search)
const id = asked.get('id') ?? 'first'
const transport = asked.has('counted') ? countedTransport : new DefaultChatTransport({ api: '/api/chat' })

// #region page
export function Chat({ stored }: { readonly stored: UIMessage[] }): ReactNode {
  const [text, setText] = useState('')
  const chat = useChat({
    id,
    messages: stored, // what the server has, also after a reload
    resume: true, // continue an answer that is being written
    transport, // new DefaultChatTransport({ api: '/api/chat' })
    sendAutomaticallyWhen: (given) =>
      lastAssistantMessageIsCompleteWithToolCalls(given) || lastAssistantMessageIsCompleteWithApprovalResponses(given),
    onToolCall: ({ toolCall: { toolName, toolCallId } }) => {
      const { timeZone: zone } = Intl.DateTimeFormat().resolvedOptions()
      if (toolName === 'timeZone') void chat.addToolOutput({ tool: toolName, toolCallId, output: { zone } })
    },
  })
  const { messages, status, error, sendMessage, stop, resumeStream } = chat
  return (
    <main data-status={status}>
      {messages.map((message) => (
        <article key={message.id} data-role={message.role}>
          {message.parts.map((part, index) => (
            <Part
              key={index}
              part={part}
              answer={(given, approved) => void chat.addToolApprovalResponse({ id: given, approved })}
            />
          ))}
        </article>
      ))}
      {error && <p role="alert">{error.message}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void sendMessage({ text })
          setText('')
        }}
      >
        <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
        <button>Send</button>
      </form>
      <button onClick={() => void resumeStream()}>Refresh</button>
      <button onClick={() => void stop().then(() => fetch(`/api/chat/${id}/stop`, { method: 'POST' }))}>Stop</button>
    </main>
  )
}
// #endregion

type AnyPart = UIMessage['parts'][number]

function Part({
  part,
  answer,
}: {
  readonly part: AnyPart
  readonly answer: (id: string, approved: boolean) => void
}): ReactNode {
  if (part.type === 'text') return <p>{part.text}</p>
  if (part.type === 'data-verdict') return <p role="status">{(part.data as { message: string }).message}</p>
  if (part.type === 'data-ended') return <p role="note">{(part.data as { reason: string }).reason}</p>
  if (!('toolCallId' in part)) return null
  const { state, approval, type, input } = part
  return (
    <section aria-label={type} data-state={state}>
      <h2>
        {type.slice('tool-'.length)} <small>{state}</small>
      </h2>
      <pre>{JSON.stringify(input)}</pre>
      {state === 'approval-requested' && approval && (
        <>
          <p>{approval.requestReason}</p>
          <button onClick={() => answer(approval.id, true)}>Approve</button>
          <button onClick={() => answer(approval.id, false)}>Deny</button>
        </>
      )}
    </section>
  )
}

function Page(): ReactNode {
  const [stored, setStored] = useState<UIMessage[]>()
  useEffect(() => {
    void fetch(`/api/chat/${id}`)
      .then((response) => response.json())
      .then(({ messages }: { messages: UIMessage[] }) => setStored(messages))
  }, [])
  return stored && <Chat stored={stored} />
}

createRoot(document.querySelector('#root') as Element).render(<Page />)
