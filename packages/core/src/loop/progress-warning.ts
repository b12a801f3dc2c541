/** Progress that is not shown. The operator is told, once for each tool of an agent. */
import { HoldpointError } from '../failure.ts'
import type { Agent } from './agent.ts'
import type { TurnContext } from './turn-context.ts'

/** Every subscriber gets each progress value, so it has a limit of its own. */
export const MAX_PROGRESS_BYTES = 64_000

const warned = new WeakMap<Agent, Set<string>>()

export function warnOfProgress(context: TurnContext, tool: string): void {
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
