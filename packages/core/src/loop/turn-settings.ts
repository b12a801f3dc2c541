/** What a caller may set for one turn, and what applies where the caller said nothing. */
import type { Conversation } from '../turn/turn-state.ts'
import { toolboxOf, type Agent } from './agent.ts'
import { outputRule, type OutputRule } from './output.ts'
import type { SendOptions } from './session-options.ts'
import type { TurnContext } from './turn-context.ts'

/** What stays set while a turn lasts, for those who go on with it, and for no turn of another caller. */
export type TurnSettings = Pick<SendOptions, 'tools' | 'onToolError'> & { readonly turnId?: string }

/** For the turn that is going on. */
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
