/** Code of a tool's author, its time limit and cancellation, whichever comes first. What ignores its signal is left behind. */
import { messageOf } from '../failure.ts'
import { isThenable } from '../thenable.ts'
import { OVER, type Ports } from '../ports.ts'
import type { StateWrites } from '../plugin/state.ts'
import { failed, timedOut, type OutcomeError } from '../tool/outcome.ts'
import type { Tool } from '../tool/tool.ts'
import { Stop } from './stop.ts'
import type { TurnContext } from './turn-context.ts'

export type Returned =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: OutcomeError }

/** For tools that others carry out: their timeout is for those others, and may be a week. */
const OTHERS_MS = 30_000

export function within(
  tool: Tool,
  stop: Stop,
  { agent }: TurnContext,
  run: (limited: Stop) => unknown,
): Returned | Promise<Returned> {
  const limit = new Stop()
  try {
    const value = run(limit)
    // What returns at once needs no clock, and could not be stopped.
    return isThenable(value) ? inTime(value, tool, stop.signal, limit, agent.ports) : { ok: true, value }
  } catch (error) {
    return failed('failed', messageOf(error))
  }
}

/** What the code returned, once the writes it asked for are checked: one that was refused, and that it ignores, fails it. */
export function afterWrites(
  returned: Returned,
  tool: Tool,
  writes: StateWrites,
  context: TurnContext,
  stop: Stop,
): Returned | Promise<Returned> {
  if (!returned.ok || !writes.asked) return returned
  const settling = within(tool, stop, context, () => writes.settle())
  return Promise.resolve(settling).then((settled) => (settled.ok ? returned : settled))
}

async function inTime(
  value: PromiseLike<unknown>,
  tool: Tool,
  signal: AbortSignal,
  limit: Stop,
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
    const timeoutMs = tool.executor === 'server' ? tool.waiting.timeoutMs : OTHERS_MS
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
