/** Passes each part of a reply through the stream hooks, as it arrives. Without hooks, parts pass unchanged. */
import { messageOf } from '@holdpoint/core/internal/failure'
import { describeValue } from '@holdpoint/core/internal/json'
import { checkPart } from '@holdpoint/core/internal/model/check-part'
import type { ModelPart } from '@holdpoint/core/internal/model/model'
import type { TurnContext } from '../conversation/turn-context.ts'
import { HookFailure, hookContext } from './run-hook.ts'
import type { StreamHook, StreamTransform } from '@holdpoint/core/internal/hooks/hooks'

export interface Stream {
  push(part: ModelPart): void
  end(): void
}

export function throughStreamHooks(context: TurnContext, signal: AbortSignal, take: (part: ModelPart) => void): Stream {
  const { onStream } = context.agent.hooks
  if (onStream.length === 0) return { push: take, end: () => {} }
  return onStream.reduceRight<Stream>((next, hook) => stage(hook, context, signal, next), { push: take, end: () => {} })
}

function stage(hook: StreamHook, context: TurnContext, signal: AbortSignal, next: Stream): Stream {
  const guarded = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      throw error instanceof HookFailure ? error : new HookFailure(hook.name, `failed: ${messageOf(error)}`)
    }
  }
  const { signal: _signal, ...base } = hookContext(context, signal)
  const transform: StreamTransform = guarded(() => hook.open(base))
  if (typeof transform?.part !== 'function')
    throw new HookFailure(hook.name, 'returned no object with a part() function from open().')
  const pass = (given: ModelPart): void => {
    const part = checkPart(given)
    if (!part) throw new HookFailure(hook.name, 'returned something that is not a part of a reply.')
    next.push(part)
  }
  return {
    push: (part) => {
      const made = guarded(() => transform.part(part))
      if (made === undefined) return
      if (Array.isArray(made)) for (const each of made as readonly ModelPart[]) pass(each)
      else pass(made as ModelPart)
    },
    end: () => {
      const rest: unknown = guarded(() => transform.end?.() ?? [])
      if (!Array.isArray(rest))
        throw new HookFailure(hook.name, `returned ${describeValue(rest)} from end(), not a list of parts.`)
      for (const part of rest as readonly ModelPart[]) pass(part)
      next.end()
    },
  }
}
