/** A chat made with assistant-ui and its AI SDK runtime. Nothing here is from Holdpoint. */
import { useChat } from '@ai-sdk/react'
import {
  AssistantRuntimeProvider,
  ComposerPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
  type ToolCallMessagePartProps,
} from '@assistant-ui/react'
import { useAISDKRuntime } from '@assistant-ui/react-ai-sdk'
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from 'ai'
import { useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
import './page.css'

const id = new URLSearchParams(location.search).get('id') ?? 'assistant-ui'

// #region chat
function Chat({ stored }: { readonly stored: UIMessage[] }) {
  const chat = useChat({
    id,
    messages: stored,
    resume: true,
    transport: new DefaultChatTransport({ api: '/api/chat' }),
    sendAutomaticallyWhen: (given) =>
      lastAssistantMessageIsCompleteWithToolCalls(given) || lastAssistantMessageIsCompleteWithApprovalResponses(given),
    onToolCall: ({ toolCall: { toolName, toolCallId } }) => {
      const { timeZone: zone } = Intl.DateTimeFormat().resolvedOptions()
      if (toolName === 'timeZone') void chat.addToolOutput({ tool: toolName, toolCallId, output: { zone } })
    },
  })
  const runtime = useAISDKRuntime(chat)
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <Thread />
      <button onClick={() => void chat.resumeStream()}>Refresh</button>
    </AssistantRuntimeProvider>
  )
}

function ToolCall({ toolName, argsText, status, approval, respondToApproval, result }: ToolCallMessagePartProps) {
  const waits = approval !== undefined && approval.approved === undefined && result === undefined
  return (
    <section aria-label={toolName} data-state={waits ? 'waits' : status.type}>
      <h2>{toolName}</h2>
      <pre>{argsText}</pre>
      {waits && (
        <>
          <button onClick={() => void respondToApproval({ approved: true })}>Approve</button>
          <button onClick={() => void respondToApproval({ approved: false })}>Deny</button>
        </>
      )}
    </section>
  )
}
// #endregion

const Text = ({ text }: { readonly text: string }) => <p>{text}</p>
const parts = { Text, tools: { Fallback: ToolCall } }

function UserMessage() {
  return (
    <MessagePrimitive.Root asChild>
      <article data-role="user">
        <MessagePrimitive.Parts components={parts} />
      </article>
    </MessagePrimitive.Root>
  )
}

function AssistantMessage() {
  return (
    <MessagePrimitive.Root asChild>
      <article data-role="assistant">
        <MessagePrimitive.Parts components={parts} />
      </article>
    </MessagePrimitive.Root>
  )
}

function Thread() {
  return (
    <ThreadPrimitive.Root asChild>
      <main>
        <ThreadPrimitive.Messages components={{ UserMessage, AssistantMessage }} />
        <ComposerPrimitive.Root>
          <ComposerPrimitive.Input aria-label="Message" />
          <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
        </ComposerPrimitive.Root>
      </main>
    </ThreadPrimitive.Root>
  )
}

function Page() {
  const [stored, setStored] = useState<UIMessage[]>()
  useEffect(() => {
    void fetch(`/api/chat/${id}`)
      .then((response) => response.json())
      .then(({ messages }: { messages: UIMessage[] }) => setStored(messages))
  }, [])
  return stored && <Chat stored={stored} />
}

createRoot(document.querySelector('#root') as Element).render(<Page />)
