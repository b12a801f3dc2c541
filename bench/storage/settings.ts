/** What a run can be told, and the two sides that follow from it. */
import type { Pair } from './contest.ts'
import type { AgentShape, Pace } from './free-agent.ts'
import type { RawStyle } from './raw-postgres.ts'
import type { Player, StoreKind } from './requests.ts'

export interface Settings {
  readonly store: StoreKind
  readonly baseline: RawStyle
  readonly model: Pace
  readonly turns?: number
  readonly conversations?: number
  readonly rounds?: number
}

export function playersOf(
  { store, baseline, model }: Settings,
  agent: AgentShape,
  { connections = 1, held = 0 } = {},
): Pair<Player> {
  return {
    ours: { side: 'ours', agent: { ...agent, pace: model } },
    raw: { side: 'raw', store, calls: agent.calls, connections, style: baseline, held },
  }
}
