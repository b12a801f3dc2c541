/** The calls of one tool in a turn, with the types of that tool. */
import { isObject, type Json } from '../json.ts'
import type { CallOutcome, FailedOutcome } from '../tool/outcome.ts'
import type { Tool } from '../tool/tool.ts'

export interface CallTo<Output> {
  readonly callId: string
  /** What the model asked for. */
  readonly input: Json
  /** Undefined while it is open, and while the answer to an async call is on its way. */
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
 * The types are those of the tool as it is now, and nothing is checked again. An answer that did not come from `run` (of a
 * person, a client, `onExpire`) has these types only if the tool has an `output` schema.
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

/** A value once it was stored and read again. */
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

/** JSON leaves a field out that is undefined. */
type StoredField<T> = undefined extends T ? Stored<Exclude<T, undefined>> | undefined : Stored<T>
