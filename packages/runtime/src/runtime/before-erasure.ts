/**
 * What comes before the log of an autonomous agent is erased. Its spaces learn from its outbox that a call or a cycle is over,
 * and an erased log has no outbox: they would show the agent at work for ever. So its turn is cancelled, and its spaces are
 * told, and then the log is erased.
 */
import type { Notice } from '@holdpoint/core/internal/log/notice'
import { accept, type Decision } from '@holdpoint/core/internal/turn/decision'
import { endTurn } from '@holdpoint/core/internal/turn/end-turn'
import type { Call, Conversation } from '@holdpoint/core/internal/turn/turn-state'

export interface BeforeErasure {
  readonly decision: Decision
  /** Not delivered yet. */
  readonly notices: readonly Notice[]
}

const WHY = 'The agent was erased.'

/** Undefined when the log can be erased. `told` has the notices that were delivered, by their `n`. */
export function beforeErasure(state: Conversation, told: ReadonlySet<string>): BeforeErasure | undefined {
  if (state.erased) return undefined
  const { turn, outbox, waiting, agent } = state
  if (turn.phase !== 'rest') return { decision: accept(...endTurn(turn, 'cancelled', WHY)), notices: [] }
  const ended = Array.from(waiting.values()).flatMap((call) => endedInSpace(agent, call))
  const notices = [...outbox, ...ended].filter(({ n }) => !told.has(n))
  return notices.length > 0 ? { decision: accept(), notices } : undefined
}

/** An async call of an earlier turn, which no event of this log settles any more. */
function endedInSpace(agent: string, { callId, inSpace }: Call): readonly Notice[] {
  if (!inSpace?.shown) return []
  const error = { code: 'cancelled', message: WHY } as const
  return [
    { n: `erased:${callId}`, space: inSpace.space, show: { type: 'tool.error', agent, toolCallId: callId, error } },
  ]
}
