/** A chat made with CopilotKit, whose runtime is a gateway. Nothing here is from Holdpoint. */
import { CopilotChat, CopilotKit, useFrontendTool, useInterrupt } from '@copilotkit/react-core/v2'
import '@copilotkit/react-core/v2/styles.css'
import { createRoot } from 'react-dom/client'
import { z } from 'zod'
import './page.css'

const threadId = new URLSearchParams(location.search).get('id') ?? 'copilotkit'

// #region chat
function Chat() {
  useInterrupt({
    render: ({ interrupt, resolve }) => (
      <section aria-label="approval">
        <p>{interrupt?.message}</p>
        <button onClick={() => void resolve({ approved: true })}>Approve</button>
        <button onClick={() => void resolve({ approved: false })}>Deny</button>
      </section>
    ),
  })
  useFrontendTool({
    name: 'timeZone',
    description: 'The time zone of the person',
    parameters: z.object({}),
    handler: async () => ({ zone: Intl.DateTimeFormat().resolvedOptions().timeZone }),
  })
  return <CopilotChat threadId={threadId} />
}

createRoot(document.querySelector('#root') as Element).render(
  <CopilotKit runtimeUrl="/api/copilotkit">
    <Chat />
  </CopilotKit>,
)
// #endregion
