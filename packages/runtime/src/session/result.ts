/** The result of a turn, computed from its events: the same events that are streamed. */
import type { Json } from '@holdpoint/core/internal/json'
import { parseJson } from '@holdpoint/core/internal/json'
import type { EndReason, LogEvent } from '@holdpoint/core/internal/log/log-event'
import { callsOf, textOf, type Reply, type Usage } from '@holdpoint/core/internal/model/reply'
import type { CallOutcome } from '@holdpoint/core/internal/tool/outcome'
import type { Refusal } from '@holdpoint/core/internal/turn/decision'
import { openHold } from '@holdpoint/core/internal/turn/call'
import type { Hold, HoldComment } from '@holdpoint/core/internal/turn/hold'
import { endorsersOf } from '@holdpoint/core/internal/turn/quorum'
import type { Verdict } from '@holdpoint/core/internal/turn/verdict'
import { evolve } from '@holdpoint/core/internal/turn/turn'
import { emptyConversation, type Call, type Conversation } from '@holdpoint/core/internal/turn/turn-state'

export interface HeldCall extends Hold {
  readonly callId: string
  readonly name: string
  /** The input that the model wrote. `input` is the one that will run. */
  readonly proposed: Json
  /** Who of several approvers agreed so far, to exactly this input. */
  readonly endorsedBy: readonly string[]
  /** The person whom the hold is assigned to. */
  readonly assignee?: string
  readonly comments?: readonly HoldComment[]
  /** The number of this hold among the holds of its call, from 1. Pass it with an answer to a call that was held again. */
  readonly nth: number
  /** Its tool reports progress. */
  readonly streaming?: true
}

export interface StepResult {
  readonly step: number
  readonly reply: Reply
  readonly text: string
  /** A hook refused the reply. */
  readonly refused?: boolean
  readonly calls: readonly {
    readonly callId: string
    readonly name: string
    readonly input: Json
    readonly outcome: CallOutcome | undefined
  }[]
}

/** Why the loop stopped: the turn ended, or a hold is open. */
export type StopReason =
  | EndReason
  | Refusal
  | Verdict
  | 'held'
  | 'tool_calls'
  | 'manual_tool_calls'
  | 'ask_user'
  | 'step'

/** The tool loop, which comes before the second pass of `structuredFinalize`. */
export interface FirstPass {
  /** `completed`: the second pass began. Any other reason ended the turn. */
  readonly halted: EndReason
  readonly text: string
  /** Its last reply, if there was one. */
  readonly reply: Reply | undefined
}

export interface TurnResult {
  /** `held`: a hold is open. `paused`: after one step. `stopped` and `failed`: see `reason`. */
  readonly status: 'done' | 'held' | 'paused' | 'stopped' | 'failed' | 'refused'
  readonly reason: StopReason
  readonly message: string | undefined
  readonly text: string
  /** The structured output as the schema returns it, if the turn has one and the reply matches it. */
  readonly output: unknown
  readonly holds: readonly HeldCall[]
  readonly steps: readonly StepResult[]
  readonly usage: Usage
  readonly metadata: {
    readonly structuredFinalize?: { readonly pass1: FirstPass }
  }
}

/** The result of this turn, or of the newest one. */
export function resultOf(
  events: readonly LogEvent[],
  state: Conversation,
  mode: 'auto' | 'manual',
  turnId?: string,
): TurnResult {
  const start =
    turnId === undefined
      ? -1
      : events.findLastIndex((event) => event.type === 'turn.started' && event.turnId === turnId)
  const after = start < 0 ? -1 : events.findIndex(({ type }, index) => index > start && type === 'turn.started')
  if (after < 0) return resultOfLast(events, state, mode)
  const own = events.slice(start, after)
  return resultOfLast(own, foldTurn(own), mode)
}

/** Folds the events of one turn alone. The items that the turn took from the queue are put there first. */
function foldTurn(events: readonly LogEvent[]): Conversation {
  const [first] = events
  if (first?.type !== 'turn.started') return emptyConversation
  const before: Conversation = {
    ...emptyConversation,
    seq: first.seq - 1,
    queue: first.items.map((item) => ({ seq: 0, item })),
  }
  return events.reduce((state, event) => (isAside(event) ? { ...state, seq: event.seq } : evolve(state, event)), before)
}

/** Events that are not about a turn, and may refer to earlier ones. */
function isAside({ type }: LogEvent): boolean {
  return type === 'plan.set' || type === 'plan.removed' || type === 'plan.fired' || type === 'notices.delivered'
}

function resultOfLast(events: readonly LogEvent[], state: Conversation, mode: 'auto' | 'manual'): TurnResult {
  const turn = eventsOfLastTurn(events)
  const steps = stepsOf(turn)
  const holds = openHolds(state)
  const { status, reason, message } = stopOf(state, holds, mode)
  const stood = steps.filter(({ refused }) => !refused)
  const last = stood.at(-1)
  const plan = turn[0]?.type === 'turn.started' ? turn[0].output : undefined
  const parsed = plan && status === 'done' && last ? parseJson(last.text) : undefined
  const pass1 = plan?.finalize ? firstPass(turn, stood, state) : undefined
  return {
    status,
    reason,
    message,
    text: last?.text ?? '',
    output: parsed?.ok ? parsed.value : undefined,
    holds,
    steps,
    usage: steps.reduce((sum, { reply }) => addUsage(sum, reply.usage), { inputTokens: 0, outputTokens: 0 }),
    metadata: pass1 ? { structuredFinalize: { pass1 } } : {},
  }
}

/** Undefined until the tool loop is over. */
function firstPass(
  turn: readonly LogEvent[],
  stood: readonly StepResult[],
  { turn: now }: Conversation,
): FirstPass | undefined {
  const said = turn.find((event) => event.type === 'model.replied' && endsLoop(event))
  const halted = said ? 'completed' : now.phase === 'rest' ? now.last?.reason : undefined
  if (halted === undefined) return undefined
  const last = said?.type === 'model.replied' ? stood.find(({ step }) => step === said.step) : stood.at(-1)
  return { halted, text: last?.text ?? '', reply: last?.reply }
}

/** An accepted reply without calls: the second pass comes next. */
function endsLoop({ reply, again, ends }: Extract<LogEvent, { readonly type: 'model.replied' }>): boolean {
  return callsOf(reply).length === 0 && !again && !ends
}

export function openHolds(state: Conversation): HeldCall[] {
  return heldCalls(state).map(({ call, hold }) => heldCall(call, hold))
}

/** The calls that have an open hold. */
export function heldCalls(state: Conversation): { readonly call: Call; readonly hold: Hold }[] {
  if (state.turn.phase !== 'calls' && state.waiting.size === 0) return []
  const inTurn = state.turn.phase === 'calls' ? state.turn.calls : []
  return [...new Set([...state.waiting.values(), ...inTurn])].flatMap((call) => {
    const hold = openHold(call)
    return hold ? [{ call, hold }] : []
  })
}

export function heldCall(call: Call, hold: Hold): HeldCall {
  const { callId, name, proposed, endorsed, holds, streaming, assignee, comments } = call
  const facts = { callId, name, proposed, endorsedBy: endorsersOf(hold, endorsed), nth: holds, ...hold }
  return {
    ...facts,
    ...(streaming && { streaming }),
    ...(assignee !== undefined && { assignee }),
    ...(comments && { comments }),
  }
}

function stopOf(
  state: Conversation,
  holds: readonly HeldCall[],
  mode: 'auto' | 'manual',
): Pick<TurnResult, 'status' | 'reason' | 'message'> {
  const { turn } = state
  if (turn.phase === 'model') return { status: 'paused', reason: 'step', message: undefined }
  if (turn.phase === 'calls') {
    const blocking = holds.filter((hold) => !hold.async)
    return {
      status: 'held',
      reason: heldReason(blocking, mode),
      message: `${blocking.length} call(s) wait for an answer.`,
    }
  }
  const { reason = 'completed', message } = turn.last ?? {}
  return { status: STATUS[reason], reason, message }
}

/** Callers expect these reasons for calls that are handed over to them, for questions, and for other holds. */
function heldReason(holds: readonly HeldCall[], mode: 'auto' | 'manual'): StopReason {
  if (holds.some(({ cause }) => cause === 'manual')) return mode === 'manual' ? 'tool_calls' : 'manual_tool_calls'
  return holds.some(({ cause }) => cause === 'asked') ? 'ask_user' : 'held'
}

const STATUS: Readonly<Record<EndReason, TurnResult['status']>> = {
  completed: 'done',
  halted: 'stopped',
  tool_error: 'stopped',
  max_steps: 'stopped',
  budget: 'stopped',
  stop_condition: 'stopped',
  cancelled: 'stopped',
  superseded: 'stopped',
  expired: 'stopped',
  model_failed: 'failed',
  interrupted: 'failed',
  output_invalid: 'failed',
  context_full: 'failed',
  hook_failed: 'failed',
  skipped: 'done',
}

function eventsOfLastTurn(events: readonly LogEvent[]): readonly LogEvent[] {
  const start = events.findLastIndex((event) => event.type === 'turn.started')
  return start < 0 ? [] : events.slice(start)
}

function stepsOf(events: readonly LogEvent[]): StepResult[] {
  const outcomes = new Map<string, CallOutcome>()
  for (const event of events) if (event.type === 'call.settled') outcomes.set(event.callId, event.outcome)
  const steps: StepResult[] = []
  for (const event of events) {
    if (event.type !== 'model.replied') continue
    const { step, reply } = event
    const refused = event.again !== undefined || event.withheld === true
    const calls = callsOf(reply).map(({ callId, name, input }) => ({
      callId,
      name,
      input,
      outcome: outcomes.get(callId),
    }))
    const result = { step, reply, text: textOf(reply), calls }
    steps.push(refused ? { ...result, refused } : result)
  }
  return steps
}

function addUsage(a: Usage, b: Usage): Usage {
  const sum: { -readonly [K in keyof Usage]: Usage[K] } = {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
  }
  for (const key of ['cachedTokens', 'cacheWriteTokens', 'reasoningTokens'] as const) {
    if (a[key] !== undefined || b[key] !== undefined) sum[key] = (a[key] ?? 0) + (b[key] ?? 0)
  }
  return sum
}
