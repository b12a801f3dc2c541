/** The events and messages of AG-UI, as far as we write them. A test checks them against the schemas of `@ag-ui/core`. */
import type { Json, JsonObject } from '@holdpoint/core'

export type AgUiMessage =
  | { readonly id: string; readonly role: 'user' | 'reasoning'; readonly content: string }
  | {
      readonly id: string
      readonly role: 'assistant'
      readonly content?: string
      readonly toolCalls?: readonly {
        readonly id: string
        readonly type: 'function'
        readonly function: { readonly name: string; readonly arguments: string }
      }[]
    }
  | { readonly id: string; readonly role: 'tool'; readonly toolCallId: string; readonly content: string }

/** A question that ends a run. The next run answers it. */
export interface AgUiInterrupt {
  readonly id: string
  readonly reason: 'tool_call' | 'input_required'
  readonly message?: string
  readonly toolCallId: string
  readonly responseSchema?: JsonObject
  readonly expiresAt: string
  readonly metadata: JsonObject
}

export type AgUiOutcome =
  | { readonly type: 'interrupt'; readonly interrupts: readonly AgUiInterrupt[] }
  | { readonly type: 'success'; readonly pendingToolCallIds?: readonly string[] }
  | { readonly type: 'cancelled' }

interface Run {
  readonly threadId: string
  readonly runId: string
}

export type AgUiEvent =
  | ({ readonly type: 'RUN_STARTED' } & Run)
  | ({ readonly type: 'RUN_FINISHED'; readonly outcome?: AgUiOutcome } & Run)
  | { readonly type: 'RUN_ERROR'; readonly message: string; readonly code: string }
  | { readonly type: 'MESSAGES_SNAPSHOT'; readonly messages: readonly AgUiMessage[] }
  | { readonly type: 'STATE_SNAPSHOT'; readonly snapshot: JsonObject }
  | { readonly type: 'TEXT_MESSAGE_START'; readonly messageId: string; readonly role: 'assistant' }
  | { readonly type: 'REASONING_MESSAGE_START'; readonly messageId: string; readonly role: 'reasoning' }
  | {
      readonly type: 'TEXT_MESSAGE_CONTENT' | 'REASONING_MESSAGE_CONTENT'
      readonly messageId: string
      readonly delta: string
    }
  | {
      readonly type: 'TEXT_MESSAGE_END' | 'REASONING_MESSAGE_END' | 'REASONING_START' | 'REASONING_END'
      readonly messageId: string
    }
  | {
      readonly type: 'TOOL_CALL_START'
      readonly toolCallId: string
      readonly toolCallName: string
      readonly parentMessageId: string
    }
  | { readonly type: 'TOOL_CALL_ARGS'; readonly toolCallId: string; readonly delta: string }
  | { readonly type: 'TOOL_CALL_END'; readonly toolCallId: string }
  | {
      readonly type: 'TOOL_CALL_RESULT'
      readonly messageId: string
      readonly toolCallId: string
      readonly content: string
      readonly role: 'tool'
    }
  | { readonly type: 'CUSTOM'; readonly name: string; readonly value: Json }
