/** The settings of one turn: those of its caller, and the defaults of the agent. */
import type { Conversation } from '@holdpoint/core/internal/turn/turn-state'
import { toolboxOf, type Agent } from '@holdpoint/core/internal/agent/agent'
import { outputRule, type OutputRule } from '@holdpoint/core/internal/agent/output'
import type { SendOptions } from '../session/session-options.ts'
import type { TurnContext } from './turn-context.ts'

/** Settings that last until the end of their turn, for callers that continue it. */
export type TurnSettings = Pick<SendOptions, 'tools' | 'onToolError'> & { readonly turnId?: string }

/** For the turn in progress. */
export function ofTurn({ turn }: Conversation, settings: TurnSettings): TurnSettings {
  return turn.phase === 'rest' ? settings : { ...settings, turnId: turn.turnId }
}

/** Refuses tools whose names clash with those of the agent. */
export function settingsOf(
  agent: Agent,
  options: SendOptions,
  kept: TurnSettings,
): Pick<TurnContext, 'requestId' | 'tools' | 'onToolError' | 'output' | 'maxSteps'> {
  const settings = toolSettings(agent, options, kept)
  if (settings.tools.length > 0) toolboxOf(agent, [...agent.tools, ...settings.tools])
  let { requestId } = options
  return {
    requestId: () => (requestId ??= agent.ports.id()),
    ...settings,
    output: outputFor(agent, options),
    maxSteps: options.maxSteps ?? agent.maxSteps,
  }
}

export function toolSettings(
  agent: Agent,
  options: SendOptions,
  kept: TurnSettings,
): Pick<TurnContext, 'tools' | 'onToolError'> {
  return {
    tools: options.tools ?? kept.tools ?? [],
    onToolError: options.onToolError ?? kept.onToolError ?? agent.onToolError,
  }
}

export function kept({ tools, onToolError }: SendOptions, turnId: string, before: TurnSettings): TurnSettings {
  return { ...before, turnId, ...(tools && { tools }), ...(onToolError && { onToolError }) }
}

function outputFor(agent: Agent, { output, structuredFinalize }: SendOptions): OutputRule | undefined {
  const finalize = structuredFinalize ?? agent.structuredFinalize
  if (output) return outputRule(output, finalize, agent.ports.compileJsonSchema)
  return agent.output && { ...agent.output, plan: { ...agent.output.plan, finalize } }
}
