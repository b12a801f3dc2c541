/** A call as the events about it have it, wherever in the log they stand. */
import type { LogEvent } from '../log/log-event.ts'
import { callsOf } from '../model/reply.ts'
import { evolveCall, newCall } from '../turn/call.ts'
import type { Call } from '../turn/turn-state.ts'

export function callIn(events: readonly LogEvent[], callId: string): Call | undefined {
  let call: Call | undefined
  for (const event of events) {
    if (event.type === 'model.replied') {
      const part = callsOf(event.reply).find((each) => each.callId === callId)
      if (part) call = newCall(part, event.seq, event.placed)
    } else if (call && 'callId' in event && event.callId === callId) call = evolveCall(call, event)
  }
  return call
}
