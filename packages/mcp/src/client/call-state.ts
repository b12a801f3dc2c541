/**
 * The state that an MCP call needs to continue, stored with its hold. After a restart nothing else is left. It contains
 * the server's own state unchanged.
 */
import { isObject, type Json } from '@holdpoint/core'
import type { ElicitAnswer, ElicitRequest } from './elicitation.ts'

/** A question and its answer. */
export interface Answered {
  readonly asked: ElicitRequest
  readonly answer: ElicitAnswer
}

export interface TaskSoFar {
  readonly taskId: string
  /** The questions that were answered. A server may still list them for a while. */
  readonly answered: readonly string[]
}

export type CallState =
  /** The server asked questions. They are asked one at a time. Then the call is sent again, or its task is updated. */
  | {
      readonly at: 'input'
      readonly key: string
      readonly asked: Readonly<Record<string, ElicitRequest>>
      readonly answers: Readonly<Record<string, ElicitAnswer>>
      readonly requestState?: string
      readonly task?: TaskSoFar
      readonly rounds: number
    }
  /** All questions are answered, and the server was unavailable at `since`, when the answers were complete. */
  | {
      readonly at: 'answered'
      readonly answers: Readonly<Record<string, ElicitAnswer>>
      readonly requestState?: string
      readonly task?: TaskSoFar
      readonly rounds: number
      readonly since: number
    }
  /** The server wants the same call again. */
  | { readonly at: 'resend'; readonly requestState: string; readonly rounds: number }
  /** The server works on a task. `since` is when it started or got its last answers. */
  | ({ readonly at: 'task'; readonly since: number; readonly rounds: number } & TaskSoFar)
  /** A legacy server waits for the answer on an open connection. `known` are the earlier answers. */
  | {
      readonly at: 'open-call'
      readonly token: string
      readonly asked: ElicitRequest
      readonly known: readonly Answered[]
      readonly taskId?: string
      readonly since: number
    }
  /** That connection was lost, and a person is asked whether to start again. */
  | { readonly at: 'lost'; readonly known: readonly Answered[] }

/** Not validated: it comes from our own log. */
export function readCallState(stored: Json | undefined): CallState | undefined {
  return isObject(stored) && typeof stored['at'] === 'string' ? (stored as unknown as CallState) : undefined
}

export function toHoldState(state: CallState): Json {
  return state as unknown as Json
}
