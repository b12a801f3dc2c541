/**
 * The view: what a person sees of a conversation, built from events and frames by one function for the gateway, the
 * client, the console and the tests.
 *
 * - Pure, and it shares: what an event did not change keeps its identity, so a screen redraws one message.
 * - An event counts once. Applied again, it changes nothing and the same object comes back.
 * - Events count in order. One that comes too early is not applied; the view says that it is `behind`, and stays true.
 * - It may begin anywhere in the log; best at a `turn.started`, since a turn that began before is not shown, and its
 *   status not known. What is about a turn or a call from before is passed over.
 * - It never throws: unknown events of newer code, and histories that cannot be, move `seq` and show what they can.
 */
import type { LogEvent } from '../log/log-event.ts'
import { arrivedItem, firedItems } from '../log/message.ts'
import { callsOf } from '../model/reply.ts'
import { isSpaceEvent } from '../log/space-event.ts'
import { erasureOf, type Erasure } from '../turn/erased.ts'
import { endorsersOf } from '../turn/quorum.ts'
import type { Conversation } from '../turn/turn-state.ts'
import type { Frame } from './frame.ts'
import { moveCall, moveHold, newViewCall, viewHold, type CallEvent, type HoldEvent } from './view-call.ts'
import { applyFrame, viewLiveAfter, NOTHING_LIVE } from './view-live.ts'
import type { View, ViewCall, ViewHold, ViewTurn } from './view-shape.ts'

export const emptyView: View = {
  from: 1,
  seq: 0,
  agent: '',
  status: 'idle',
  turns: [],
  queue: [],
  waiting: [],
  live: NOTHING_LIVE,
}

/** All of a log or a page of it, then the frames that came since. */
export function viewOf(events: Iterable<LogEvent>, frames: Iterable<Frame> = [], from: View = emptyView): View {
  let view = from
  for (const event of events) view = applyEvent(view, event)
  for (const frame of frames) view = applyFrame(view, frame)
  return view
}

export function applyEvent(view: View, event: LogEvent): View {
  const { seq } = event
  const { behind = 0, ...known } = view
  if (seq <= view.seq) return view
  // No event from before it exists any more, so it follows any other.
  if (event.type === 'conversation.erased') return tombstone(seq, event.agent, erasureOf(event))
  const fresh = view.seq === 0
  if (!fresh && seq > view.seq + 1) return seq > behind ? { ...view, behind: seq } : view
  const changed: View = {
    ...known,
    ...(behind > seq && { behind }),
    ...(fresh && { from: seq }),
    seq,
    // Nothing for a kind of event that this code is too old to know.
    ...changes(view, event),
  }
  const live = changed.turns.at(-1)?.ended ? NOTHING_LIVE : (viewLiveAfter(view.live, event) ?? view.live)
  return { ...changed, status: statusOf(changed), live }
}

/**
 * Adds what a page cannot know, from the state of the conversation at its end: what was open or waiting before it began.
 * An empty view becomes the page that begins after this state. A state that is ahead is a gap like any other.
 */
export function withEarlier(view: View, state: Conversation): View {
  const { seq, agent, erased } = state
  if (erased && seq >= view.seq) return tombstone(seq, agent, erased)
  const queue = state.queue.map(({ item }) => item)
  if (view.seq !== 0 && seq !== view.seq) return seq > (view.behind ?? view.seq) ? { ...view, behind: seq } : view
  const waiting = Array.from(state.waiting.values()).flatMap((call): readonly ViewHold[] => {
    const shown = view.waiting.find((hold) => hold.callId === call.callId)
    if (shown) return [shown]
    if (!('hold' in call) || !call.hold) return []
    const { endorsed: endorsements } = call
    const facts = { ...call, endorsements, endorsedBy: endorsersOf(call.hold, endorsements) }
    return [viewHold(facts, call.holds, call.hold)]
  })
  const from = view.seq === 0 ? seq + 1 : view.from
  const whole = { ...view, from, seq, agent, queue, waiting }
  return { ...whole, status: statusOf(whole) }
}

function tombstone(seq: number, agent: string, erased: Erasure): View {
  return { ...emptyView, seq, agent, erased }
}

type Changes = Partial<Pick<View, 'agent' | 'turns' | 'queue' | 'waiting'>>

function changes(view: View, event: LogEvent): Changes {
  const { turns, queue } = view
  if (isSpaceEvent(event)) return {}
  switch (event.type) {
    case 'conversation.opened':
      return { agent: event.agent }
    case 'conversation.forked':
    case 'participants.changed':
    case 'conversation.restored':
    case 'conversation.erased':
      return {}
    case 'turn.started': {
      const { turnId, agent, items, output, at, queued = 0 } = event
      // An array of the turn's own, which `messagesOf` remembers its messages by.
      const turn: ViewTurn = { turnId, agent, startedAt: at, items: [...items], steps: [], ...(output && { output }) }
      return { agent, turns: [...turns, turn], queue: queued > 0 ? queue.slice(queued) : queue }
    }
    case 'message.queued':
      return { queue: [...queue, event.item] }
    case 'model.replied':
      return changeTurn(view, event.turnId, (turn) => replied(turn, event))
    case 'turn.ended': {
      const { turnId, reason, message, at } = event
      // Nothing was done, so nothing is shown.
      if (reason === 'skipped' && turns.at(-1)?.turnId === turnId) return { turns: turns.slice(0, -1) }
      return changeTurn(view, turnId, (turn) => ({ ...turn, ended: ending(reason, message, at) }))
    }
    case 'call.rewritten':
    case 'call.held':
    case 'call.resumed':
    case 'call.endorsed':
    case 'call.approved':
    case 'call.judged':
    case 'call.cleared':
    case 'call.started':
    case 'call.settled':
      return changeCall(view, event)
    case 'hold.reminded':
    case 'hold.escalated':
    case 'hold.assigned':
    case 'hold.commented':
      return changeHold(view, event)
    case 'answer.arrived': {
      const { callId } = event
      const waiting = view.waiting.filter((hold) => hold.callId !== callId)
      return { ...changeCall(view, event), queue: [...queue, arrivedItem(event)], waiting }
    }
    case 'plan.fired':
      return { queue: [...queue, ...firedItems(event)] }
    case 'message.changed':
    case 'state.changed':
    case 'plan.set':
    case 'plan.removed':
    case 'notices.delivered':
      return {}
  }
}

/** Only the newest turn can be going on. */
function changeTurn({ turns }: View, turnId: string, change: (turn: ViewTurn) => ViewTurn): Changes {
  const turn = turns.at(-1)
  return turn?.turnId === turnId && !turn.ended ? { turns: turns.with(-1, change(turn)) } : {}
}

function replied(turn: ViewTurn, event: Extract<LogEvent, { readonly type: 'model.replied' }>): ViewTurn {
  const { step, reply, ends, message, at, again: sentBack, withheld, display } = event
  const calls = callsOf(reply).map((part) => newViewCall(part, display))
  const fate = { ...(sentBack && { sentBack }), ...(withheld && { withheld }) }
  const steps = [...turn.steps, { step, reply, repliedAt: at, calls, ...fate, ...(display && { display }) }]
  // The first reply without calls ends the tool loop; a structured result is then asked for in one more step.
  const inLoop = turn.steps.every((each) => each.calls.length > 0 || (each.reply && each.sentBack))
  const goesOn = turn.output?.finalize === true && !ends && inLoop
  if (calls.length > 0 || sentBack || goesOn) return { ...turn, steps }
  return { ...turn, steps, ended: ending(ends ?? 'completed', message, at) }
}

type Ended = NonNullable<ViewTurn['ended']>

function ending(reason: Ended['reason'], message: string | undefined, at: number): Ended {
  return { reason, ...(message !== undefined && { message }), at }
}

/** Looked for from the end: nearly always it is a call of the newest step. */
function changeCall({ turns, waiting }: View, event: CallEvent): Changes {
  for (let t = turns.length - 1; t >= 0; t--) {
    const turn = turns[t]
    for (let s = (turn?.steps.length ?? 0) - 1; s >= 0; s--) {
      const step = turn?.steps[s]
      const c = step?.calls.findIndex(({ callId }) => callId === event.callId) ?? -1
      const call: ViewCall | undefined = step?.calls[c]
      if (!turn || !step?.reply || !call) continue
      const moved = moveCall(call, event)
      if (moved === call) return {}
      const steps = turn.steps.with(s, { ...step, calls: step.calls.with(c, moved) })
      const stillOpen = moved.state === 'settled' ? moved.hold : undefined
      return { turns: turns.with(t, { ...turn, steps }), ...(stillOpen && { waiting: [...waiting, stillOpen] }) }
    }
  }
  return {}
}

/** A hold of an async call is shown twice: with its call, and among those that wait. */
function changeHold(view: View, event: HoldEvent): Changes {
  const { waiting } = view
  const { turns = view.turns } = changeCall(view, event)
  if (!waiting.some(({ callId }) => callId === event.callId)) return { turns }
  return { turns, waiting: waiting.map((hold) => (hold.callId === event.callId ? moveHold(hold, event) : hold)) }
}

/** The same word as in the store: `running` when there is work that needs no answer from outside. */
function statusOf({ turns, queue }: Pick<View, 'turns' | 'queue'>): View['status'] {
  const turn = turns.at(-1)
  if (!turn || turn.ended) return queue.length > 0 ? 'running' : 'idle'
  const open = turn.steps.at(-1)?.calls.filter((call) => call.state !== 'settled') ?? []
  return open.length > 0 && open.every((call) => call.state === 'held') ? 'held' : 'running'
}
