/** Runs one hook within its time limit. An error of the hook, or a timeout, becomes a `HookFailure`. */
import { milliseconds, type Duration } from '@holdpoint/core/internal/duration'
import { messageOf } from '@holdpoint/core/internal/failure'
import type { TurnContext } from '../conversation/turn-context.ts'
import { OVER } from '@holdpoint/core/internal/ports'
import type { HookContext } from '@holdpoint/core/internal/hooks/hooks'

const DEFAULT_TIMEOUT = '30 seconds'

export class HookFailure extends Error {
  readonly hook: string

  constructor(hook: string, why: string) {
    super(`The hook "${hook}" ${why}`)
    this.name = 'HookFailure'
    this.hook = hook
  }
}

export async function runHook<A>(
  hook: { readonly name: string; readonly timeout?: Duration },
  context: TurnContext,
  signal: AbortSignal,
  run: (context: HookContext) => A | Promise<A>,
): Promise<A> {
  const limitMs = milliseconds(hook.timeout ?? DEFAULT_TIMEOUT)
  const own = new AbortController()
  const timer = new AbortController()
  const stop = (): void => own.abort(signal.reason)
  signal.addEventListener('abort', stop, { once: true })
  const late = context.agent.ports.sleep(limitMs, timer.signal).then(() => {
    if (timer.signal.aborted) return undefined
    own.abort(new Error(`"${hook.name}" took longer than ${limitMs} ms`))
    throw new HookFailure(hook.name, `took longer than ${limitMs} ms.`)
  })
  try {
    const running = (async () => run(hookContext(context, own.signal)))()
    return (await Promise.race([running, late])) as A
  } catch (error) {
    throw error instanceof HookFailure ? error : new HookFailure(hook.name, `failed: ${messageOf(error)}`)
  } finally {
    signal.removeEventListener('abort', stop)
    timer.abort(OVER)
  }
}

export function hookContext({ agent, log, scope }: TurnContext, signal: AbortSignal): HookContext {
  const { turn } = log.state
  const conversation = { id: log.id, turnId: turn.phase === 'rest' ? '' : turn.turnId }
  return { conversation, scope, services: agent.services, signal }
}
