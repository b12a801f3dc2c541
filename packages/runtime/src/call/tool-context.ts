/** The argument of a handler: its input, its call, and functions for what it may do. */
import { copyJson, jsonBytes, toJson, type Json } from '@holdpoint/core/internal/json'
import type { EventBody } from '@holdpoint/core/internal/log/log-event'
import { planAccess, type PlanAccess } from '@holdpoint/core/internal/plan/plan-access'
import type { StateWrites } from '@holdpoint/core/internal/plugin/state'
import type { Resumption, ToolContext } from '@holdpoint/core/internal/tool/context'
import type { Call } from '@holdpoint/core/internal/turn/turn-state'
import { MAX_PROGRESS_BYTES, warnOfLargeProgress, warnOfUndeclaredProgress } from './warn-of-progress.ts'
import type { LazyAbortController } from '../drive/lazy-abort-controller.ts'
import { authorsOfTurn, authorsReadInTurn, turnIdOf, type TurnContext } from '../conversation/turn-context.ts'

/** Properties that few handlers use (`signal`, `plans`, `requestId`) are made on demand. */
export function toolContext(
  context: TurnContext,
  call: Call,
  input: unknown,
  writes: StateWrites,
  stop: LazyAbortController,
): ToolContext {
  const { agent, log, scope } = context
  const traceparent = traceparentOf(context, call)
  const made = {
    input,
    call: {
      id: call.callId,
      name: call.name,
      args: copyJson(call.proposed),
      attempt: call.attempt,
      ...(traceparent !== undefined && { traceparent }),
      ...(call.approved && { fingerprint: call.approved.fingerprint }),
    },
    resumed: call.resumed && resumedWith(call.resumed),
    conversation: { ...log.address, turnId: turnIdOf(context) },
    scope,
    askedBy: authorsOfTurn(context),
    services: agent.services,
    state: writes,
    agent,
    progress: (value: Json) => {
      if (!call.streaming) return warnOfUndeclaredProgress(context, call.name)
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

function traceparentOf({ log, traceparent }: TurnContext, { callId, attempt }: Call): string | undefined {
  const { turn } = log.state
  if (turn.phase === 'rest') return undefined
  return traceparent({ turnId: turn.turnId, callId, attempt, ...(turn.trace !== undefined && { trace: turn.trace }) })
}

/** The source of properties that are made on demand. It is hidden from code that inspects or copies a context. */
const BEHIND = Symbol('behind')

interface Behind {
  readonly context: TurnContext
  readonly writes: StateWrites
  readonly stop: LazyAbortController
  plans: PlanAccess | undefined
}

/**
 * Getters that all contexts share. With a getter per context, V8 would keep the conversation in memory until the next major
 * garbage collection. They are own properties, so that a copy of a context has their values.
 */
const WHEN_ASKED = {
  plans: {
    enumerable: true,
    get(this: { readonly [BEHIND]: Behind }): PlanAccess {
      const { context, writes } = this[BEHIND]
      const write = (event: EventBody): void => writes.also(event)
      return (this[BEHIND].plans ??= planAccess(
        context.log.state.plans,
        context.agent.ports,
        write,
        authorsReadInTurn(context),
      ))
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

/** Copies, so that a handler cannot change the log. */
function resumedWith({ state, answer, by }: Resumption): Resumption {
  return { state: state && copyJson(state), answer: answer && copyJson(answer), by }
}
