/**
 * What is shown while it happens: deltas, progress, retries. Never stored, and allowed to be lost; whatever matters
 * comes again as an event. In one stream with events, what has a `seq` is an event, and what has none a frame.
 */
import type { Json } from '../json.ts'
import type { SpaceFrame } from '../log/space-frame.ts'

export type Frame = ConversationFrame | SpaceFrame

export type ConversationFrame =
  /** A model call begins; what an earlier attempt of this step showed is void. */
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
  /** A call's arguments as the model writes them; `id` is the vendor's. */
  | {
      readonly type: 'call-input'
      readonly turnId: string
      readonly step: number
      readonly id: string
      readonly callId: string
      readonly name: string
      readonly delta: string
    }
  /** A call is complete; events tell what happens to it. */
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
