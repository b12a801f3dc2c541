/** What stream hooks make of a reply as it comes. Without any, nothing stands in the way of a piece of text. */
import { messageOf } from '../failure.ts'
import { show } from '../json.ts'
import { checkPart } from '../model/check-part.ts'
import type { ModelPart } from '../model/model.ts'
import type { TurnContext } from '../loop/turn-context.ts'
import { HookFailure, hookContext } from './run-hook.ts'
import type { StreamHook, StreamTransform } from './hooks.ts'

export interface Stream {
  hear(part: ModelPart): void
  end(): void
}

export function throughHooks(context: TurnContext, signal: AbortSignal, take: (part: ModelPart) => void): Stream {
  const { onStream } = context.agent.hooks
  if (onStream.length === 0) return { hear: take, end: () => {} }
  return onStream.reduceRight<Stream>((next, hook) => stage(hook, context, signal, next), { hear: take, end: () => {} })
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
    throw new HookFailure(hook.name, 'opened nothing that has a part() function.')
  const pass = (given: ModelPart): void => {
    const part = checkPart(given)
    if (!part) throw new HookFailure(hook.name, 'gave something that is no part of a reply.')
    next.hear(part)
  }
  return {
    hear: (part) => {
      const made = guarded(() => transform.part(part))
      if (made === undefined) return
      if (Array.isArray(made)) for (const each of made as readonly ModelPart[]) pass(each)
      else pass(made as ModelPart)
    },
    end: () => {
      const rest: unknown = guarded(() => transform.end?.() ?? [])
      if (!Array.isArray(rest)) throw new HookFailure(hook.name, `gave at the end ${show(rest)}, not a list of parts.`)
      for (const part of rest as readonly ModelPart[]) pass(part)
      next.end()
    },
  }
}
