/**
 * What a call of an MCP tool needs to go on, as it is kept with its hold: all there is to it after a restart. The server's
 * own state is in there as the server gave it.
 */
import { isObject, type Json } from '@holdpoint/core'
import type { ElicitAnswer, ElicitRequest } from './elicitation.ts'

/** A question with what was said to it. */
export interface Answered {
  readonly asked: ElicitRequest
  readonly answer: ElicitAnswer
}

export interface TaskSoFar {
  readonly taskId: string
  /** The questions that were answered: a server may show them for a while yet. */
  readonly answered: readonly string[]
}

export type CallState =
  /** The server wants answers, and then the call again (or an update of its task). One is asked for at a time. */
  | {
      readonly at: 'input'
      readonly key: string
      readonly asked: Readonly<Record<string, ElicitRequest>>
      readonly answers: Readonly<Record<string, ElicitAnswer>>
      readonly requestState?: string
      readonly task?: TaskSoFar
      readonly rounds: number
    }
  /** Everything was answered, and the server was away when it was to be told. `since` is when that was. */
  | {
      readonly at: 'told'
      readonly answers: Readonly<Record<string, ElicitAnswer>>
      readonly requestState?: string
      readonly task?: TaskSoFar
      readonly rounds: number
      readonly since: number
    }
  /** The server wants nothing but the call again. */
  | { readonly at: 'again'; readonly requestState: string; readonly rounds: number }
  /** The server works on it. `since` is when it began, or was last answered. */
  | ({ readonly at: 'task'; readonly since: number; readonly rounds: number } & TaskSoFar)
  /** An older server waits on an open line for the answer. `known` is what it was told before. */
  | {
      readonly at: 'line'
      readonly token: string
      readonly asked: ElicitRequest
      readonly known: readonly Answered[]
      readonly taskId?: string
      readonly since: number
    }
  /** That line was lost, and a person is asked whether to begin anew. */
  | { readonly at: 'doubt'; readonly known: readonly Answered[] }

/** It comes out of our own log, and was put there by this code. */
export function stateOf(kept: Json | undefined): CallState | undefined {
  return isObject(kept) && typeof kept['at'] === 'string' ? (kept as unknown as CallState) : undefined
}

export function kept(state: CallState): Json {
  return state as unknown as Json
}
