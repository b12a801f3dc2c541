/** The settings of a run, and the sides that they select. */
import type { PerSide } from './contest.ts'
import type { AgentShape, Pace } from './free-agent.ts'
import type { Player, StoreKind } from './requests.ts'

export interface Settings {
  readonly store: StoreKind
  readonly model: Pace
  readonly turns?: number
  readonly conversations?: number
  readonly rounds?: number
}

export function playersOf(
  { store, model }: Settings,
  agent: AgentShape,
  { connections = 1, held = 0 } = {},
): PerSide<Player> {
  const byHand = { side: 'raw', store, calls: agent.calls, connections, held } as const
  return {
    rows: { ...byHand, style: 'rows' },
    one: { ...byHand, style: 'one' },
    ours: { side: 'ours', agent: { ...agent, pace: model } },
  }
}
