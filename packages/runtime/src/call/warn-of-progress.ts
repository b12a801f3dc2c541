/** Warns the operator of progress that is not shown, once for each tool of an agent. */
import { HoldpointError } from '@holdpoint/core/internal/failure'
import type { Agent } from '@holdpoint/core/internal/agent/agent'
import type { TurnContext } from '../conversation/turn-context.ts'

/** Each progress value is sent to every subscriber, so its size is limited. */
export const MAX_PROGRESS_BYTES = 64_000

const warned = new WeakMap<Agent, Set<string>>()

export function warnOfUndeclaredProgress(context: TurnContext, tool: string): void {
  warnOnce(
    context,
    tool,
    `Tool "${tool}" reports progress, but its declaration does not say "streaming: true", so its progress is not shown.`,
  )
}

export function warnOfLargeProgress(context: TurnContext, tool: string): void {
  warnOnce(
    context,
    tool,
    `Tool "${tool}" reports progress of more than ${MAX_PROGRESS_BYTES} bytes, which is not shown. Report less.`,
  )
}

function warnOnce({ agent, problem }: TurnContext, tool: string, message: string): void {
  const known = warned.get(agent) ?? new Set()
  if (known.has(tool)) return
  warned.set(agent, known.add(tool))
  problem(new HoldpointError('tool-invalid', message))
}
