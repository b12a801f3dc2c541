/**
 * Runs the code of a tool until it returns, its time limit is over, or the turn is cancelled, whichever comes first. Code
 * that ignores its abort signal runs on, and its result is dropped.
 */
import { messageOf } from '@holdpoint/core/internal/failure'
import { isThenable } from '@holdpoint/core/internal/thenable'
import { OVER, type Ports } from '@holdpoint/core/internal/ports'
import type { StateWrites } from '@holdpoint/core/internal/plugin/state'
import { failed, timedOut, type OutcomeError } from '@holdpoint/core/internal/tool/outcome'
import type { Tool } from '@holdpoint/core/internal/tool/tool'
import { LazyAbortController } from '../drive/lazy-abort-controller.ts'
import type { TurnContext } from '../conversation/turn-context.ts'

export type Returned =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: OutcomeError }

/** For code of tools with another executor. Their `timeout` is the executor's, and may be a week. */
const OTHER_EXECUTOR_MS = 30_000

export function runWithTimeLimit(
  tool: Tool,
  stop: LazyAbortController,
  { agent }: TurnContext,
  run: (limited: LazyAbortController) => unknown,
): Returned | Promise<Returned> {
  const limit = new LazyAbortController()
  try {
    const value = run(limit)
    // A value that is no promise is there already, so it needs no timer.
    return isThenable(value) ? race(value, tool, stop.signal, limit, agent.ports) : { ok: true, value }
  } catch (error) {
    return failed('failed', messageOf(error))
  }
}

/** Waits for the state writes that the code did not await. A write that was refused fails the call. */
export function settleWrites(
  returned: Returned,
  tool: Tool,
  writes: StateWrites,
  context: TurnContext,
  stop: LazyAbortController,
): Returned | Promise<Returned> {
  if (!returned.ok || !writes.asked) return returned
  const settling = runWithTimeLimit(tool, stop, context, () => writes.settle())
  return Promise.resolve(settling).then((settled) => (settled.ok ? returned : settled))
}

async function race(
  value: PromiseLike<unknown>,
  tool: Tool,
  signal: AbortSignal,
  limit: LazyAbortController,
  { sleep }: Ports,
): Promise<Returned> {
  const timer = new AbortController()
  const stop = (): void => {
    limit.abort(signal.reason)
    timer.abort(OVER)
  }
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  try {
    const timeoutMs = tool.executor === 'server' ? tool.waiting.timeoutMs : OTHER_EXECUTOR_MS
    const late = sleep(timeoutMs, timer.signal).then((): Returned => {
      if (timer.signal.aborted) return failed('cancelled', 'The turn was cancelled.')
      limit.abort(new Error(`"${tool.name}" took longer than ${timeoutMs} ms`))
      return failed('timed-out', timedOut(timeoutMs))
    })
    return await Promise.race([settled(value), late])
  } catch (error) {
    return failed('failed', messageOf(error))
  } finally {
    signal.removeEventListener('abort', stop)
    timer.abort(OVER)
  }
}

async function settled(value: PromiseLike<unknown>): Promise<Returned> {
  return { ok: true, value: await value }
}
