/** The route before: the history is the page's, and a call that waits for approval exists only there. */
import {
  convertToModelMessages,
  createUIMessageStreamResponse,
  streamText,
  toUIMessageStream,
  type UIMessage,
} from 'ai'
import { model } from './vendor.ts'
import { tools } from './tools.ts'

// #region before
export async function POST(request: Request): Promise<Response> {
  const { messages } = (await request.json()) as { messages: UIMessage[] }
  const result = streamText({
    model,
    tools,
    toolApproval: { sendEmail: 'user-approval' },
    messages: await convertToModelMessages(messages, { tools }),
  })
  return createUIMessageStreamResponse({ stream: toUIMessageStream({ stream: result.stream, tools }) })
}
// #endregion
