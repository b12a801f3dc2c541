export { TurnStream, type StreamTarget, type TurnStreamOptions } from './turn-stream.ts'
export { uiMessagesOf } from './ui-messages.ts'
export type {
  UiApproval,
  UiChunk,
  UiDataPart,
  UiFile,
  UiMessage,
  UiPart,
  UiSource,
  UiToolPart,
} from './ui-message.ts'
