/** A recorded conversation as a test needs it: what was said, what the model answered, and what came of each call. */
import type { CallOutcome, Json, JsonObject, LogEvent, Resolution, UserPart } from '@holdpoint/core'
import { authorsOfAll } from '@holdpoint/core/internal/log/message'
import { callsOf } from '@holdpoint/core/internal/model/reply'
import type { ScriptedReply } from '../scripted-model.ts'

export interface Recording {
  readonly agent: string
  readonly turns: readonly RecordedTurn[]
}

export interface RecordedTurn {
  readonly message: readonly UserPart[]
  readonly by?: string
  readonly replies: readonly ScriptedReply[]
  readonly calls: readonly RecordedToolCall[]
}

export interface RecordedToolCall {
  readonly tool: string
  /** As it ran. */
  readonly input: Json
  /** As it was shown to those who decided, if they changed it. */
  readonly asked?: Json
  /** As the model wrote it, if the schema of the tool or a hook changed it. */
  readonly proposed?: Json
  /** What people and programs answered, in order. None for a call that did not wait. */
  readonly decisions: readonly { readonly by?: string; readonly resolution: Resolution }[]
  readonly outcome: CallOutcome
}

export interface LeftOut {
  readonly turnId: string
  readonly why: string
}

/** Outcomes that depend on time, on a person who cancelled, or on a process that died. */
const NOT_PLAYED: readonly string[] = [
  'timed-out',
  'lost',
  'expired',
  'no-client',
  'cancelled',
  'superseded',
  'denied',
  'vetoed',
  'not-in-space',
]

/** The turns that a test can play again, up to the first one that it cannot: the turns after that depend on it. */
export function recordingOf(events: readonly LogEvent[]): {
  readonly recording: Recording
  readonly leftOut: readonly LeftOut[]
} {
  const turns: RecordedTurn[] = []
  const leftOut: LeftOut[] = []
  let agent = ''
  for (const own of turnsOf(events)) {
    const [started] = own
    if (started?.type !== 'turn.started') continue
    agent = started.agent
    const why = leftOut.length > 0 ? 'it comes after a turn that is left out' : whyNotPlayed(own)
    if (why === undefined) turns.push(turnOf(own, started))
    else leftOut.push({ turnId: started.turnId, why })
  }
  return { recording: { agent, turns }, leftOut }
}

function turnsOf(events: readonly LogEvent[]): readonly (readonly LogEvent[])[] {
  const starts = events.flatMap(({ type }, index) => (type === 'turn.started' ? [index] : []))
  return starts.map((start, nth) => events.slice(start, starts[nth + 1]))
}

function whyNotPlayed(events: readonly LogEvent[]): string | undefined {
  const [started] = events
  if (started?.type !== 'turn.started' || started.items.length === 0) return 'it continues a turn that stopped early'
  if (started.items.some(({ kind }) => kind !== 'message')) return 'it is not about messages alone'
  if (started.output) return 'it has a structured output'
  const last = events.findLast((event) => event.type === 'model.replied')
  for (const event of events) {
    if (event.type === 'model.replied' && (event.again || event.withheld)) return 'a hook sent a reply back'
    if (event.type === 'message.changed') return 'a hook changed its message'
    if (event.type === 'turn.ended' && event.reason !== 'completed') return `it ended with ${event.reason}`
    if (event.type === 'answer.arrived' || (event.type === 'call.held' && event.hold.async))
      return 'it has an async call'
    if (event.type === 'call.held' && ['asked', 'lost', 'changed'].includes(event.hold.cause))
      return `one of its calls was held because it was ${event.hold.cause}`
    if (event.type === 'call.settled' && !event.outcome.ok && NOT_PLAYED.includes(event.outcome.error.code))
      return `one of its calls ended with ${event.outcome.error.code}`
  }
  if (last?.type !== 'model.replied' || callsOf(last.reply).length > 0 || last.ends)
    return 'it did not end with a reply'
  return undefined
}

function turnOf(events: readonly LogEvent[], started: Extract<LogEvent, { type: 'turn.started' }>): RecordedTurn {
  const message = started.items.flatMap((item) => (item.kind === 'message' ? item.message.parts : []))
  const by = authorsOfAll(started.items).find((author) => author.by !== undefined)?.by
  const replies: ScriptedReply[] = []
  const calls: RecordedToolCall[] = []
  for (const event of events) {
    if (event.type !== 'model.replied') continue
    const text = event.reply.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
    const asked = callsOf(event.reply)
    replies.push({
      ...(text !== '' && { text }),
      ...(asked.length > 0 && {
        calls: asked.map(({ name, input, malformed }) =>
          malformed === undefined ? { name, input: input as JsonObject } : { name, raw: malformed },
        ),
      }),
    })
    for (const { callId, name, input } of asked) calls.push(callOf(events, callId, { tool: name, input }))
  }
  return { message, ...(by !== undefined && { by }), replies, calls }
}

function callOf(
  events: readonly LogEvent[],
  callId: string,
  { tool, input: proposed }: Pick<RecordedToolCall, 'tool' | 'input'>,
): RecordedToolCall {
  let input = proposed
  let asked: Json | undefined
  const decisions: RecordedToolCall['decisions'][number][] = []
  let outcome: CallOutcome = { ok: false, error: { code: 'lost', message: 'It has no result.' } }
  for (const event of events) {
    if (!('callId' in event) || event.callId !== callId) continue
    const by = 'by' in event && event.by !== undefined ? { by: event.by } : {}
    if (event.type === 'call.rewritten') input = event.input
    if (event.type === 'call.held') input = event.hold.input
    if (event.type === 'call.endorsed') decisions.push({ ...by, resolution: { kind: 'approve' } })
    if (event.type === 'call.approved') {
      decisions.push({ ...by, resolution: event.resolution })
      const edited = event.resolution.kind === 'approve' ? event.resolution.input : undefined
      if (edited !== undefined) asked ??= input
      input = event.effective ?? edited ?? input
    }
    if (event.type === 'call.settled') {
      outcome = event.outcome
      if (event.resolution) decisions.push({ ...by, resolution: event.resolution })
    }
  }
  const changed = JSON.stringify(proposed) !== JSON.stringify(asked ?? input)
  return {
    tool,
    input,
    ...(asked !== undefined && { asked }),
    ...(changed && { proposed }),
    decisions,
    outcome,
  }
}
