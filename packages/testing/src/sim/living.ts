/** The agents that live in a world, the spaces they meet in, and how they read the times of plans. */
import { lifeId, type AgentOptions, type NextTime } from '@holdpoint/core'
import type { Random } from './random.ts'

export interface Living {
  /** Their names. */
  readonly agents: readonly string[]
  readonly spaces: readonly string[]
  /** So many messages of agents in a row wake others. */
  readonly agentMessages: number
}

/** Not in every seed: a world without spaces has more time for everything else. */
export function livingIn(shape: Random): Living {
  if (!shape.chance(0.5)) return { agents: [], spaces: [], agentMessages: 0 }
  const names = (prefix: string, count: number): string[] =>
    Array.from({ length: count }, (_, n) => `${prefix}${n + 1}`)
  return {
    agents: names('a', shape.between(2, 3)),
    spaces: names('s', shape.between(1, 2)),
    agentMessages: shape.between(0, 3),
  }
}

export function livingOptions(name: string, shape: Random): Omit<AgentOptions, 'model' | 'tools'> {
  return {
    name,
    instructions: lifeId(name),
    maxSteps: shape.between(2, 4),
    maxParallel: shape.pick([1, 8]),
    retry: { firstDelayMs: 200, maxDelayMs: 2000 },
  }
}

/** A cron line here is a number of seconds: due whenever so many of them are over. */
export const everySo: NextTime = (line, _timeZone, after) => {
  const every = Number(line) * 1000
  return (Math.floor(after / every) + 1) * every
}
