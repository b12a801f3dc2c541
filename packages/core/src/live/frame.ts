/**
 * Frames: pieces of text, progress and retries, shown while they happen. They are never stored and may be lost: an event
 * repeats whatever matters. In a stream of both, an item with a `seq` is an event, and any other a frame.
 */
import type { Json } from '../json.ts'
import type { SpaceFrame } from '../log/space-frame.ts'

export type Frame = ConversationFrame | SpaceFrame

export type ConversationFrame =
  /** A model call begins. Frames of an earlier attempt of this step are void. */
  | { readonly type: 'reply-start'; readonly turnId: string; readonly step: number; readonly attempt: number }
  | {
      readonly type: 'reply-text'
      readonly turnId: string
      readonly step: number
      readonly id: string
      readonly delta: string
    }
  | {
      readonly type: 'reply-reasoning'
      readonly turnId: string
      readonly step: number
      readonly id: string
      readonly delta: string
    }
  /** A piece of a call's arguments, as the model writes them. `id` is the vendor's. */
  | {
      readonly type: 'call-input'
      readonly turnId: string
      readonly step: number
      readonly id: string
      readonly callId: string
      readonly name: string
      readonly delta: string
    }
  /** A call is complete. Events follow that say what happens to it. */
  | {
      readonly type: 'reply-call'
      readonly turnId: string
      readonly step: number
      readonly id: string
      readonly callId: string
      readonly name: string
      readonly input: Json
    }
  | {
      readonly type: 'model-retry'
      readonly turnId: string
      readonly step: number
      readonly attempt: number
      readonly delayMs: number
      readonly message: string
    }
  | { readonly type: 'call-progress'; readonly callId: string; readonly value: Json }
