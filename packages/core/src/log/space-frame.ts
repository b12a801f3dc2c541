/** The frames of a space. */
/**
 * A piece of a message or a call that an agent is writing in a space. `id` or `toolCallId` identifies the message or call
 * until its event arrives. `at` is the position of the piece, so that a repeated or missing piece does no harm.
 */
export type SpaceFrame =
  | {
      readonly type: 'message.streaming'
      readonly agent: string
      readonly id: string
      readonly at: number
      readonly delta: string
    }
  /** The model begins to write a visible call. Once the call is made, the event with the same name has its input. */
  | {
      readonly type: 'tool.started'
      readonly agent: string
      readonly toolCallId: string
      readonly name: string
      readonly status: 'writing'
    }
  /** A piece of the call's arguments, as incomplete JSON text. */
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
