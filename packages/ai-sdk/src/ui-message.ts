/**
 * The messages and the stream of AI SDK front ends, as far as we write them. The types are our own, so that the package needs
 * no `ai` at run time. A test checks them against the types and the schemas of `ai`.
 */
import type { Json } from '@holdpoint/core'

export interface UiMessage {
  /** `turn:…` for an answer of the agent: the same id in the stream, in the history and in our own view. */
  readonly id: string
  readonly role: 'user' | 'assistant'
  readonly parts: readonly UiPart[]
}

export type UiPart =
  | { readonly type: 'step-start' }
  | { readonly type: 'text'; readonly text: string; readonly state?: 'streaming' | 'done' }
  | { readonly type: 'reasoning'; readonly text: string; readonly state?: 'streaming' | 'done' }
  | UiFile
  | UiSource
  | { readonly type: 'custom'; readonly kind: `${string}.${string}` }
  | UiToolPart
  | UiDataPart

export interface UiFile {
  readonly type: 'file' | 'reasoning-file'
  readonly mediaType: string
  readonly url: string
  readonly filename?: string
}

export type UiSource =
  | { readonly type: 'source-url'; readonly sourceId: string; readonly url: string; readonly title?: string }
  | {
      readonly type: 'source-document'
      readonly sourceId: string
      readonly mediaType: string
      readonly title: string
      readonly filename?: string
    }

/** What the protocol has no part for. `id`: a later part with it replaces this one. */
export interface UiDataPart {
  readonly type: `data-${string}`
  readonly id?: string
  readonly data: Json
}

export interface UiToolPart {
  readonly type: `tool-${string}`
  readonly toolCallId: string
  readonly state:
    | 'input-streaming'
    | 'input-available'
    | 'approval-requested'
    | 'approval-responded'
    | 'output-available'
    | 'output-error'
    | 'output-denied'
  readonly input?: Json
  /** The input as the model writes it. */
  readonly rawInput?: string
  readonly output?: Json
  readonly errorText?: string
  /** The output is progress of a call that is still running. */
  readonly preliminary?: boolean
  /** The model's vendor runs the call. */
  readonly providerExecuted?: boolean
  readonly approval?: UiApproval
}

export interface UiApproval {
  readonly id: string
  /** Why a person is asked. */
  readonly requestReason?: string
  readonly approved?: boolean
  /** What the person said. */
  readonly reason?: string
}

export function isToolPart(part: { readonly type: string }): part is UiToolPart {
  return part.type.startsWith('tool-')
}

export function isDataPart(part: { readonly type: string }): part is UiDataPart {
  return part.type.startsWith('data-')
}

export function toolNameOf({ type }: Pick<UiToolPart, 'type'>): string {
  return type.slice('tool-'.length)
}

type Finish = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'interrupted' | 'other'

/** One event of the stream. */
export type UiStreamPart =
  | { readonly type: 'start'; readonly messageId: string }
  | { readonly type: 'start-step' | 'finish-step' | 'reset-step' }
  | { readonly type: 'finish'; readonly finishReason: Finish }
  | { readonly type: 'error'; readonly errorText: string }
  | { readonly type: 'text-start' | 'text-end' | 'reasoning-start' | 'reasoning-end'; readonly id: string }
  | { readonly type: 'text-delta' | 'reasoning-delta'; readonly id: string; readonly delta: string }
  | Omit<UiFile, 'filename'>
  | UiSource
  | { readonly type: 'custom'; readonly kind: `${string}.${string}` }
  | {
      readonly type: 'tool-input-start'
      readonly toolCallId: string
      readonly toolName: string
      readonly providerExecuted?: boolean
    }
  | { readonly type: 'tool-input-delta'; readonly toolCallId: string; readonly inputTextDelta: string }
  | {
      readonly type: 'tool-input-available'
      readonly toolCallId: string
      readonly toolName: string
      readonly input: Json
      readonly providerExecuted?: boolean
    }
  | {
      readonly type: 'tool-approval-request'
      readonly approvalId: string
      readonly toolCallId: string
      readonly reason?: string
    }
  | {
      readonly type: 'tool-approval-response'
      readonly approvalId: string
      readonly approved: boolean
      readonly reason?: string
    }
  | {
      readonly type: 'tool-output-available'
      readonly toolCallId: string
      readonly output: Json
      readonly preliminary?: boolean
      readonly providerExecuted?: boolean
    }
  | {
      readonly type: 'tool-output-error'
      readonly toolCallId: string
      readonly errorText: string
      readonly providerExecuted?: boolean
    }
  | { readonly type: 'tool-output-denied'; readonly toolCallId: string }
  /** `transient`: it is no part of the message. */
  | {
      readonly type: `data-${string}`
      readonly id?: string
      readonly data: Json
      readonly transient?: boolean
    }
