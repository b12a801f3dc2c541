/**
 * Frames: what is shown of a reply while it is being written, and of calls while they run. They touch `live` alone, so a
 * piece of text costs the same in a conversation of any length. A frame that is late, early or about nothing known is
 * passed over; an event always has the last word.
 */
import type { LogEvent } from '../log/log-event.ts'
import { isSpaceEvent } from '../log/space-event.ts'
import { isSpaceFrame } from '../log/space-frame.ts'
import type { ConversationFrame, Frame } from './frame.ts'
import type { StreamingPart, View, ViewLive, ViewStreaming } from './view-shape.ts'

type ProgressFrame = Extract<Frame, { readonly type: 'call-progress' }>
type ReplyFrame = Exclude<ConversationFrame, ProgressFrame>
type CallInput = Extract<StreamingPart, { readonly type: 'call-input' }>

export const NOTHING_LIVE: ViewLive = { progress: [] }

/** The view itself when the frame says nothing that can be shown. */
export function applyFrame(view: View, frame: Frame): View {
  if (isSpaceFrame(frame) || view.erased) return view
  const live = frame.type === 'call-progress' ? withProgress(view, frame) : withReply(view, frame)
  return live === view.live ? view : { ...view, live }
}

/** What is left to show after an event: the reply is there, the call has its outcome or begins again. */
export function viewLiveAfter(live: ViewLive, event: LogEvent): ViewLive {
  if (isSpaceEvent(event)) return live
  switch (event.type) {
    case 'model.replied': {
      const { reply, progress } = live
      return reply && reply.turnId === event.turnId && reply.step <= event.step ? orNothing({ progress }) : live
    }
    case 'call.started':
      // The word of an earlier attempt. The first one's may well be faster than the event that it was started.
      return event.attempt > 1 ? withoutProgress(live, event.callId) : live
    case 'call.settled':
      return withoutProgress(live, event.callId)
    case 'turn.started':
    case 'turn.ended':
    case 'conversation.erased':
    case 'conversation.restored':
      return NOTHING_LIVE
    case 'conversation.opened':
    case 'conversation.forked':
    case 'participants.changed':
    case 'message.queued':
    case 'message.changed':
    case 'call.rewritten':
    case 'call.held':
    case 'call.resumed':
    case 'call.endorsed':
    case 'hold.reminded':
    case 'hold.escalated':
    case 'hold.assigned':
    case 'hold.commented':
    case 'call.approved':
    case 'call.judged':
    case 'call.cleared':
    case 'answer.arrived':
    case 'state.changed':
    case 'plan.set':
    case 'plan.removed':
    case 'plan.fired':
    case 'notices.delivered':
      return live
  }
}

function orNothing(live: ViewLive): ViewLive {
  return live.reply || live.progress.length > 0 ? live : NOTHING_LIVE
}

function withProgress({ turns, live }: View, { callId, value }: ProgressFrame): ViewLive {
  const call = turns
    .at(-1)
    ?.steps.at(-1)
    ?.calls.find((each) => each.callId === callId)
  if (!call || call.state === 'settled') return live
  return { ...live, progress: [...live.progress.filter((each) => each.callId !== callId), { callId, value }] }
}

function withoutProgress(live: ViewLive, callId: string): ViewLive {
  const progress = live.progress.filter((each) => each.callId !== callId)
  return progress.length === live.progress.length ? live : orNothing({ ...live, progress })
}

function withReply({ turns, live }: View, frame: ReplyFrame): ViewLive {
  const turn = turns.at(-1)
  const { turnId, step } = frame
  if (!turn || turn.ended || turn.turnId !== turnId) return live
  const shown = live.reply
  // A frame may overtake the events of the step before it, but never the reply of its own step.
  if (step <= (turn.steps.at(-1)?.step ?? 0) || step < (shown?.step ?? 0)) return live
  const before: ViewStreaming = shown?.step === step ? shown : { parts: [] }
  const streaming: ViewStreaming | undefined = heard(before, frame)
  return streaming ? { ...live, reply: { ...streaming, turnId, step } } : live
}

/** Nothing for a kind of frame that this code is too old to know. */
function heard({ attempt, parts }: ViewStreaming, frame: ReplyFrame): ViewStreaming {
  const tried = attempt === undefined ? {} : { attempt }
  switch (frame.type) {
    // Whatever number it has: after a crash another process begins at 1 again.
    case 'reply-start':
      return { attempt: frame.attempt, parts: [] }
    case 'model-retry': {
      const { attempt: failed, delayMs, message } = frame
      return { ...tried, parts: [], retry: { attempt: failed, delayMs, message } }
    }
    case 'reply-text':
      return { ...tried, parts: withText(parts, 'text', frame) }
    case 'reply-reasoning':
      return { ...tried, parts: withText(parts, 'reasoning', frame) }
    case 'call-input':
      return { ...tried, parts: withCallInput(parts, frame) }
    case 'reply-call':
      return { ...tried, parts: withCall(parts, frame) }
  }
}

function withText(
  parts: readonly StreamingPart[],
  type: 'text' | 'reasoning',
  { id, delta }: { readonly id: string; readonly delta: string },
): readonly StreamingPart[] {
  if (delta === '') return parts
  // From the end: nearly always it is the block that the piece before belonged to.
  const at = parts.findLastIndex((part) => part.type === type && part.id === id)
  const text = (parts[at]?.text ?? '') + delta
  const part: StreamingPart = { type, streaming: true, id, text }
  return at < 0 ? [...parts, part] : parts.with(at, part)
}

function withCallInput(
  parts: readonly StreamingPart[],
  { id, name, delta }: Extract<Frame, { readonly type: 'call-input' }>,
): readonly StreamingPart[] {
  const at = unfinished(parts, id)
  const part = parts[at] as CallInput | undefined
  // Only the first piece has the name.
  const grown: CallInput = {
    type: 'call-input',
    streaming: true,
    id,
    name: part?.name || name,
    text: (part?.text ?? '') + delta,
  }
  return part ? parts.with(at, grown) : [...parts, grown]
}

/** A whole call takes its place at the end, where the reply will have it: calls stand in the order they were finished. */
function withCall(
  parts: readonly StreamingPart[],
  { id, callId, name, input }: Extract<Frame, { readonly type: 'reply-call' }>,
): readonly StreamingPart[] {
  const at = unfinished(parts, id)
  const text = parts[at]?.text ?? ''
  return [
    ...parts.filter((_, index) => index !== at),
    { type: 'call-input', streaming: true, id, name, text, callId, input },
  ]
}

/** Vendors may use an id again once its call is whole. */
function unfinished(parts: readonly StreamingPart[], id: string): number {
  return parts.findLastIndex((part) => part.type === 'call-input' && part.id === id && part.callId === undefined)
}
