/** What is shown in a space before it is stored there. */
/**
 * What an agent is writing in a space. `id` or `toolCallId` tells one piece of writing from another until it is there as an
 * event; `at` is how much of it came before, so that a piece that comes again, or after one that was lost, does no harm.
 */
export type SpaceFrame =
  | {
      readonly type: 'message.streaming'
      readonly agent: string
      readonly id: string
      readonly at: number
      readonly delta: string
    }
  /** The model begins to write a call that will be shown. Once the call is made, the event of the same name has its input. */
  | {
      readonly type: 'tool.started'
      readonly agent: string
      readonly toolCallId: string
      readonly name: string
      readonly status: 'writing'
    }
  /** The arguments of that call, as text that may not be whole JSON yet. */
  | {
      readonly type: 'tool.streaming'
      readonly agent: string
      readonly toolCallId: string
      readonly name: string
      readonly at: number
      readonly delta: string
    }

export function isSpaceFrame<T extends { readonly type: string }>(frame: T): frame is Extract<T, SpaceFrame> {
  return frame.type === 'message.streaming' || frame.type === 'tool.started' || frame.type === 'tool.streaming'
}
