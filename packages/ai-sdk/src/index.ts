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
export { resumedStream, takeChatRequest, type ChatPorts, type ChatTaken } from './take-chat-request.ts'
export { type RequestedAnswer } from './requested-answers.ts'
export { UI_STREAM_HEADERS, UiWire } from './ui-wire.ts'
export { restartTurn } from './restart-turn.ts'
export { toUIMessageStreamResponse, type UiMessageStreamOptions } from './to-ui-message-stream-response.ts'
export { fromAiSdkTools, type ForeignTool, type FromAiSdkOptions, type ToolApproval } from './from-ai-sdk-tools.ts'
