/** The calls of one tool in a turn, with the types of that tool. */
import { isObject, type Json } from '@holdpoint/core/internal/json'
import type { CallOutcome, FailedOutcome } from '@holdpoint/core/internal/tool/outcome'
import type { Tool } from '@holdpoint/core/internal/tool/tool'

export interface CallTo<Output> {
  readonly callId: string
  /** The input that the model wrote. */
  readonly input: Json
  /** Undefined while the call is open, or while the answer to an async call is pending. */
  readonly outcome: { readonly ok: true; readonly value: Stored<Output> } | FailedOutcome | undefined
}

/** A turn: the result of `chat` or `send`, or a turn of a view. */
interface TurnWithCalls {
  readonly steps: readonly {
    readonly calls: readonly {
      readonly callId: string
      readonly name: string
      readonly input: Json
      readonly outcome?: CallOutcome | undefined
    }[]
  }[]
}

/**
 * The types are those of the current declaration; nothing is checked again. An outcome that did not come from `run` (but
 * from a person, a client or `onExpire`) has these types only if the tool has an `output` schema.
 */
export function callsTo<Input, Output>(tool: Tool<Input, Output>, { steps }: TurnWithCalls): readonly CallTo<Output>[] {
  return steps.flatMap(({ calls }) =>
    calls
      .filter(({ name }) => name === tool.name)
      .map(({ callId, input, outcome }) => ({
        callId,
        input,
        outcome: isPending(tool, callId, outcome) ? undefined : (outcome as CallTo<Output>['outcome']),
      })),
  )
}

/** The model reads this in place of the answer to an async call. */
function isPending({ async }: Tool, callId: string, outcome: CallOutcome | undefined): boolean {
  return async && !!outcome?.ok && isObject(outcome.value) && outcome.value['pendingToolCallId'] === callId
}

/** The type of a value after it was stored as JSON and read again. */
export type Stored<T> = 0 extends 1 & T
  ? Json
  : unknown extends T
    ? Json
    : T extends string | number | boolean | null
      ? T
      : T extends undefined | void
        ? null
        : T extends { toJSON(...args: never): infer As }
          ? Stored<As>
          : T extends readonly unknown[]
            ? { readonly [K in keyof T]: Stored<T[K]> }
            : T extends object
              ? { readonly [K in keyof T as T[K] extends (...args: never) => unknown ? never : K]: StoredField<T[K]> }
              : Json

/** JSON omits fields that are undefined. */
type StoredField<T> = undefined extends T ? Stored<Exclude<T, undefined>> | undefined : Stored<T>
