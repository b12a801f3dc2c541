/**
 * What is shown while it happens: deltas, progress, retries. Never stored, and allowed to be lost; whatever matters
 * comes again as an event. Frames are named noun-noun (in a space, what is streaming), events noun.past, so one stream can
 * carry both.
 */
import type { Json } from '../json.ts'

export type Frame = ConversationFrame | SpaceFrame

/**
 * What an agent is writing in a space. `id` tells one piece of writing from another until it is there as an event; `at` is
 * how much of it came before, so that a piece that comes again, or after one that was lost, does no harm.
 */
export type SpaceFrame =
  | {
      readonly type: 'message.streaming'
      readonly agent: string
      readonly id: string
      readonly at: number
      readonly delta: string
    }
  /** The arguments of a call that will be shown, as text that may not be whole JSON yet. */
  | {
      readonly type: 'tool.streaming'
      readonly agent: string
      readonly id: string
      readonly name: string
      readonly at: number
      readonly delta: string
    }

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
  /** A call's arguments as the model writes them; `id` is the vendor's, since the call has none of ours yet. */
  | {
      readonly type: 'call-input'
      readonly turnId: string
      readonly step: number
      readonly id: string
      readonly name: string
      readonly delta: string
    }
  /** A call is complete; what becomes of it follows as events. */
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
