/** What a screen is told of an agent: one that is part of the program, or one that was made over HTTP. */
import type { Agent } from '@holdpoint/core'
import type { AgentRow, ToolRow } from '@holdpoint/protocol'

/** Agents as `agent()` makes them; of others the name alone. */
export type AgentFacts = Pick<Agent, 'name'> & Partial<Pick<Agent, 'model' | 'instructions' | 'tools' | 'audit'>>

export function agentRow(agent: AgentFacts): AgentRow {
  return { name: agent.name, source: 'code', ...madeOf(agent) }
}

export function madeOf({
  model,
  instructions,
  tools,
  audit,
}: AgentFacts): Pick<AgentRow, 'model' | 'instructions' | 'tools' | 'audited'> {
  return {
    ...(model && { model: model.id }),
    ...(instructions !== undefined && instructions !== '' && { instructions }),
    ...(tools && { tools: tools.map(toolRow) }),
    ...(audit && { audited: true as const }),
  }
}

function toolRow(tool: NonNullable<AgentFacts['tools']>[number]): ToolRow {
  const { name, description, executor, waiting, async, streaming, visible, input, gate } = tool
  return {
    name,
    description,
    executor,
    approval: gate ? 'gated' : 'auto',
    timeoutMs: waiting.timeoutMs,
    async,
    streaming,
    visible,
    input: input.json,
  }
}
