export { TurnStream, type StreamTarget, type TurnStreamOptions } from './turn-stream.ts'
export { uiMessagesOf } from './ui-messages.ts'
export type {
  UiApproval,
  UiStreamPart,
  UiDataPart,
  UiFile,
  UiMessage,
  UiPart,
  UiSource,
  UiToolPart,
} from './ui-message.ts'
export { chatRequest, type ChatRequest, type PostedMessage } from './chat-request.ts'
export { chatRunId, MAX_CHAT_RUN_ID_LENGTH, parseChatRunId, type ChatRun } from './chat-run.ts'
export { ChatRuns, type RunDocuments } from './chat-runs.ts'
export { countedStream, resumedRun, resumedStream, type CountedRun, type ResumedRun } from './resumed-stream.ts'
export { takeChatRequest, type ChatPorts, type ChatTaken } from './take-chat-request.ts'
export { type RequestedAnswer } from './requested-answers.ts'
export {
  NO_ANSWER,
  RUN_ID_HEADER,
  START_OVER,
  tailIndex,
  UI_STREAM_HEADERS,
  UiWire,
  type CountedWire,
} from './ui-wire.ts'
export { restartTurn } from './restart-turn.ts'
export { toUIMessageStreamResponse, type UiMessageStreamOptions } from './to-ui-message-stream-response.ts'
export { fromAiSdkTools, type ForeignTool, type FromAiSdkOptions, type ToolApproval } from './from-ai-sdk-tools.ts'
