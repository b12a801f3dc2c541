/** What one turn is driven with: the agent, the log, the caller's settings, and where frames and problems go. */
import type { Briefs } from '../hooks/before-message.ts'
import type { Frame } from '../live/frame.ts'
import type { Author } from '../log/message.ts'
import type { Delivery } from '../log/notice.ts'
import type { Scope } from '../tool/context.ts'
import type { Tool } from '../tool/tool.ts'
import type { TurnPlan } from '../turn/decide.ts'
import type { OpenTurn } from '../turn/turn-state.ts'
import type { Agent, OnToolError } from './agent.ts'
import type { ConversationLog } from './conversation-log.ts'
import type { OutputRule } from './output.ts'

export interface TurnContext {
  readonly agent: Agent
  readonly log: ConversationLog
  readonly scope: Scope
  /** The scope that the caller gave, which is of no use to another caller's turn. */
  readonly given: Scope | undefined
  /** What a turn has of its own: a scope, made from what the log knows of its asker or given by its caller, and tools. */
  forTurn(turn: OpenTurn): Pick<TurnContext, 'scope'> & Partial<Pick<TurnContext, 'tools' | 'onToolError'>>
  /** One is made for those who gave none, when it is first asked for. */
  requestId(): string
  /** Given with the message, besides the agent's. */
  readonly tools: readonly Tool[]
  readonly onToolError: OnToolError
  readonly output: OutputRule | undefined
  /** What hooks made of what the turn is about. */
  readonly briefs: Briefs
  readonly maxSteps: number
  /** See `Tenure`. */
  term(): number
  /** Does work after the turn, in the background. Work of the same name runs once at a time. */
  later(name: string, work: (signal: AbortSignal) => Promise<unknown>): void
  /** Delivers a notice to another log. Delivering it twice changes nothing. */
  deliver(delivery: Delivery): Promise<void>
  /** Reports an error that stops no caller. */
  problem(error: unknown): void
  /** Whether a subscriber sees frames: making them costs something for every piece of text. */
  watched(): boolean
  emit(frame: Frame): void
}

export function planTurn({ agent, output, maxSteps }: TurnContext): TurnPlan {
  const { maxTokens } = agent
  const limits = maxTokens === undefined ? { maxSteps } : { maxSteps, maxTokens }
  const plan = { turnId: agent.ports.id(), agent: agent.name, limits, ...(agent.autonomy && { cycle: true as const }) }
  return output ? { ...plan, output: output.plan } : plan
}

/** The authors of what the turn is about. */
export function askersOf({ log }: Pick<TurnContext, 'log'>): readonly Author[] {
  return log.state.turn.phase === 'rest' ? [] : log.state.turn.askedBy
}

export function turnIdOf({ log }: TurnContext): string {
  return log.state.turn.phase === 'rest' ? '' : log.state.turn.turnId
}
