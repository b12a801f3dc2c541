/** What a turn came to, read off the log: the non-streaming calls are folds over the same events that are streamed. */
import type { Json } from '../json.ts'
import { parseJson } from '../json.ts'
import type { EndReason, LogEvent } from '../log/log-event.ts'
import { callsOf, textOf, type Reply, type Usage } from '../model/reply.ts'
import type { CallOutcome } from '../tool/outcome.ts'
import { openHold, type Refusal } from '../turn/decide.ts'
import { agreedTo, type Hold } from '../turn/hold.ts'
import type { Verdict } from '../turn/resolve.ts'
import { evolve } from '../turn/turn.ts'
import { emptyConversation, type Call, type Conversation } from '../turn/turn-state.ts'

export interface HeldCall extends Hold {
  readonly callId: string
  readonly name: string
  /** What the model asked for, where that differs from what will run. */
  readonly proposed: Json
  /** Who of several approvers agreed so far, to exactly this input. */
  readonly endorsedBy: readonly string[]
  /** Which of the call's holds this is, from 1: to be given with an answer to a call that was held again. */
  readonly nth: number
  /** Its tool reports progress. */
  readonly streaming?: true
}

export interface StepResult {
  readonly step: number
  readonly reply: Reply
  readonly text: string
  /** A hook sent it back, or did not let it through. */
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

/** The tool loop before the second pass of `structuredFinalize`. */
export interface FirstPass {
  /** How it ended: `completed`, and then the second pass began; any other reason ended the turn. */
  readonly halted: EndReason
  readonly text: string
  /** Its last reply, if the model said anything. */
  readonly reply: Reply | undefined
}

export interface TurnResult {
  /** `held`: a hold is open. `paused`: after one step. `stopped` and `failed`: see `reason`. */
  readonly status: 'done' | 'held' | 'paused' | 'stopped' | 'failed' | 'refused'
  readonly reason: StopReason
  readonly message: string | undefined
  readonly text: string
  /** The structured result as the schema leaves it, when the turn had one and met it. */
  readonly output: unknown
  readonly holds: readonly HeldCall[]
  readonly steps: readonly StepResult[]
  readonly usage: Usage
  readonly metadata: {
    readonly structuredFinalize?: { readonly pass1: FirstPass }
  }
}

/** Of the newest turn, or of the given one where the conversation went on to others since. */
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

/** A turn of its own, wherever in the log it stands: what it took out of the queue was there. */
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

/** What goes on beside a turn, and is about things from before it. */
function isAside({ type }: LogEvent): boolean {
  return type === 'plan.set' || type === 'plan.removed' || type === 'plan.fired' || type === 'notices.told'
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

/** Known once it is over, whatever came of the second pass. */
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

/** A reply without calls that stands: what comes next is the second pass. */
function endsLoop({ reply, again, ends }: Extract<LogEvent, { readonly type: 'model.replied' }>): boolean {
  return callsOf(reply).length === 0 && !again && !ends
}

export function openHolds(state: Conversation): HeldCall[] {
  if (state.turn.phase !== 'calls' && state.waiting.size === 0) return []
  const inTurn = state.turn.phase === 'calls' ? state.turn.calls : []
  return [...new Set([...state.waiting.values(), ...inTurn])].flatMap((call) => {
    const hold = openHold(call)
    return hold ? [heldCall(call, hold)] : []
  })
}

function heldCall({ callId, name, proposed, endorsed, holds, streaming }: Call, hold: Hold): HeldCall {
  const facts = { callId, name, proposed, endorsedBy: agreedTo(hold, endorsed), nth: holds, ...hold }
  return streaming ? { ...facts, streaming } : facts
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

/** The words of the caller's own protocol: calls handed over, a question asked, or another hold. */
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
