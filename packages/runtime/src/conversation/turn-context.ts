/** Everything that a turn is driven with: the agent, the log, the caller's settings, and functions for frames and problems. */
import type { BeforeMessageResults } from '../hooks/before-message.ts'
import type { Frame } from '@holdpoint/core/internal/live/frame'
import { withPreview, type Author } from '@holdpoint/core/internal/log/message'
import type { Delivery } from '@holdpoint/core/internal/log/notice'
import type { Scope } from '@holdpoint/core/internal/tool/context'
import type { Tool } from '@holdpoint/core/internal/tool/tool'
import type { TurnPlan } from '@holdpoint/core/internal/turn/decide'
import type { OpenTurn } from '@holdpoint/core/internal/turn/turn-state'
import type { Agent, OnToolError } from '@holdpoint/core/internal/agent/agent'
import type { ConversationLog } from './conversation-log.ts'
import type { ConversationFiles } from '../files/conversation-files.ts'
import type { RuleStore } from '../rules/rule-store.ts'
import type { ObservedRun } from '../drive/observer.ts'
import type { OutputRule } from '@holdpoint/core/internal/agent/output'

export interface TurnContext {
  readonly agent: Agent
  readonly log: ConversationLog
  readonly scope: Scope
  /** The scope that the caller gave, if it gave one. It is not used for turns of other callers. */
  readonly given: Scope | undefined
  /** The scope and the tools of one turn: from its caller, or made from what the log knows of its author. */
  forTurn(turn: OpenTurn): Pick<TurnContext, 'scope'> & Partial<Pick<TurnContext, 'tools' | 'onToolError'>>
  /** Made on first use when the caller gave none. */
  requestId(): string
  /** Tools that came with the message, in addition to those of the agent. */
  readonly tools: readonly Tool[]
  readonly onToolError: OnToolError
  readonly output: OutputRule | undefined
  /** The results of the hooks that ran before the message. */
  readonly beforeMessage: BeforeMessageResults
  readonly maxSteps: number
  /** Written with the start of each turn: the log then has news for channels and webhooks. */
  readonly tellsNews: boolean
  /** See `Tenure`. */
  term(): number
  /** The files of the conversation, in a runtime. */
  readonly files: ConversationFiles | undefined
  /** The rules about calls, if the runtime consults rules. */
  readonly rules: RuleStore | undefined
  /** Does work after the turn, in the background. Work of the same name runs once at a time. */
  later(name: string, work: (signal: AbortSignal) => Promise<unknown>): void
  /** Delivers a notice to another log. Delivering it twice changes nothing. */
  deliver(delivery: Delivery): Promise<void>
  /** Reports an error that stops no caller. */
  problem(error: unknown): void
  /** Whether frames have a subscriber. Without one they are not made, because they cost time for each piece of text. */
  watched(): boolean
  emit(frame: Frame): void
  /** The `traceparent` header for requests of a run. Undefined without an observer. */
  traceparent(run: Omit<ObservedRun, 'address'>): string | undefined
}

export function planTurn({ agent, output, maxSteps, tellsNews }: TurnContext): TurnPlan {
  const { maxTokens } = agent
  const limits = maxTokens === undefined ? { maxSteps } : { maxSteps, maxTokens }
  const plan = {
    turnId: agent.ports.id(),
    agent: agent.name,
    limits,
    ...(agent.autonomy && { cycle: true as const }),
    ...(tellsNews && { tellsNews }),
  }
  return output ? { ...plan, output: output.plan } : plan
}

/** The authors of what the turn is about. */
export function authorsOfTurn({ log }: Pick<TurnContext, 'log'>): readonly Author[] {
  return log.state.turn.phase === 'rest' ? [] : log.state.turn.askedBy
}

/** With the people whose messages the prompt previews: see `withPreview`. */
export function authorsReadInTurn(context: Pick<TurnContext, 'log' | 'agent'>): readonly Author[] {
  const authors = authorsOfTurn(context)
  return context.agent.autonomy ? withPreview(authors, context.log.state.queue) : authors
}

export function turnIdOf({ log }: TurnContext): string {
  return log.state.turn.phase === 'rest' ? '' : log.state.turn.turnId
}
