/** The autonomous agents of a world, their spaces, and how they read the times of plans. */
import { agentLogId, type AgentOptions, type NextTime } from '@holdpoint/core'
import type { Random } from './random.ts'

export interface AutonomousAgents {
  /** Their names. */
  readonly agents: readonly string[]
  readonly spaces: readonly string[]
  /** The number of agent messages in a row that wake other agents. */
  readonly agentMessages: number
}

/** Not in every seed: a world without spaces has more time for everything else. */
export function autonomousAgentsIn(shape: Random): AutonomousAgents {
  if (!shape.chance(0.5)) return { agents: [], spaces: [], agentMessages: 0 }
  const names = (prefix: string, count: number): string[] =>
    Array.from({ length: count }, (_, n) => `${prefix}${n + 1}`)
  return {
    agents: names('a', shape.between(2, 3)),
    spaces: names('s', shape.between(1, 2)),
    agentMessages: shape.between(0, 3),
  }
}

export function autonomousAgentOptions(name: string, shape: Random): Omit<AgentOptions, 'model' | 'tools'> {
  return {
    name,
    instructions: agentLogId(name),
    maxSteps: shape.between(2, 4),
    maxParallel: shape.pick([1, 8]),
    retry: { firstDelayMs: 200, maxDelayMs: 2000 },
  }
}

/** A cron line here is an interval in seconds. */
export const everySeconds: NextTime = (line, _timeZone, after) => {
  const every = Number(line) * 1000
  return (Math.floor(after / every) + 1) * every
}
