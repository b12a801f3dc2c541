import type { ReplayedTurn } from './replay-turn.ts'

/** Many replayed turns in numbers, and the turns that decided otherwise. */
export interface ReplayReport {
  readonly turns: number
  readonly sameCalls: number
  readonly sameTools: number
  readonly sameText: number
  /** Turns that did not end by themselves. */
  readonly noResult: number
  readonly failed: number
  readonly recordedTokens: number
  readonly replayedTokens: number
  /** The turns that asked for other calls. */
  readonly different: readonly ReplayedTurn[]
  /** Such as "Of 300 turns, 287 ask for the same calls." */
  readonly summary: string
}

export function replayReport(turns: Iterable<ReplayedTurn>): ReplayReport {
  const all = [...turns]
  const count = (is: (turn: ReplayedTurn) => boolean): number => all.filter(is).length
  const sum = (of: (turn: ReplayedTurn) => number): number => all.reduce((total, turn) => total + of(turn), 0)
  const sameCalls = count((turn) => turn.sameCalls)
  const noResult = count(({ stopped }) => stopped === 'no-result')
  const failed = count(({ stopped }) => stopped === 'failed')
  return {
    turns: all.length,
    sameCalls,
    sameTools: count((turn) => turn.sameTools),
    sameText: count((turn) => turn.sameText),
    noResult,
    failed,
    recordedTokens: sum(({ recorded }) => recorded.inputTokens + recorded.outputTokens),
    replayedTokens: sum(({ replayed }) => replayed.inputTokens + replayed.outputTokens),
    different: all.filter((turn) => !turn.sameCalls),
    summary: `Of ${all.length} ${all.length === 1 ? 'turn' : 'turns'}, ${sameCalls} ${sameCalls === 1 ? 'asks' : 'ask'} for the same calls.`,
  }
}
