/** The route after: the same tools and the same page. The conversation, and each call that waits, is on disk. */
import { aiSdkModel, agent, holdpoint } from 'holdpoint'
import { fromAiSdkTools, toUIMessageStreamResponse } from '@holdpoint/ai-sdk'
import { userOf } from './login.ts'
import { model } from './vendor.ts'
import { tools } from './tools.ts'

// #region after
const assistant = agent({
  name: 'assistant',
  model: aiSdkModel(model),
  tools: fromAiSdkTools(tools, { toolApproval: { sendEmail: 'user-approval' } }),
})
export const runtime = await holdpoint({ store: process.env['STORE'] ?? 'assistant.db', agents: [assistant] })

export async function POST(request: Request): Promise<Response> {
  return toUIMessageStreamResponse(runtime, request, { by: { id: userOf(request), kind: 'person' } })
}
// The page resumes with GET /api/chat/:id/stream, and loads its history from GET /api/chat/:id.
export { POST as GET }
// #endregion
