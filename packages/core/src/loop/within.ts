/** Code of a tool's author, its time limit and cancellation, whichever comes first. What ignores its signal is left behind. */
import { messageOf } from '../failure.ts'
import { OVER } from '../ports.ts'
import { failed, type OutcomeError } from '../tool/outcome.ts'
import type { Tool } from '../tool/tool.ts'
import type { World } from './world.ts'

export type Returned =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: OutcomeError }

/** For tools that others carry out: their timeout is for those others, and may be a week. */
const OTHERS_MS = 30_000

export async function within(
  tool: Tool,
  signal: AbortSignal,
  { agent }: World,
  run: (signal: AbortSignal) => unknown,
): Promise<Returned> {
  const limit = new AbortController()
  const timer = new AbortController()
  const stop = (): void => {
    limit.abort(signal.reason)
    timer.abort(OVER)
  }
  try {
    const value = run(limit.signal)
    if (!isThenable(value)) return { ok: true, value }
    // Not before: what returns at once cannot be stopped, and most tools of a round would pay for it.
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
    const timeoutMs = tool.executor === 'server' ? tool.waiting.timeoutMs : OTHERS_MS
    const late = agent.ports.sleep(timeoutMs, timer.signal).then((): Returned => {
      if (timer.signal.aborted) return failed('cancelled', 'The turn was cancelled.')
      limit.abort(new Error(`"${tool.name}" took longer than ${timeoutMs} ms`))
      return failed('timed-out', `It took longer than ${timeoutMs} ms.`)
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

function isThenable(value: unknown): value is PromiseLike<unknown> {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  return 'then' in value && typeof value.then === 'function'
}
