/** What a handler is given: its input, its call, and what it may do. */
import { copyJson, jsonBytes, toJson, type Json } from '../json.ts'
import type { EventBody } from '../log/log-event.ts'
import { planAccess, type PlanAccess } from '../plan/plan-access.ts'
import type { StateWrites } from '../plugin/state.ts'
import type { Resumption, ToolContext } from '../tool/context.ts'
import type { Call } from '../turn/turn-state.ts'
import { MAX_PROGRESS_BYTES, warnOfLargeProgress, warnOfProgress } from './progress-warning.ts'
import type { Stop } from './stop.ts'
import { askersOf, turnIdOf, type TurnContext } from './turn-context.ts'

/** What most handlers never look at is made for those that do. */
export function toolContext(
  context: TurnContext,
  call: Call,
  input: unknown,
  writes: StateWrites,
  stop: Stop,
): ToolContext {
  const { agent, log, scope } = context
  const made = {
    input,
    call: {
      id: call.callId,
      name: call.name,
      args: copyJson(call.proposed),
      attempt: call.attempt,
      ...(call.approved && { fingerprint: call.approved.fingerprint }),
    },
    resumed: call.resumed && resumedWith(call.resumed),
    conversation: { ...log.address, turnId: turnIdOf(context) },
    scope,
    askedBy: askersOf(context),
    services: agent.services,
    state: writes,
    agent,
    progress: (value: Json) => {
      if (!call.streaming) return warnOfProgress(context, call.name)
      const json = toJson(value)
      if (!json.ok || stop.aborted) return
      if (jsonBytes(json.value) > MAX_PROGRESS_BYTES) return warnOfLargeProgress(context, call.name)
      context.emit({ type: 'call-progress', callId: call.callId, value: json.value })
    },
  }
  const behind: Behind = { context, writes, stop, plans: undefined }
  Object.defineProperty(made, BEHIND, { value: behind })
  Object.defineProperty(made, 'plans', WHEN_ASKED.plans)
  Object.defineProperty(made, 'signal', WHEN_ASKED.signal)
  Object.defineProperty(made, 'requestId', WHEN_ASKED.requestId)
  return made as typeof made & Pick<ToolContext, 'plans' | 'signal' | 'requestId'>
}

/** The source of properties that are made on demand. It is hidden from code that inspects or copies a context. */
const BEHIND = Symbol('behind')

interface Behind {
  readonly context: TurnContext
  readonly writes: StateWrites
  readonly stop: Stop
  plans: PlanAccess | undefined
}

/**
 * The same functions for every context, and its own properties: a copy gets their values. V8 keeps what a
 * getter of a single object can see, here the conversation with all it has in memory, until old garbage is collected.
 */
const WHEN_ASKED = {
  plans: {
    enumerable: true,
    get(this: { readonly [BEHIND]: Behind }): PlanAccess {
      const { context, writes } = this[BEHIND]
      const write = (event: EventBody): void => writes.also(event)
      return (this[BEHIND].plans ??= planAccess(context.log.state.plans, context.agent.ports, write, askersOf(context)))
    },
  },
  signal: {
    enumerable: true,
    get(this: { readonly [BEHIND]: Behind }): AbortSignal {
      return this[BEHIND].stop.signal
    },
  },
  requestId: {
    enumerable: true,
    get(this: { readonly [BEHIND]: Behind }): string {
      return this[BEHIND].context.requestId()
    },
  },
}

/** Copies: no code of the tool can reach into the log. */
function resumedWith({ state, answer, by }: Resumption): Resumption {
  return { state: state && copyJson(state), answer: answer && copyJson(answer), by }
}
