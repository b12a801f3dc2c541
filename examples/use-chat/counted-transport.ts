/** `WorkflowChatTransport` of the AI SDK: when the connection breaks, it comes back by itself, with the number of chunks it has. */
import { WorkflowChatTransport } from '@ai-sdk/workflow/client'
import type { ChatTransport, UIMessage } from 'ai'

// #region transport
/** Waits while the server is restarted. */
const patientFetch: typeof fetch = async (input, init) => {
  for (;;) {
    try {
      return await fetch(input, init)
    } catch (error) {
      if (init?.method === 'POST' || init?.signal?.aborted) throw error
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
  }
}

export const countedTransport = new WorkflowChatTransport<UIMessage>({
  api: '/api/chat',
  fetch: patientFetch,
  // By itself, the transport sends only the messages, and not as JSON. `resumable` says that it counts chunks.
  prepareSendMessagesRequest: ({ id, messages, trigger, messageId }) => ({
    headers: { 'content-type': 'application/json' },
    body: { id, messages, trigger, messageId, resumable: true },
  }),
}) as ChatTransport<UIMessage>
// #endregion
