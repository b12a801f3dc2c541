/** What views are held against: the same facts, from the turn machine and from reading the log alone. */
import type { Json } from '../../src/json.ts'
import type { View, ViewCall } from '../../src/live/view-shape.ts'
import type { LogEvent } from '../../src/log/log-event.ts'
import { callsOf } from '../../src/model/reply.ts'
import { evolveCall, newCall } from '../../src/turn/call.ts'
import type { Call } from '../../src/turn/turn-state.ts'

type Seen = Readonly<Record<string, unknown>>

/** Every call of every turn after each event, as the machine has it. */
export function callsOfLog(log: readonly LogEvent[]): readonly (readonly Seen[])[] {
  let calls: readonly Call[] = []
  return log.map((event) => {
    if (event.type === 'model.replied')
      calls = [...calls, ...callsOf(event.reply).map((part) => newCall(part, event.seq, event))]
    else if ('callId' in event)
      calls = calls.map((call) => (call.callId === event.callId ? evolveCall(call, event) : call))
    return calls.map(seen)
  })
}

function seen(call: Call): Seen {
  const { callId, name, proposed, attempt, holds, at, resolved } = call
  const settled = call.at === 'settled' ? call : undefined
  const hold = call.at === 'held' ? call.hold : settled?.open ? settled.hold : undefined
  const missed = settled && !settled.open ? settled.hold : undefined
  return { callId, name, proposed, attempt, holds, resolved, state: at, hold, missed, outcome: settled?.outcome }
}

export function callsOfView({ turns }: View): readonly Seen[] {
  return turns.flatMap(({ steps }) => steps.flatMap(({ calls }) => calls.map(shown)))
}

function shown(call: ViewCall): Seen {
  const { callId, name, proposed, attempt, holds, state, resolved } = call
  const { hold, missed, outcome } = call.state === 'settled' ? call : { ...call, missed: undefined }
  const plain = (held: ViewCall['hold']): unknown =>
    held && without([held], 'callId', 'name', 'proposed', 'nth', 'heldAt', 'endorsedBy', 'endorsements')[0]
  return {
    callId,
    name,
    proposed,
    attempt,
    holds,
    resolved: without(resolved, 'heldAt', 'approvals'),
    state,
    hold: plain(hold),
    missed: plain(missed),
    outcome,
  }
}

/** What each call runs with, in the order of the calls: the newest that the log says about it. */
export function inputsOfLog(log: readonly LogEvent[]): readonly Json[] {
  const inputs = new Map<string, Json>()
  for (const event of log) {
    if (event.type === 'model.replied') for (const { callId, input } of callsOf(event.reply)) inputs.set(callId, input)
    if (event.type === 'call.held') inputs.set(event.callId, event.hold.input)
    if (event.type === 'call.approved' && event.effective !== undefined) inputs.set(event.callId, event.effective)
  }
  return [...inputs.values()]
}

export function without<T extends object>(list: readonly T[], ...keys: readonly string[]): readonly Seen[] {
  return list.map((each) => Object.fromEntries(Object.entries(each).filter(([key]) => !keys.includes(key))))
}
